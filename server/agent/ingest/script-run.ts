// Runs the script of a write over the points of the write, one window (batch of decoded points) after the other.
// Returns the points that the script did not drop and the points that it created. Counts dropped points and
// errors.

import type { CategoryName } from "../../../lib/point/index.ts";
import {
  type Created,
  type Engine,
  type Point,
  type PointSeries,
  type Points,
  plErrorText,
  type Runner,
  type RunOptions,
  type RunResult,
} from "../engine.ts";
import { listOf } from "./point-list.ts";
import type { RunCount } from "./write-job.ts";

export interface ScriptRun {
  /**
   * Runs the script over a batch of decoded points. `indexes`: the indexes of the points over which the script runs;
   * absent means all points of the batch. Returns the points that the script did not drop, after correcting them by the
   * rules of docs/reference/points.md.
   */
  over(points: Points, indexes?: readonly number[]): ScriptOutcome;
  /**
   * Runs a script that sends HTTP requests and waits for their answers. `points`: copies of the decoded points over
   * which the script runs. Returns the copies that the script did not drop, after correcting them by the rules of
   * docs/reference/points.md.
   */
  overWaiting(points: readonly Point[]): Promise<ScriptOutcome>;
  readonly count: RunCount;
  /** Stops the timer that aborts the script's HTTP requests when their time is over. */
  close(): void;
}

export interface ScriptOutcome {
  readonly left: PointSeries;
  readonly created: readonly Created[];
}

export interface ScriptLimits {
  /**
   * Largest number of steps (statements and loop iterations) that the script may take on all points of a write
   * together; 0 = no limit.
   */
  readonly maxStepsPerWrite: number;
  /**
   * Time limit in milliseconds for all HTTP requests of the script for one write together. When this time has
   * passed, requests that are not answered yet are aborted.
   */
  readonly requestsMs: number;
}

/**
 * Largest number of points of a write for which the script may wait for HTTP requests at the same time. The
 * results of the script are processed in the order of the points, even when the requests are answered in another
 * order.
 */
const waitingAtOnce = 16;

export function createScriptRun(
  engine: Engine,
  script: Runner,
  category: CategoryName,
  { maxStepsPerWrite, requestsMs }: ScriptLimits,
): ScriptRun {
  const budget = maxStepsPerWrite === 0 ? undefined : { limit: maxStepsPerWrite, used: 0 };
  const sum = { points: 0, dropped: 0, errors: 0, seconds: 0 };
  let firstError: string | undefined;
  const deadline = new AbortController();
  let timer: NodeJS.Timeout | undefined;

  /**
   * Returns a function `take` and two lists, to which `take` adds elements. `take` must be called with the result
   * of the script for each point. The lists contain the points that the script created, and the indexes of the
   * points that it did not drop.
   */
  const taker = () => {
    const created: Created[] = [];
    const left: number[] = [];
    const take = (result: RunResult, at: number) => {
      if (result.error !== null) {
        sum.errors++;
        firstError ??= plErrorText(result.error);
      }
      for (const point of result.window) created.push({ category, point });
      created.push(...result.created.filter(({ dropped }) => dropped !== true));
      if (!result.dropped) left.push(at);
    };
    return { created, left, take };
  };

  const counted = (points: number, left: number, began: number) => {
    sum.points += points;
    sum.dropped += points - left;
    sum.seconds += (performance.now() - began) / 1000;
  };

  return {
    over: (points, indexes) => {
      const began = performance.now();
      const { created, left, take } = taker();
      const takeWhereItLies = (result: RunResult, at: number) => {
        take(result, at);
        if (!result.dropped) points.correct(at);
      };
      if (indexes === undefined) script.runAll(points, { budget }, takeWhereItLies);
      else for (const at of indexes) takeWhereItLies(script.run(points.at(at), { budget }), at);
      counted(indexes?.length ?? points.length, left.length, began);
      return { left: left.length === points.length ? points : points.select(left), created };
    },
    overWaiting: async (points) => {
      const began = performance.now();
      timer ??= setTimeout(() => deadline.abort(), requestsMs);
      const { created, left, take } = taker();
      await runAllWaiting(script, points, { budget, signal: deadline.signal }, take);
      for (const at of left) engine.correct(points[at]!, category);
      counted(points.length, left.length, began);
      return { left: listOf(points).select(left), created };
    },
    get count() {
      return { namespace: script.namespace, ...sum, firstError };
    },
    close: () => clearTimeout(timer),
  };
}

/**
 * Runs a script over the points and waits for the script's HTTP requests. Processes several points at the same
 * time, but processes the points one after the other when the script keeps state between points.
 */
async function runAllWaiting(
  script: Runner,
  points: readonly Point[],
  options: RunOptions,
  take: (result: RunResult, at: number) => void,
): Promise<void> {
  const atOnce = script.isStateful ? 1 : waitingAtOnce;
  const running: Promise<() => void>[] = [];
  for (const [at, point] of points.entries()) {
    if (running.length === atOnce) (await running.shift()!)();
    running.push(script.runWaiting(point, options).then((ended) => () => take(ended, at)));
  }
  for (const ended of running) (await ended)();
}
