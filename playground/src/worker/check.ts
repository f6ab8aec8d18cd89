// Compiles and checks the scripts of a project (scripts, input and settings of a user) with the library, and collects
// the diagnostics.

import { type CompiledSet, type Diagnostic, type Position, type Script, tokenize } from "../../../lib/index.ts";
import { parseRegex as parse, RegexSyntaxError } from "../../../lib/regex/index.ts";
import { english, t } from "../text/translate.ts";
import type { Instance } from "./instance.ts";
import type { ScriptText } from "./protocol.ts";
import type { LookUpNote } from "./refer-tables/look-up-notes.ts";

export function compileAll(mill: Instance, scripts: readonly ScriptText[]): CompiledSet {
  // With the option `probes`, the compiled scripts report which statements each point reaches, so that a run can count
  // the points of each statement.
  return mill.compile(byName(scripts), { probes: true });
}

/**
 * Returns the library's diagnostics, followed by diagnostics for calls of functions that do not work in a web page, and
 * by `notes` about look-ups in reference tables. Errors come first.
 */
export function diagnoseAll(
  mill: Instance,
  scripts: readonly ScriptText[],
  notes: readonly LookUpNote[] = [],
): readonly Diagnostic[] {
  const lookUps = notes.map((note) => {
    const { text } = scripts.find(({ name }) => name === note.script)!;
    return diagnostic(text, { severity: "warning", ...note });
  });
  return [...mill.diagnose(byName(scripts)), ...scripts.flatMap(notesOfRequests), ...lookUps].sort(
    (a, b) => Number(a.severity === "warning") - Number(b.severity === "warning"),
  );
}

export function isPattern(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch (error) {
    if (error instanceof RegexSyntaxError) return false;
    throw error;
  }
}

function byName(scripts: readonly ScriptText[]): Record<string, string> {
  return Object.fromEntries(scripts.map(({ name, text }) => [name, text]));
}

/**
 * Returns whether the script can run in the playground. A script that sends HTTP requests cannot run there,
 * because it would wait for the answers.
 */
export function mayRun(script: Script | undefined): script is Script {
  return script !== undefined && !script.waits;
}

const noRequests = english(
  "http_request is off in the playground: a page may not reach what an agent reaches; run the script there",
);

function notesOfRequests({ name: script, text }: ScriptText): Diagnostic[] {
  const { list } = tokenize(text);
  return list.flatMap(({ at, end }, index) => {
    const next = list[index + 1];
    const isCall = next !== undefined && text.slice(next.at, next.end) === "(";
    if (!isCall || text.slice(at, end) !== "http_request") return [];
    return [diagnostic(text, { script, severity: "error", message: t(noRequests), from: at, to: end })];
  });
}

function diagnostic(text: string, note: Omit<Diagnostic, "error">): Diagnostic {
  return { ...note, error: { pos_chain: [position(note.script, text, note.from)], error: note.message } };
}

function position(file: string, text: string, at: number): Position {
  const before = text.slice(0, at);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  return { file, ln: before.split("\n").length, col: [...line].length + 1, pos: [...before].length };
}
