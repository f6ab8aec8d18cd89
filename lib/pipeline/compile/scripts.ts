// Compiles a set of scripts once: parses, checks and links them. Returns scripts that can run over many points.

import type { PatternSource } from "../../grok/patterns.ts";
import type { Engine } from "../../regex/engines/engine.ts";
import { type EngineMaker, tables } from "../../regex/regex.ts";
import { type OptionNames, requireOptions } from "../../text/argument.ts";
import { centralDeclarations, type RunsIn } from "../functions/central.ts";
import { controlFunctions } from "../functions/control.ts";
import type { Declaration } from "../functions/declare.ts";
import { functions as builtIn } from "../functions/index.ts";
import { Script } from "../runtime/script.ts";
import { type PlError, ScriptFailure } from "../syntax/errors.ts";
import { parseScript } from "../syntax/parse.ts";
import { Source } from "../syntax/source.ts";
import { CompilationUnit } from "./compilation-unit.ts";
import { type Checked, linkAll } from "./link.ts";
import { compileProgram } from "./statement.ts";

/** Options of `compileScripts`. */
export interface CompileOptions {
  /** The functions that the scripts may call; default: all built-in functions. */
  readonly functions?: readonly Declaration[];
  /** Grok patterns that every script can use. */
  readonly patterns?: PatternSource | null;
  /** Makes the engine that runs a regular expression; default: an engine with tables in plain JavaScript. */
  readonly engine?: EngineMaker;
  /** Where the scripts will run: in an agent or on a central platform. Default: an agent. */
  readonly runsIn?: RunsIn;
  /** Whether the statements report their start and end to the `probe` (receiver of events) of a run. */
  readonly probes?: boolean;
}

const compileNames: OptionNames<CompileOptions> = {
  ...{ functions: true, patterns: true, engine: true, runsIn: true, probes: true },
};

/**
 * A set of scripts that were checked and linked together, so that they can run one another. They all run over points of
 * one category and belong to one namespace (the source from which scripts are loaded).
 */
export interface CompiledSet {
  readonly scripts: ReadonlyMap<string, Script>;
  /** The first error of each script that cannot run, by script name. */
  readonly errors: ReadonlyMap<string, PlError>;
  /** The warnings of each script, by script name. A warning marks code that is legal but probably a mistake. */
  readonly warnings: ReadonlyMap<string, readonly PlError[]>;
  /**
   * Frees the memory of the scripts' regular expressions. Called when a newer set of scripts has replaced this
   * set; the scripts of this set can still run afterwards.
   */
  free(): void;
}

/**
 * Checks, compiles and links `scripts`, which holds the source text of each script by name. Errors are returned in
 * `errors`, not thrown.
 *
 * @example
 * const { scripts, errors } = compileScripts({ "a.p": "drop()", "b.p": "drop(" });
 * scripts.has("a.p"); // true
 * errors.has("b.p"); // true
 */
export function compileScripts(scripts: Readonly<Record<string, string>>, options: CompileOptions = {}): CompiledSet {
  requireOptions("compileScripts", options, compileNames);
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
    const unit = new CompilationUnit(new Source(name, text), table, options.patterns ?? null, engine);
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

function check(unit: CompilationUnit): Checked {
  try {
    return { program: compileProgram(unit, parseScript(unit.source).statements) };
  } catch (error) {
    if (error instanceof ScriptFailure) return { error: error.record() };
    throw error;
  }
}

/**
 * Returns the declarations of the functions by name and by alias. Without an argument these are all built-in functions.
 */
export function functionTable(
  declarations: readonly Declaration[] = [...builtIn, ...controlFunctions],
  runsIn: RunsIn = "agent",
): ReadonlyMap<string, Declaration> {
  const table = new Map<string, Declaration>();
  for (const declaration of runsIn === "central" ? centralDeclarations(declarations) : declarations) {
    table.set(declaration.name, declaration);
    for (const alias of declaration.aliases ?? []) table.set(alias, declaration);
  }
  return table;
}
