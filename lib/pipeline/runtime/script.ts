// A script that is ready to run over points, with the state that the script keeps between points.

import type { PointBatch } from "../../point/batch/batch.ts";
import { categories } from "../../point/category.ts";
import type { Point } from "../../point/point.ts";
import type { PointView } from "../../point/view.ts";
import {
  type OptionNames,
  refuse,
  requireCount,
  requireFunction,
  requireOneOf,
  requireOptions,
} from "../../text/argument.ts";
import { shortenedText } from "../../text/shown-text.ts";
import { type PlError, ScriptFailure } from "../syntax/errors.ts";
import { afterRun } from "./after-run.ts";
import { driveWaiting } from "./code.ts";
import type { ProbedStatement } from "./instrumentation.ts";
import type { Program } from "./program.ts";
import { Requests } from "./requests.ts";
import type { CreatedPoint, Run } from "./run.ts";
import { newRun, type RunOptions, spend, startRun } from "./start-run.ts";
import type { Aggregated } from "./state/aggregation.ts";
import type { StateCounters } from "./state/limits.ts";
import { ScriptState } from "./state/state.ts";

/** The result of running a script over one point. */
export interface ScriptResult {
  /** The run error; null when there is none. After an error the point keeps the changes that were made before it. */
  readonly error: PlError | null;
  readonly dropped: boolean;
  readonly created: readonly CreatedPoint[];
  /**
   * Earlier dropped points that the function `window_hit` brings back, oldest first. They have the category of the
   * script.
   */
  readonly window: readonly Point[];
}

/** A compiled script. `compileScripts` makes such scripts and returns them in `CompiledSet.scripts`. */
export class Script {
  private readonly program: Program;
  private held = new ScriptState();
  private readonly requests = new Requests();
  /** The run object of the last run, which is reused for the next point; null while a run is in progress. */
  private spare: Run | null = null;
  /**
   * The object of options of the last run, which was found valid. When the next run gets the same object, the options
   * are not checked again.
   */
  private checked: object = noOptions;

  constructor(program: Program) {
    this.program = program;
  }

  get name(): string {
    return this.program.source.file;
  }

  get text(): string {
    return this.program.source.text;
  }

  /**
   * Whether the script, or a script that it calls, keeps state from one point to the next. Such a script must always
   * run in the same worker.
   */
  get state(): boolean {
    return this.program.state;
  }

  /**
   * Whether the script, or a script that it calls, has to wait for an external answer, such as an HTTP answer. Such a
   * script needs `runWaiting` instead of `run`.
   */
  get waits(): boolean {
    return this.program.waits;
  }

  /** Names of the built-in functions that are called by the script, or by a script that it runs. */
  get calls(): ReadonlySet<string> {
    return this.program.calls;
  }

  /**
   * The statements that report events to the probe (receiver of events) of a run; empty unless the script was compiled
   * with the option `probes`.
   */
  get statements(): readonly ProbedStatement[] {
    return this.program.statements;
  }

  /**
   * Runs the script over `point` and changes the point in place. After the script, maps the status of a log and uses
   * the value of the key `time` as the time of the point. Throws an Error when the script has to wait for an external
   * answer, such as an HTTP answer.
   */
  run(point: PointView, options: RunOptions): ScriptResult {
    const { program } = this;
    if (options !== this.checked) this.checkOptions("run", options);
    if (point?.setField === undefined) refuse("run", "point", "a point", point);
    if (program.waits) throw new Error(`${this.name} has to wait: run it with runWaiting`);
    // A probe (a receiver of run events) may start the script again while it is running. No run object is free then
    // (`spare` is null), and a new one is made.
    const run = this.spare ?? newRun(program, this.requests, point, options, this.held);
    this.spare = null;
    startRun(run, point, options, this.held);
    const result = this.finished(run, options) ?? this.ended(run, options);
    // For a few variables, this loop takes a fraction of the time of `fill`.
    const { locals } = run;
    for (let slot = 0; slot < locals.length; slot++) locals[slot] = undefined;
    run.document = null;
    this.spare = run;
    return result;
  }

  /** Runs the script over every point of a batch, one after the other, and calls `take` with each result. */
  runAll(points: PointBatch, options: RunOptions, take: (result: ScriptResult, index: number) => void): void {
    if (typeof points?.release !== "function") refuse("runAll", "points", "a batch", points);
    this.checkOptions("runAll", options);
    requireFunction("runAll", "take", take);
    for (let index = 0; index < points.length; index++) take(this.run(points.at(index), options), index);
  }

  /**
   * Runs the script's statements. Returns null when the statements ended without an error, or else the result with the
   * error.
   */
  private finished(run: Run, options: RunOptions): ScriptResult | null {
    try {
      this.program.body.direct(run);
      return null;
    } catch (error) {
      return this.failed(run, error, options);
    }
  }

  /**
   * Runs any script, also one that waits for an external answer, such as an HTTP answer. Until the promise resolves no
   * other code may use `point`, which must not belong to a batch.
   */
  async runWaiting(point: PointView, options: RunOptions): Promise<ScriptResult> {
    this.checkOptions("runWaiting", options);
    if (point?.setField === undefined) refuse("runWaiting", "point", "a point", point);
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

  /** Returns the aggregated points that are ready at the time `now` (nanoseconds). */
  takeAggregated(now: bigint): readonly Aggregated[] {
    requireNanoseconds("takeAggregated", now);
    return this.held.take(now);
  }

  /**
   * Returns all values that the script's aggregations still contain, as aggregated points. Called when the script
   * will no longer be used, so that no value is lost.
   */
  close(now: bigint): readonly Aggregated[] {
    requireNanoseconds("close", now);
    return this.held.close(now);
  }

  /** Takes over the state of `previous`, another object for the same script, which must not be run afterwards. */
  inherit(previous: Script): void {
    if (!(previous instanceof Script)) refuse("inherit", "previous", "a compiled script", previous);
    this.held = previous.held;
  }

  /** Returns numbers that say how much data the script keeps between points. */
  counters(): StateCounters {
    return this.held.counters();
  }

  private checkOptions(call: string, options: RunOptions): void {
    if (options?.host === undefined) refuse(call, "options", optionsText, options);
    requireOptions(call, options, optionNames);
    requireOneOf(call, "category", options.category, categories);
    requireCount(call, "maxSteps", options.maxSteps, "of steps");
    requireCount(call, "maxBytes", options.maxBytes, "of bytes");
    this.checked = options;
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

/**
 * Initial value for the options that were checked last: no caller passes this object, so the first options are always
 * checked.
 */
const noOptions = Object.freeze({});

const optionsText = "an object with category and host; or use run(script, point) of the instance";

const optionNames: OptionNames<RunOptions> = {
  ...{ category: true, host: true, maxSteps: true, maxBytes: true, deadline: true, budget: true, signal: true },
  probe: true,
};

function requireNanoseconds(call: string, now: unknown): void {
  if (typeof now !== "bigint") refuse(call, "now", "a bigint of nanoseconds since 1970", now);
}

/**
 * Two shared results for runs without an error that created no points and brought back no earlier dropped points. The
 * first is for a point that is passed on, the second for a dropped point.
 */
const passed: ScriptResult = Object.freeze({ error: null, dropped: false, created: [], window: [] });
const droppedPoint: ScriptResult = Object.freeze({ error: null, dropped: true, created: [], window: [] });

/**
 * Returns the run error for a thrown error. An internal error (no memory for a string, call stack used up) affects only
 * this point: it becomes a run error at an unknown position.
 */
function runError(error: unknown, program: Program): PlError {
  if (error instanceof ScriptFailure) return error.record();
  const message = error instanceof Error ? error.message : String(error);
  const position = { file: program.source.file, ln: -1, col: -1, pos: -1 };
  return { pos_chain: [position], error: shortenedText(`internal error: ${message}`) };
}
