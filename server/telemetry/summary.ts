// A summary metric (quantiles, sum and count) to which a value is added at the cost of a logarithm and an addition. The
// values are counted in buckets whose borders grow by 2 %, so a quantile is right to 1 % (DDSketch,
// https://arxiv.org/abs/1908.10693). The summary of the package prom-client sorts every value into several trees, which
// costs more than all other work of a small write. Quantiles cover a window of time, which is divided into steps; the
// oldest step is dropped as a whole.

import type { Summary as RegisteredMetric, Registry } from "prom-client";
import type { Movable } from "./metrics-transfer.ts";

export type SummaryLabels<L extends string> = Readonly<Record<L, string>>;

export interface Summary<L extends string> extends Movable {
  observe(labels: SummaryLabels<L>, value: number): void;
  /**
   * Returns a function that adds values with these labels, without looking up the labels each time. `at` is the current
   * time as `nowMs` gives it, for a caller that has just read it.
   */
  of(labels: SummaryLabels<L>): (value: number, at?: number) => void;
}

export interface SummaryOptions<L extends string> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly L[];
  readonly quantiles: readonly number[];
  /**
   * Length in milliseconds of the window of time that quantiles cover. Older values count only in the sum and the
   * count. Labels without newer values are removed.
   */
  readonly windowMs: number;
  /** Number of steps into which the window of time is divided. The values of a step leave the window together. */
  readonly steps: number;
  /** Returns the time of a monotonic clock in milliseconds. */
  readonly nowMs: () => number;
}

/** Factor by which the border of a bucket exceeds that of the previous bucket. */
const growth = 1.02;
const scale = 1 / Math.log(growth);
/** Upper border of the lowest bucket. Smaller values count as zero. */
const smallest = 1e-9;
const zeroBucket = Number.NEGATIVE_INFINITY;

/**
 * Number of values that are collected before they are sorted into buckets. Sorting each value at once, between other
 * work, would cost several times as much.
 */
const mostUncounted = 32;

/** The counts of the buckets for one step of the window of time. */
class Step {
  readonly number: number;
  private readonly counted = new Map<number, number>();
  private readonly uncounted = new Float64Array(mostUncounted);
  private uncountedLength = 0;

  constructor(number: number) {
    this.number = number;
  }

  add(value: number): void {
    this.uncounted[this.uncountedLength++] = value;
    if (this.uncountedLength === mostUncounted) this.count();
  }

  /** Adds the bucket counts of another step (part of the window of time) to the counts of this step. */
  addCounts(counts: ReadonlyMap<number, number>): void {
    for (const [bucket, hits] of counts) this.counted.set(bucket, (this.counted.get(bucket) ?? 0) + hits);
  }

  get counts(): ReadonlyMap<number, number> {
    this.count();
    return this.counted;
  }

  private count(): void {
    for (const value of this.uncounted.subarray(0, this.uncountedLength)) {
      const bucket = value <= smallest ? zeroBucket : Math.ceil(Math.log(value) * scale);
      this.counted.set(bucket, (this.counted.get(bucket) ?? 0) + 1);
    }
    this.uncountedLength = 0;
  }
}

interface Series<L extends string> {
  readonly labels: SummaryLabels<L>;
  /** Steps of the window of time that have values, oldest first. */
  steps: Step[];
  sum: number;
  count: number;
  /**
   * Whether this series (the values of one set of labels) was removed from the metric. The next value then begins a new
   * series.
   */
  isOver: boolean;
}

export function createSummary<L extends string>(registry: Registry, options: SummaryOptions<L>): Summary<L> {
  const { name, help, labelNames, quantiles, steps, nowMs } = options;
  const stepMs = options.windowMs / steps;
  const all = new Map<string, Series<L>>();
  const stepNow = (at = nowMs()) => Math.floor(at / stepMs);

  const prune = (series: Series<L>, now: number) => {
    series.steps = series.steps.filter(({ number }) => now - number < steps);
  };

  const values = () => {
    const now = stepNow();
    const rows: { metricName?: string; labels: Record<string, string | number>; value: number }[] = [];
    for (const [key, series] of all) {
      prune(series, now);
      if (series.steps.length === 0) {
        all.delete(key);
        series.isOver = true;
        continue;
      }
      const { labels, sum, count } = series;
      const found = quantilesOf(series.steps, quantiles);
      for (const [at, quantile] of quantiles.entries())
        rows.push({ labels: { quantile, ...labels }, value: found[at] });
      rows.push({ metricName: `${name}_sum`, labels, value: sum });
      rows.push({ metricName: `${name}_count`, labels, value: count });
    }
    return rows;
  };

  const type = "summary";
  const metric = { name, help, type, labelNames, get: async () => ({ name, help, type, values: values() }) };
  // The registry of prom-client uses only the name and the function `get` of a metric, so this object needs nothing
  // else.
  registry.registerMetric(metric as unknown as RegisteredMetric<L>);

  const seriesOf = (labels: SummaryLabels<L>): Series<L> => {
    let key = "";
    for (const label of labelNames) key += `${labels[label]}\n`;
    let series = all.get(key);
    if (series === undefined) {
      all.set(key, (series = { labels: { ...labels }, steps: [], sum: 0, count: 0, isOver: false }));
    }
    return series;
  };

  const newestStep = (series: Series<L>, at?: number): Step => {
    const number = stepNow(at);
    let step = series.steps.at(-1);
    if (step?.number !== number) {
      prune(series, number);
      step = new Step(number);
      series.steps.push(step);
    }
    return step;
  };

  /**
   * Returns the step (part of the window of time) with this number. When the series has no such step yet, inserts it in
   * order.
   */
  const earlierStep = (series: Series<L>, number: number): Step => {
    const at = series.steps.findLastIndex((step) => step.number <= number);
    let step = series.steps[at];
    if (step?.number !== number) {
      step = new Step(number);
      series.steps.splice(at + 1, 0, step);
    }
    return step;
  };

  const add = (series: Series<L>, value: number, at?: number) => {
    newestStep(series, at).add(value);
    series.sum += value;
    series.count++;
  };

  return {
    observe: (labels, value) => add(seriesOf(labels), value),
    of: (labels) => {
      let series = seriesOf(labels);
      return (value, at) => {
        if (series.isOver) series = seriesOf(labels);
        add(series, value, at);
      };
    },
    moved: () => {
      const now = stepNow();
      const rows: Row<L>[] = [];
      for (const series of all.values()) {
        const { labels, sum, count } = series;
        if (count === 0) continue;
        rows.push({
          labels,
          sum,
          count,
          steps: series.steps.map(({ number, counts }) => ({ ago: now - number, counts })),
        });
        Object.assign(series, { steps: [], sum: 0, count: 0 });
      }
      return rows;
    },
    take: (rows) => {
      for (const { labels, sum, count, steps: moved } of rows as readonly Row<L>[]) {
        const series = seriesOf(labels);
        series.sum += sum;
        series.count += count;
        const now = stepNow();
        for (const { ago, counts } of moved) {
          if (ago >= steps) continue;
          earlierStep(series, now - ago).addCounts(counts);
        }
      }
    },
  };
}

/**
 * A series (the values of one set of labels) in the form in which it is transferred to another process. `ago` is the
 * age of a step (a part of the window of time), as a number of steps.
 */
interface Row<L extends string> extends Pick<Series<L>, "labels" | "sum" | "count"> {
  readonly steps: readonly { readonly ago: number; readonly counts: ReadonlyMap<number, number> }[];
}

function quantilesOf(steps: readonly Step[], quantiles: readonly number[]): number[] {
  const merged = new Step(0);
  for (const { counts } of steps) merged.addCounts(counts);
  const sorted = [...merged.counts].sort(([a], [b]) => a - b);
  const total = sorted.reduce((sum, [, hits]) => sum + hits, 0);
  return quantiles.map((quantile) => {
    const rank = quantile * (total - 1);
    let seen = 0;
    for (const [bucket, hits] of sorted) {
      seen += hits;
      if (seen > rank) return middleOf(bucket);
    }
    return 0;
  });
}

/** Returns the value in a bucket that has the same relative distance to both borders of the bucket. */
function middleOf(bucket: number): number {
  return bucket === zeroBucket ? 0 : (2 * growth ** bucket) / (growth + 1);
}
