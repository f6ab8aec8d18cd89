// Mistakes of scripts with the range of the text they are about.

import {
  type CategoryName,
  type CompiledSet,
  type Millrace,
  type PlError,
  type Position,
  type Script,
  tokenize,
} from "../../../lib/index.ts";
import type { ScriptNote, ScriptText } from "./protocol.ts";

export function compileAll(mill: Millrace, scripts: readonly ScriptText[], category: CategoryName): CompiledSet {
  return mill.compile(Object.fromEntries(scripts.map(({ name, text }) => [name, text])), { category });
}

/** Errors come first. */
export function notesOf({ errors, warnings }: CompiledSet, scripts: readonly ScriptText[]): ScriptNote[] {
  const notes: ScriptNote[] = [];
  for (const [script, error] of errors) notes.push(note(script, "error", error, scripts));
  for (const [script, list] of warnings) for (const each of list) notes.push(note(script, "warning", each, scripts));
  for (const script of scripts) notes.push(...notesOfMissing(script));
  return notes.sort((a, b) => Number(a.severity === "warning") - Number(b.severity === "warning"));
}

/** A script that would wait for requests does not run. */
export function mayRun(script: Script | undefined): script is Script {
  return script !== undefined && !script.waits;
}

/** Functions that have nothing to work with in a page. */
const missing: Readonly<Record<string, Pick<ScriptNote, "severity" | "message">>> = {
  http_request: {
    severity: "error",
    message: "http_request is off in the playground: a page may not reach what an agent reaches; run the script there",
  },
  geoip: { severity: "warning", message: "the playground has no database of addresses: geoip writes nothing here" },
  query_refer_table: { severity: "warning", message: "the playground has no reference tables: nothing is found" },
  mquery_refer_table: { severity: "warning", message: "the playground has no reference tables: nothing is found" },
};

function notesOfMissing({ name: script, text }: ScriptText): ScriptNote[] {
  const { list } = tokenize(text);
  return list.flatMap(({ at, end }, index) => {
    const name = text.slice(at, end);
    const next = list[index + 1];
    if (!Object.hasOwn(missing, name) || next === undefined || text.slice(next.at, next.end) !== "(") return [];
    const { severity, message } = missing[name]!;
    return [
      {
        script,
        severity,
        message,
        from: at,
        to: end,
        error: { pos_chain: [position(script, text, at)], error: message },
      },
    ];
  });
}

function position(file: string, text: string, at: number): Position {
  const before = text.slice(0, at);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  return { file, ln: before.split("\n").length, col: [...line].length + 1, pos: [...before].length };
}

function note(
  script: string,
  severity: ScriptNote["severity"],
  error: PlError,
  scripts: readonly ScriptText[],
): ScriptNote {
  // The entry of the chain that lies in this script: the place where it arose, or the call that led there.
  const position = error.pos_chain.find(({ file }) => file === script) ?? error.pos_chain[0];
  const text = scripts.find(({ name }) => name === script)?.text ?? "";
  return { script, severity, message: error.error, error, ...rangeAt(text, position?.pos ?? 0) };
}

/** The token at a place that is counted in code points. */
export function rangeAt(text: string, codePoints: number): { from: number; to: number } {
  const at = Math.min(text.length, utf16Offset(text, Math.max(0, codePoints)));
  for (const token of tokenize(text).list) {
    if (token.at <= at && at < token.end && token.letter !== "n") return { from: token.at, to: token.end };
  }
  // Between tokens, or where the text ends: the last character that can be seen.
  if (at < text.length && !/\s/.test(text[at]!)) return { from: at, to: at + 1 };
  const before = text.slice(0, at).trimEnd().length;
  return before === 0 ? { from: 0, to: Math.min(1, text.length) } : { from: before - 1, to: before };
}

function utf16Offset(text: string, codePoints: number): number {
  let at = 0;
  for (let left = codePoints; left > 0 && at < text.length; left--) at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  return at;
}
