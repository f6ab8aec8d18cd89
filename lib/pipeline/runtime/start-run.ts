// Starts a run: sets its point and its step limit. Several runs may share one step limit.

import type { CategoryName } from "../../point/category.ts";
import type { PointView } from "../../point/view.ts";
import type { Probe } from "./instrumentation.ts";
import { defaultMaxBytes, Memory } from "./memory.ts";
import type { Program } from "./program.ts";
import type { Requests } from "./requests.ts";
import type { Host, Run } from "./run.ts";
import type { ScriptState } from "./state/state.ts";
import type { Value } from "./value.ts";

/** The options of one run of a script. */
export interface RunOptions {
  readonly category: CategoryName;
  readonly host: Host;
  /**
   * Largest number of statements and loop iterations for a point; 0 switches the limit off. Ignored when `deadline` is
   * set.
   */
  readonly maxSteps?: number;
  /**
   * Largest total size in bytes of the values that a run keeps in memory; default 64 MiB. 0 switches the limit
   * off.
   */
  readonly maxBytes?: number;
  /** Time limit for debug runs. `now()` returns milliseconds and is called after each step. */
  readonly deadline?: { readonly now: () => number; readonly limitMs: number };
  /** A limit of steps that this run shares with other runs, such as the runs over all points of one write request. */
  readonly budget?: StepBudget;
  /**
   * Signal for `runWaiting` only. Once the signal is aborted, HTTP requests in progress and new requests get no answer.
   */
  readonly signal?: AbortSignal;
  /**
   * Receives the events of the run, such as the start of a statement. Only scripts that were compiled with the option
   * `probes` send events.
   */
  readonly probe?: Probe;
}

/** A limit of steps that several runs share. Each run adds its steps to `used`. */
export interface StepBudget {
  readonly limit: number;
  used: number;
}

/** Default for the largest number of steps (statements and loop iterations) for a point. */
export const defaultMaxSteps = 10_000_000;

/** Makes a run object, which can be used for many runs of its program, one after the other. */
export function newRun(
  program: Program,
  requests: Requests,
  point: PointView,
  { category, host }: RunOptions,
  state: ScriptState,
): Run {
  return {
    point,
    category,
    host,
    probe: null,
    dropped: false,
    exited: false,
    statusMapping: true,
    created: [],
    steps: 0,
    allotted: 0,
    limit: 0,
    overrun: overSteps,
    memory: new Memory(),
    locals: new Array(program.slots).fill(undefined),
    pendingTags: null,
    maps: null,
    document: null,
    state,
    window: null,
    requests,
    signal: undefined,
    liftedArguments: program.waits ? new Map() : noArguments,
  };
}

export function startRun(run: Run, point: PointView, options: RunOptions, state: ScriptState): void {
  const { maxSteps = defaultMaxSteps, budget, deadline } = options;
  const steps = stepsAtStart(maxSteps, budget);
  run.point = point;
  run.category = options.category;
  run.host = options.host;
  run.probe = options.probe ?? null;
  run.dropped = false;
  run.exited = false;
  run.statusMapping = true;
  if (run.created.length > 0) run.created = [];
  run.steps = steps;
  run.allotted = steps;
  run.limit = steps === maxSteps || budget === undefined ? maxSteps : budget.limit;
  run.overrun = overSteps;
  run.memory.start(options.maxBytes ?? defaultMaxBytes);
  run.pendingTags = null;
  run.maps = null;
  run.state = state;
  run.window = null;
  run.signal = options.signal;
  if (deadline !== undefined) limitTime(run, deadline);
}

function overSteps(this: Run): string {
  return `script exceeded ${this.limit} steps`;
}

/** Sets a time limit for the run. The clock is read after every step. */
function limitTime(run: Run, { now, limitMs }: NonNullable<RunOptions["deadline"]>): void {
  const end = now() + limitMs;
  run.steps = 0;
  run.overrun = () => {
    if (now() > end) return `script exceeded ${limitMs / 1000}s`;
    run.steps = 0;
    return null;
  };
}

/** The value of `liftedArguments` for runs in which no argument waits for an HTTP answer: an empty map. */
const noArguments: Map<object, () => Value> = new Map();

/** Adds the steps that a run has used to the budget that the run shares with other runs. */
export function spend(run: Run, { budget, deadline }: RunOptions): void {
  if (budget === undefined || deadline !== undefined) return;
  budget.used += run.allotted - Math.max(run.steps, 0);
}

function stepsAtStart(maxSteps: number, budget: StepBudget | undefined): number {
  const limit = maxSteps === 0 ? Number.POSITIVE_INFINITY : maxSteps;
  return budget === undefined ? limit : Math.min(limit, Math.max(0, budget.limit - budget.used));
}
