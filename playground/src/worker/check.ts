// Scripts of a project for the library, which takes texts by name.

import type { CategoryName, CompiledSet, Diagnostic, Millrace } from "../../../lib/index.ts";
import type { ScriptText } from "./protocol.ts";

export function compileAll(mill: Millrace, scripts: readonly ScriptText[], category: CategoryName): CompiledSet {
  return mill.compile(byName(scripts), { category });
}

export function diagnoseAll(mill: Millrace, scripts: readonly ScriptText[]): readonly Diagnostic[] {
  return mill.diagnose(byName(scripts));
}

function byName(scripts: readonly ScriptText[]): Record<string, string> {
  return Object.fromEntries(scripts.map(({ name, text }) => [name, text]));
}
