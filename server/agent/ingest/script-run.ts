// Runs the scripts of a write over the points of the write, one window (batch of decoded points) after the other.
// Returns the points that no script dropped and the points that the scripts created. Counts dropped points and
// errors.

import type { CategoryName } from "../../../lib/point/index.ts";
import type { Created, Engine, Point, PointSeries, Points, RunOptions, RunResult } from "../engine.ts";
import type { PointSampler } from "../live/sample-points.ts";
import { indexesOf, listOf } from "./point-list.ts";
import type { WriteScript, WriteScripts } from "./write-scripts.ts";

export interface ScriptRun {
  /**
   * Runs the scripts over a batch of decoded points. `indexes`: the indexes of the points over which the scripts run;
   * absent means all points of the batch. Returns the points that no script dropped, after correcting them by the rules
   * of docs/reference/points.md.
   */
  over(points: Points, indexes?: readonly number[]): ScriptOutcome;
  /**
   * Runs scripts that send HTTP requests and wait for their answers. `points`: copies of the decoded points over which
   * the scripts run. Returns the copies that no script dropped, after correcting them by the rules of
   * docs/reference/points.md.
   */
  overWaiting(points: readonly Point[]): Promise<ScriptOutcome>;
  /** Stops the timer that aborts the scripts' HTTP requests when their time is over. */
  close(): void;
}

export interface ScriptOutcome {
  readonly left: PointSeries;
  readonly created: readonly Created[];
}

export interface ScriptLimits {
  /**
   * Largest number of steps (statements and loop iterations) that the scripts may take on all points of a write
   * together; 0 = no limit.
   */
  readonly maxStepsPerWrite: number;
  /**
   * Time limit in milliseconds for all HTTP requests of the scripts for one write together. When this time has
   * passed, requests that are not answered yet are aborted.
   */
  readonly requestsMs: number;
}

/** The result for a point over which no script runs. */
const untouched: RunResult = { error: null, dropped: false, created: [], window: [] };

/**
 * Largest number of points of a write for which scripts may wait for HTTP requests at the same time. The results of
 * the scripts are processed in the order of the points, even when the requests are answered in another order.
 */
const waitingAtOnce = 16;

/** Returns the run of the scripts over the points of one write. `sampler` samples some of the points. */
export function createScriptRun(
  engine: Engine,
  scripts: WriteScripts,
  category: CategoryName,
  { maxStepsPerWrite, requestsMs }: ScriptLimits,
  sampler: PointSampler | undefined,
): ScriptRun {
  const budget = maxStepsPerWrite === 0 ? undefined : { limit: maxStepsPerWrite, used: 0 };
  const deadline = new AbortController();
  let timer: NodeJS.Timeout | undefined;

  /**
   * Returns a function `take` and two lists, to which `take` adds elements. `take` must be called with the result
   * of the script for each point. The lists contain the points that the scripts created, and the indexes of the
   * points that they did not drop.
   */
  const taker = (points: PointSeries, indexes?: readonly number[]) => {
    const created: Created[] = [];
    const left: number[] = [];
    const befores = sampler?.begin(points, indexes);
    const take = (script: WriteScript | undefined, result: RunResult, at: number) => {
      script?.noteResult(result);
      const before = befores?.get(at);
      if (before !== undefined) sampler?.finish(before, points.at(at), result);
      for (const point of result.window) created.push({ category, point });
      created.push(...result.created.filter(({ dropped }) => dropped !== true));
      if (!result.dropped) left.push(at);
    };
    return { created, left, take };
  };

  return {
    over: (points, indexes) => {
      const { created, left, take } = taker(points, indexes);
      const takeWhereItLies = (script: WriteScript | undefined, result: RunResult, at: number) => {
        take(script, result, at);
        if (!result.dropped) points.correct(at);
      };
      const one = indexes === undefined ? scripts.ofAll(points) : undefined;
      if (one !== undefined) {
        one.begin();
        one.runner.runAll(points, { budget }, (result, at) => takeWhereItLies(one, result, at));
        one.end();
      } else {
        for (const at of indexes ?? indexesOf(points)) {
          const script = scripts.of(points.at(at));
          script?.begin();
          takeWhereItLies(script, script?.runner.run(points.at(at), { budget }) ?? untouched, at);
          script?.end();
        }
      }
      return { left: left.length === points.length ? points : points.select(left), created };
    },
    overWaiting: async (points) => {
      timer ??= setTimeout(() => deadline.abort(), requestsMs);
      const list = listOf(points);
      const { created, left, take } = taker(list);
      await runAllWaiting(scripts, points, { budget, signal: deadline.signal }, take);
      for (const at of left) engine.correct(points[at]!, category);
      return { left: list.select(left), created };
    },
    close: () => clearTimeout(timer),
  };
}

/**
 * Runs scripts over the points and waits for the scripts' HTTP requests. Processes several points at the same
 * time, but processes the points one after the other when a script keeps state between points.
 */
async function runAllWaiting(
  scripts: WriteScripts,
  points: readonly Point[],
  options: RunOptions,
  take: (script: WriteScript | undefined, result: RunResult, at: number) => void,
): Promise<void> {
  const atOnce = scripts.isStateful ? 1 : waitingAtOnce;
  const running: Promise<() => void>[] = [];
  const run = async (point: Point, at: number) => {
    const script = scripts.of(point);
    script?.begin();
    const result = (await script?.runner.runWaiting(point, options)) ?? untouched;
    script?.end();
    return () => take(script, result, at);
  };
  for (const [at, point] of points.entries()) {
    if (running.length === atOnce) (await running.shift()!)();
    running.push(run(point, at));
  }
  for (const ended of running) (await ended)();
}
