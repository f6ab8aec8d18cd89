// Rolls up rows: makes one row for each timeline (set of tags) and time bucket, with one value for every field that the
// targets (output columns) read (docs/reference/query.md#time).

import { type Buckets, bucketOf } from "../semantics/buckets.ts";
import { needsPrevious, type Rollup } from "../semantics/rollup.ts";
import { countSteps, type StepBudget } from "../semantics/step-budget.ts";
import type { Milliseconds } from "../semantics/time-range.ts";
import { timelineOf } from "./group.ts";
import type { Reader, Row } from "./row.ts";
import { deviation, extreme, mean, percentile, sum } from "./statistics.ts";
import { type DqlValue, isNumber } from "./values/value.ts";

export interface RollupFrame {
  readonly rollup: Rollup;
  readonly fields: ReadonlyMap<string, Reader>;
  readonly interval: Milliseconds;
  readonly buckets: Buckets;
  readonly start: Milliseconds;
  /**
   * Whether the rows with each set of tags form a timeline of their own, as for metrics. When this is false, all
   * rows together form one timeline.
   */
  readonly byTags: boolean;
}

/**
 * Returns for how many milliseconds before the start of the time range points are read. A rate function, such as
 * increase(), needs them to find the point before its first one. Returns 0 when no such function is used.
 */
export function lookBackMs(rollup: Rollup | null, interval: Milliseconds): Milliseconds {
  return rollup !== null && needsPrevious(rollup) ? Math.max(interval, 300_000) : 0;
}

interface Sample {
  readonly time: bigint;
  readonly value: bigint | number;
}

/**
 * Rolls up rows. `rows` must be sorted with the oldest first, and must also include the rows that are at most
 * `lookBackMs` milliseconds before the range.
 */
export function rolledUp(rows: readonly Row[], frame: RollupFrame, work: StepBudget): Row[] {
  const timelines = new Map<string, Row[]>();
  for (const row of countSteps(rows, work)) {
    const key = frame.byTags ? timelineOf(row) : "";
    const known = timelines.get(key);
    if (known === undefined) timelines.set(key, [row]);
    else known.push(row);
  }
  return [...timelines.values()].flatMap((timeline) => rollTimeline(timeline, frame, work));
}

function rollTimeline(rows: readonly Row[], frame: RollupFrame, work: StepBudget): Row[] {
  const buckets = new Map<Milliseconds, Map<string, DqlValue>>();
  const last = rows[rows.length - 1]!;
  for (const [field, read] of frame.fields) {
    const samples = rows.flatMap((row): Sample[] => {
      const value = read(row);
      return isNumber(value) ? [{ time: row.time, value }] : [];
    });
    for (const [bucket, value] of bucketValues(samples, frame, work)) {
      const fields = buckets.get(bucket) ?? new Map<string, DqlValue>();
      buckets.set(bucket, fields.set(field, value));
    }
  }
  return [...buckets].map(([bucket, fields]) => ({ ...last, time: BigInt(bucket) * 1_000_000n, fields }));
}

function bucketValues(samples: readonly Sample[], frame: RollupFrame, work: StepBudget): [Milliseconds, DqlValue][] {
  const values: [Milliseconds, DqlValue][] = [];
  const bucket = ({ time }: Sample) => bucketOf(Number(time / 1_000_000n), frame.buckets);
  for (let from = 0; from < samples.length; ) {
    const at = bucket(samples[from]!);
    let to = from;
    while (to < samples.length && bucket(samples[to]!) === at) {
      work(1);
      to++;
    }
    const own = samples.slice(from, to).filter(({ time }) => time >= BigInt(frame.start) * 1_000_000n);
    if (own.length > 0) {
      const before = samples[to - own.length - 1];
      const reach = BigInt(Math.max(frame.interval, 300_000)) * 1_000_000n;
      const isNear = before !== undefined && BigInt(at) * 1_000_000n - before.time <= reach;
      const value = rollupValue(frame.rollup, own, isNear ? before : undefined, work);
      if (value !== null) values.push([at, value]);
    }
    from = to;
  }
  return values;
}

function rollupValue(
  rollup: Rollup,
  samples: readonly Sample[],
  before: Sample | undefined,
  work: StepBudget,
): DqlValue {
  const values = samples.map(({ value }) => value);
  switch (rollup.kind) {
    case "avg":
      return mean(values);
    case "sum":
      return sum(values);
    case "min":
    case "max":
      return extreme(values, rollup.kind);
    case "count":
      return BigInt(values.length);
    case "first":
      return values[0]!;
    case "last":
      return values[values.length - 1]!;
    case "stddev":
      return deviation(values);
    case "percentile":
      return percentile(values, rollup.percent, work);
    case "deriv": {
      const [first, last] = [samples[0]!, samples[samples.length - 1]!];
      const seconds = Number(last.time - first.time) / 1e9;
      return seconds === 0 ? null : (Number(last.value) - Number(first.value)) / seconds;
    }
    default:
      return increase(rollup.kind, before === undefined ? samples : [before, ...samples]);
  }
}

/** Computes the increase of a counter. A value below the previous one means that the counter was restarted at 0. */
function increase(kind: "rate" | "irate" | "increase", samples: readonly Sample[]): DqlValue {
  const counted = kind === "irate" ? samples.slice(-2) : samples;
  if (counted.length < 2) return null;
  let grown = 0;
  for (let at = 1; at < counted.length; at++) {
    const [from, to] = [Number(counted[at - 1]!.value), Number(counted[at]!.value)];
    grown += to >= from ? to - from : to;
  }
  if (kind === "increase") return grown;
  const seconds = Number(counted[counted.length - 1]!.time - counted[0]!.time) / 1e9;
  return seconds === 0 ? null : grown / seconds;
}
