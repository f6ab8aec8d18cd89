// Mistakes of scripts with the range of the text they are about.

import { type CategoryName, type CompiledSet, type Millrace, type PlError, tokenize } from "../../../lib/index.ts";
import type { ScriptNote, ScriptText } from "./protocol.ts";

export function compileAll(mill: Millrace, scripts: readonly ScriptText[], category: CategoryName): CompiledSet {
  return mill.compile(Object.fromEntries(scripts.map(({ name, text }) => [name, text])), { category });
}

export function notesOf({ errors, warnings }: CompiledSet, scripts: readonly ScriptText[]): ScriptNote[] {
  const notes: ScriptNote[] = [];
  for (const [script, error] of errors) notes.push(note(script, "error", error, scripts));
  for (const [script, list] of warnings) for (const each of list) notes.push(note(script, "warning", each, scripts));
  return notes;
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
