// Compiles a set of scripts once: parses, checks and links them. Returns scripts that are run over many points.

import type { PatternSource } from "../../grok/patterns.ts";
import type { Engine } from "../../regex/engines/engine.ts";
import { type EngineMaker, tables } from "../../regex/regex.ts";
import { asCentral, type RunsIn } from "../functions/central.ts";
import { controlFunctions } from "../functions/control.ts";
import type { Declaration } from "../functions/declare.ts";
import { functions as builtIn } from "../functions/index.ts";
import { Script } from "../runtime/script.ts";
import { type PlError, ScriptFailure } from "../syntax/errors.ts";
import { parseScript } from "../syntax/parse.ts";
import { Source } from "../syntax/source.ts";
import { Unit } from "./compilation-unit.ts";
import { type Checked, linkAll } from "./link.ts";
import { compileProgram } from "./statement.ts";

export interface CompileOptions {
  /** The functions scripts may call; all built-in ones when absent. */
  readonly functions?: readonly Declaration[];
  /** Grok patterns that are visible everywhere. */
  readonly patterns?: PatternSource | null;
  /** Makes the engine of a regular expression; tables in plain JavaScript when absent. */
  readonly engine?: EngineMaker;
  /** Where the scripts will run; an agent when absent. */
  readonly runsIn?: RunsIn;
  /** The statements tell the `probe` of a run of themselves. */
  readonly probes?: boolean;
}

/** Scripts of one category and namespace, checked and linked together. */
export interface CompiledSet {
  readonly scripts: ReadonlyMap<string, Script>;
  /** By script name: the first mistake of each script that cannot run. */
  readonly errors: ReadonlyMap<string, PlError>;
  /** By script name: what is legal but surely not meant. */
  readonly warnings: ReadonlyMap<string, readonly PlError[]>;
  /** Gives back the memory of the scripts' regular expressions, for a set that has been replaced. It may still be run. */
  free(): void;
}

/** Checks, compiles and links `scripts`, texts by script name. */
export function compileScripts(scripts: Readonly<Record<string, string>>, options: CompileOptions = {}): CompiledSet {
  const engines: Engine[] = [];
  const make = options.engine ?? tables;
  const engine: EngineMaker = (parsed, captures) => {
    const made = make(parsed, captures);
    engines.push(made);
    return made;
  };
  const table = functionTable(options.functions, options.runsIn);
  const checked = new Map<string, Checked>();
  const warnings = new Map<string, readonly PlError[]>();
  for (const [name, text] of Object.entries(scripts)) {
    const unit = new Unit(new Source(name, text), table, options.patterns ?? null, engine);
    unit.probes = options.probes === true;
    checked.set(name, check(unit));
    if (unit.warnings.length > 0) warnings.set(name, unit.warnings);
  }
  const errors = linkAll(checked);
  const runnable = new Map<string, Script>();
  for (const [name, each] of checked) {
    if ("error" in each) errors.set(name, each.error);
    else if (!errors.has(name)) runnable.set(name, new Script(each.program));
  }
  const free = (): void => {
    for (const each of engines) each.free();
  };
  return { scripts: runnable, errors, warnings, free };
}

function check(unit: Unit): Checked {
  try {
    return { program: compileProgram(unit, parseScript(unit.source).statements) };
  } catch (error) {
    if (error instanceof ScriptFailure) return { error: error.record() };
    throw error;
  }
}

/** Declarations by name and alias; those built in when none are given. */
export function functionTable(
  declarations: readonly Declaration[] = [...builtIn, ...controlFunctions],
  runsIn: RunsIn = "agent",
): ReadonlyMap<string, Declaration> {
  const table = new Map<string, Declaration>();
  for (const declaration of runsIn === "central" ? asCentral(declarations) : declarations) {
    table.set(declaration.name, declaration);
    for (const alias of declaration.aliases ?? []) table.set(alias, declaration);
  }
  return table;
}
