// Compiles and checks the scripts of a project with the library, and collects the diagnostics.

import { type CompiledSet, type Diagnostic, type Position, type Script, tokenize } from "../../../lib/index.ts";
import { parseRegex as parse, RegexSyntaxError } from "../../../lib/regex/index.ts";
import type { Instance } from "./instance.ts";
import type { ScriptText } from "./protocol.ts";

export function compileAll(mill: Instance, scripts: readonly ScriptText[]): CompiledSet {
  // With probes, the compiled scripts report which statements each point reaches, so that a run can count these points.
  return mill.compile(byName(scripts), { probes: true });
}

/**
 * Returns the library's diagnostics, followed by diagnostics for calls of functions that do not work in a web page.
 * Errors come first.
 */
export function diagnoseAll(mill: Instance, scripts: readonly ScriptText[]): readonly Diagnostic[] {
  return [...mill.diagnose(byName(scripts)), ...scripts.flatMap(notesOfMissing)].sort(
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

/** Returns whether the script can run in the playground. A script that waits for HTTP requests cannot. */
export function mayRun(script: Script | undefined): script is Script {
  return script !== undefined && !script.waits;
}

/** Functions that do not work in a web page, each with the diagnostic that a call of it gets. */
const missing: Readonly<Record<string, Pick<Diagnostic, "severity" | "message">>> = {
  http_request: {
    severity: "error",
    message: "http_request is off in the playground: a page may not reach what an agent reaches; run the script there",
  },
  query_refer_table: { severity: "warning", message: "the playground has no reference tables: nothing is found" },
  mquery_refer_table: { severity: "warning", message: "the playground has no reference tables: nothing is found" },
};

function notesOfMissing({ name: script, text }: ScriptText): Diagnostic[] {
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
