// The public face of the script language: compile a set of scripts once, run each over many points.

import type { PatternSource } from "../grok/patterns.ts";
import type { CategoryName } from "../point/category.ts";
import type { PointView } from "../point/view.ts";
import type { Engine } from "../regex/engine.ts";
import { type EngineMaker, tables } from "../regex/regex.ts";
import { afterRun } from "./after-run.ts";
import { compileProgram } from "./compile-statement.ts";
import { type PlError, ScriptFailure } from "./errors.ts";
import { controlFunctions } from "./functions/control.ts";
import type { Declaration } from "./functions/declare.ts";
import { functions as builtIn } from "./functions/index.ts";
import { type Checked, linkAll } from "./link.ts";
import { parseScript } from "./parse.ts";
import type { Probe } from "./probe.ts";
import type { CreatedPoint, Host, Run } from "./run.ts";
import { Source } from "./source.ts";
import { type Program, Unit } from "./unit.ts";

export interface CompileOptions {
  /** The functions scripts may call; all built-in ones when absent. */
  readonly functions?: readonly Declaration[];
  /** Grok patterns that are visible everywhere. */
  readonly patterns?: PatternSource | null;
  /** What runs regular expressions; tables in plain JavaScript when absent. */
  readonly engine?: EngineMaker;
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

export interface RunOptions {
  readonly category: CategoryName;
  readonly host: Host;
  /** Statements and turns of loops per point; 0 switches the limit off. Without effect under a deadline. */
  readonly maxSteps?: number;
  /** For debug runs: `now()` in milliseconds is asked after each step. */
  readonly deadline?: { readonly now: () => number; readonly limitMs: number };
  /** Is told what the run does, when the script was compiled with `probes`. */
  readonly probe?: Probe;
}

export interface ScriptResult {
  /** The run error; the point then keeps what was changed before it. */
  readonly error: PlError | null;
  readonly dropped: boolean;
  readonly created: readonly CreatedPoint[];
}

export const defaultMaxSteps = 10_000_000;

/** Checks, compiles and links `scripts`, texts by script name. */
export function compileScripts(scripts: Readonly<Record<string, string>>, options: CompileOptions = {}): CompiledSet {
  const engines: Engine[] = [];
  const make = options.engine ?? tables;
  const engine: EngineMaker = (parsed, captures) => {
    const made = make(parsed, captures);
    engines.push(made);
    return made;
  };
  const table = functionTable(options.functions);
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
): ReadonlyMap<string, Declaration> {
  const table = new Map<string, Declaration>();
  for (const declaration of declarations) {
    table.set(declaration.name, declaration);
    for (const alias of declaration.aliases ?? []) table.set(alias, declaration);
  }
  return table;
}

export class Script {
  private readonly program: Program;

  constructor(program: Program) {
    this.program = program;
  }

  get name(): string {
    return this.program.source.file;
  }

  /** Keeps state that outlives a point: must always run in the same worker. */
  get state(): boolean {
    return this.program.state;
  }

  /** Runs over `point` and changes it in place, up to and including status mapping and the `time` key. */
  run(point: PointView, options: RunOptions): ScriptResult {
    const { program } = this;
    const run = startRun(program, point, options);
    try {
      program.body(run);
      const late = options.deadline === undefined ? null : run.overrun();
      if (late !== null) throw new ScriptFailure(late, [program.source.position(program.lastAt)]);
    } catch (error) {
      run.probe?.end(run);
      return { error: runError(error, program), dropped: run.dropped, created: [] };
    }
    afterRun(run, options.category);
    run.probe?.end(run);
    return { error: null, dropped: run.dropped, created: run.created };
  }
}

function startRun(program: Program, point: PointView, { category, host, maxSteps, deadline, probe }: RunOptions): Run {
  const limit = maxSteps ?? defaultMaxSteps;
  const run = {
    point,
    category,
    host,
    probe: probe ?? null,
    dropped: false,
    exited: false,
    statusMapping: true,
    created: [],
    steps: limit === 0 ? Number.POSITIVE_INFINITY : limit,
    overrun: (): string | null => `script exceeded ${limit} steps`,
    locals: new Array(program.slots).fill(undefined),
  };
  if (deadline !== undefined) {
    const end = deadline.now() + deadline.limitMs;
    run.steps = 0;
    run.overrun = () => {
      if (deadline.now() > end) return `script exceeded ${deadline.limitMs / 1000}s`;
      run.steps = 0;
      return null;
    };
  }
  return run;
}

/** An internal failure (memory for a text, the call stack) is confined to the point: a run error at an unknown place. */
function runError(error: unknown, program: Program): PlError {
  if (error instanceof ScriptFailure) return error.record();
  const message = error instanceof Error ? error.message : String(error);
  const position = { file: program.source.file, ln: -1, col: -1, pos: -1 };
  return { pos_chain: [position], error: `internal error: ${message}` };
}
