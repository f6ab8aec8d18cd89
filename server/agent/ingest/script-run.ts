// The script of a write over its points, window by window: what is left of them, what the script made, what is to be counted.

import type { CategoryName } from "../../../lib/point/category.ts";
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
  /** The points that are left, corrected again, where they lie. With `indexes` it runs over these points only. */
  over(points: Points, indexes?: readonly number[]): ScriptOutcome;
  /** The same of points that lie in no batch, for a script that waits. */
  overWaiting(points: readonly Point[]): Promise<ScriptOutcome>;
  readonly count: RunCount;
  /** Ends requests that are still under way. */
  close(): void;
}

export interface ScriptOutcome {
  readonly left: PointSeries;
  readonly created: readonly Created[];
}

export interface ScriptLimits {
  /** Of all points together; 0 = no limit. */
  readonly maxStepsPerWrite: number;
  /** Milliseconds for the requests of all points together. */
  readonly requestsMs: number;
}

/** Runs that wait at the same time; results are taken in the order of the points all the same. */
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

  /** What is told of one point. */
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

/** A script that keeps state sees its points one after the other. */
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
