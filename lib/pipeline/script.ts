// The public face of the script language: compile a set of scripts once, run each over many points.

import type { PatternSource } from "../grok/patterns.ts";
import type { PointBatch } from "../point/batch.ts";
import type { Point } from "../point/point.ts";
import { shortenedText } from "../point/shown-text.ts";
import type { PointView } from "../point/view.ts";
import type { Engine } from "../regex/engines/engine.ts";
import { type EngineMaker, tables } from "../regex/regex.ts";
import { afterRun } from "./after-run.ts";
import { asCentral, type RunsIn } from "./central.ts";
import { driveWaiting } from "./code.ts";
import { compileProgram } from "./compile-statement.ts";
import { type PlError, ScriptFailure } from "./errors.ts";
import { controlFunctions } from "./functions/control.ts";
import type { Declaration } from "./functions/declare.ts";
import { functions as builtIn } from "./functions/index.ts";
import { type Checked, linkAll } from "./link.ts";
import { parseScript } from "./parse.ts";
import { Requests } from "./requests.ts";
import type { CreatedPoint, Run } from "./run.ts";
import { Source } from "./source.ts";
import { newRun, type RunOptions, spend, startRun } from "./start-run.ts";
import type { Aggregated } from "./state/aggregation.ts";
import type { StateCounters } from "./state/limits.ts";
import { ScriptState } from "./state/state.ts";
import { type Program, Unit } from "./unit.ts";

export { defaultMaxSteps, type RunOptions, type StepBudget } from "./start-run.ts";

export interface CompileOptions {
  /** The functions scripts may call; all built-in ones when absent. */
  readonly functions?: readonly Declaration[];
  /** Grok patterns that are visible everywhere. */
  readonly patterns?: PatternSource | null;
  /** What runs regular expressions; tables in plain JavaScript when absent. */
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

export interface ScriptResult {
  /** The run error; the point then keeps what was changed before it. */
  readonly error: PlError | null;
  readonly dropped: boolean;
  readonly created: readonly CreatedPoint[];
  /** Points of this category that a window brings back, oldest first. */
  readonly window: readonly Point[];
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

export class Script {
  private readonly program: Program;
  private held = new ScriptState();
  private readonly requests = new Requests();
  /** A run that is over, for the next point; null while it is under way. */
  private spare: Run | null = null;

  constructor(program: Program) {
    this.program = program;
  }

  get name(): string {
    return this.program.source.file;
  }

  get text(): string {
    return this.program.source.text;
  }

  /** Keeps state that outlives a point, by itself or in a script it runs: must always run in the same worker. */
  get state(): boolean {
    return this.program.state;
  }

  /** Has to wait for something, by itself or in a script it runs: `runWaiting` runs it, not `run`. */
  get waits(): boolean {
    return this.program.waits;
  }

  /** Names of the built-in functions it calls, those of the scripts it runs included. */
  get calls(): ReadonlySet<string> {
    return this.program.calls;
  }

  /** Runs over `point` and changes it in place, up to and including status mapping and the `time` key. */
  run(point: PointView, options: RunOptions): ScriptResult {
    const { program } = this;
    if (program.waits) throw new Error(`${this.name} has to wait: run it with runWaiting`);
    // A script may come back to itself by way of what it is given, such as a probe.
    const run = this.spare ?? newRun(program, this.requests, point, options, this.held);
    this.spare = null;
    startRun(run, point, options, this.held);
    const result = this.finished(run, options) ?? this.ended(run, options);
    if (program.slots > 0) run.locals.fill(undefined);
    this.spare = run;
    return result;
  }

  /** Runs over every point of a batch, one after the other; `take` is told of each. */
  runAll(points: PointBatch, options: RunOptions, take: (result: ScriptResult, index: number) => void): void {
    for (let index = 0; index < points.length; index++) take(this.run(points.at(index), options), index);
  }

  /** Runs the script's statements; null when they ended well. */
  private finished(run: Run, options: RunOptions): ScriptResult | null {
    try {
      this.program.body.direct(run);
      return null;
    } catch (error) {
      return this.failed(run, error, options);
    }
  }

  /** The same for any script. Until it resolves nothing else may touch `point`, which must not lie in a batch. */
  async runWaiting(point: PointView, options: RunOptions): Promise<ScriptResult> {
    const { program } = this;
    if (!program.waits) return this.run(point, options);
    const run = newRun(program, this.requests, point, options, this.held);
    startRun(run, point, options, this.held);
    try {
      await driveWaiting(program.body, run);
    } catch (error) {
      return this.failed(run, error, options);
    }
    return this.ended(run, options);
  }

  /** Aggregated points that are ready at `now`, nanoseconds. */
  takeAggregated(now: bigint): readonly Aggregated[] {
    return this.held.take(now);
  }

  /** When the script is put out of use: everything its aggregations still hold. */
  close(now: bigint): readonly Aggregated[] {
    return this.held.close(now);
  }

  /** Takes over what another instance of the same script keeps; that one must not run any more. */
  inherit(previous: Script): void {
    this.held = previous.held;
  }

  /** What it keeps between points. */
  counters(): StateCounters {
    return this.held.counters();
  }

  private ended(run: Run, options: RunOptions): ScriptResult {
    const late = options.deadline === undefined ? null : run.overrun();
    if (late !== null) {
      const { source, lastAt } = this.program;
      return this.failed(run, new ScriptFailure(late, [source.position(lastAt)]), options);
    }
    spend(run, options);
    afterRun(run, options.category);
    run.probe?.end(run);
    const { dropped, created, window } = run;
    if (window === null && created.length === 0) return dropped ? droppedPoint : passed;
    const back = window === null ? [] : run.state.windows.move(window, run.point, dropped);
    return { error: null, dropped, created, window: back };
  }

  private failed(run: Run, error: unknown, options: RunOptions): ScriptResult {
    spend(run, options);
    run.probe?.end(run);
    return { error: runError(error, this.program), dropped: run.dropped, created: [], window: [] };
  }
}

/** Results that say no more, shared by all runs. */
const passed: ScriptResult = Object.freeze({ error: null, dropped: false, created: [], window: [] });
const droppedPoint: ScriptResult = Object.freeze({ error: null, dropped: true, created: [], window: [] });

/** An internal failure (memory for a text, the call stack) is confined to the point: a run error at an unknown place. */
function runError(error: unknown, program: Program): PlError {
  if (error instanceof ScriptFailure) return error.record();
  const message = error instanceof Error ? error.message : String(error);
  const position = { file: program.source.file, ln: -1, col: -1, pos: -1 };
  return { pos_chain: [position], error: shortenedText(`internal error: ${message}`) };
}
