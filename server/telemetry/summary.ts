// A summary metric (quantiles, sum and count). Adding a value costs only a few additions, because the values are
// counted in buckets (buckets.ts). So a quantile differs from the exact one by at most 1 %. The summary of the
// package prom-client sorts every value into several trees, which costs more than all other work of a small
// write (request that brings points). Quantiles cover a window of time, which is divided into steps; the values
// of the oldest step are dropped together.

import type { Summary as RegisteredMetric, Registry } from "prom-client";
import { BucketCounts, middleOf } from "./buckets.ts";
import type { Movable } from "./metrics-transfer.ts";

export type SummaryLabels<L extends string> = Readonly<Record<L, string>>;

export interface Summary<L extends string> extends Movable {
  observe(labels: SummaryLabels<L>, value: number): void;
  /**
   * Returns a function that adds values with the given labels, without looking up the labels each time. `at` is
   * the current time, as the option `nowMs` returns it. A caller that has just read the clock passes `at`, so that
   * the function need not read the clock again.
   */
  of(labels: SummaryLabels<L>): (value: number, at?: number) => void;
}

export interface SummaryOptions<L extends string> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly L[];
  readonly quantiles: readonly number[];
  /**
   * Length in milliseconds of the window of time: the quantiles cover the values of the last `windowMs` milliseconds.
   * Older values count only in the sum and the count. Labels without newer values are removed.
   */
  readonly windowMs: number;
  /** Number of steps into which the window of time is divided. The values of a step leave the window together. */
  readonly steps: number;
  /** Returns the current time of a monotonic clock in milliseconds. */
  readonly nowMs: () => number;
}

/** A step (a part of the window of time that the quantiles cover), with the number of values in each bucket. */
interface Step {
  readonly number: number;
  readonly counts: BucketCounts;
}

const newStep = (number: number): Step => ({ number, counts: new BucketCounts() });

/** The values of one set of labels. `window`: the number of steps in the window of time that the quantiles cover. */
class Series<L extends string> {
  readonly labels: SummaryLabels<L>;
  /**
   * Whether this series (the values of one set of labels) was removed from the metric. The next value then begins a new
   * series.
   */
  isOver = false;
  private readonly window: number;
  /** Steps (parts of the window of time that the quantiles cover) that have values, oldest first. */
  private steps: Step[] = [];
  private sum = 0;
  private count = 0;

  constructor(labels: SummaryLabels<L>, window: number) {
    this.labels = labels;
    this.window = window;
  }

  /**
   * Adds a value to the current step (part of the window of time that the quantiles cover). `now`: the number of this
   * step.
   */
  add(value: number, now: number): void {
    let step = this.steps.at(-1);
    if (step?.number !== now) {
      this.prune(now);
      step = newStep(now);
      this.steps.push(step);
    }
    step.counts.addValue(value);
    this.sum += value;
    this.count++;
  }

  /**
   * Removes the steps that are too old for the window of time that the quantiles cover. Returns whether steps remain.
   * `now`: the number of the current step.
   */
  prune(now: number): boolean {
    this.steps = this.steps.filter(({ number }) => now - number < this.window);
    return this.steps.length > 0;
  }

  /** Returns the values of the metric `name` for the given series, in the form that prom-client takes. */
  values(name: string, quantiles: readonly number[]): MetricValue[] {
    const { labels } = this;
    const found = quantilesOf(this.steps, quantiles);
    return [
      ...quantiles.map((quantile, at) => ({ labels: { quantile, ...labels }, value: found[at]! })),
      { metricName: `${name}_sum`, labels, value: this.sum },
      { metricName: `${name}_count`, labels, value: this.count },
    ];
  }

  /**
   * Removes all values of this series from it and returns them, so that they can be sent to another process;
   * undefined when there are none.
   */
  move(now: number): Row<L> | undefined {
    const { labels, sum, count } = this;
    if (count === 0) return undefined;
    const steps = this.steps.map(({ number, counts }) => ({ ago: now - number, counts: counts.entries() }));
    this.steps = [];
    this.sum = 0;
    this.count = 0;
    return { labels, sum, count, steps };
  }

  /**
   * Adds values of this series that another process has sent. The method `move` has removed these values from the
   * series of the other process.
   */
  take({ sum, count, steps }: Row<L>, now: number): void {
    this.sum += sum;
    this.count += count;
    for (const { ago, counts } of steps) if (ago < this.window) addAll(this.earlierStep(now - ago).counts, counts);
  }

  /**
   * Returns the step (part of the window of time that the quantiles cover) with the given number. When the series has
   * no such step yet, creates the step and inserts it in order.
   */
  private earlierStep(number: number): Step {
    const at = this.steps.findLastIndex((step) => step.number <= number);
    let step = this.steps[at];
    if (step?.number !== number) {
      step = newStep(number);
      this.steps.splice(at + 1, 0, step);
    }
    return step;
  }
}

type BucketEntries = ReturnType<BucketCounts["entries"]>;

function addAll(counts: BucketCounts, more: BucketEntries): void {
  for (const [bucket, count] of more) counts.add(bucket, count);
}

interface MetricValue {
  readonly metricName?: string;
  readonly labels: Record<string, string | number>;
  readonly value: number;
}

/**
 * The values of one set of labels, in the form in which they are sent to another process. A summary divides its window
 * of time into steps; `ago` says how many steps ago the values of a step were counted.
 */
interface Row<L extends string> {
  readonly labels: SummaryLabels<L>;
  readonly sum: number;
  readonly count: number;
  readonly steps: readonly { readonly ago: number; readonly counts: BucketEntries }[];
}

export function createSummary<L extends string>(registry: Registry, options: SummaryOptions<L>): Summary<L> {
  const { name, help, labelNames, quantiles, steps, nowMs } = options;
  const stepMs = options.windowMs / steps;
  const all = new Map<string, Series<L>>();
  const stepNow = (at = nowMs()) => Math.floor(at / stepMs);

  const seriesOf = (labels: SummaryLabels<L>): Series<L> => {
    let key = "";
    for (const label of labelNames) key += `${labels[label]}\n`;
    let series = all.get(key);
    if (series === undefined) all.set(key, (series = new Series({ ...labels }, steps)));
    return series;
  };

  const values = () => {
    const now = stepNow();
    for (const [key, series] of all) {
      if (series.prune(now)) continue;
      all.delete(key);
      series.isOver = true;
    }
    return Array.from(all.values(), (series) => series.values(name, quantiles)).flat();
  };

  const type = "summary";
  const metric = { name, help, type, labelNames, get: async () => ({ name, help, type, values: values() }) };
  // The registry of the package prom-client uses only the name and the function `get` of a metric, so this object
  // has no other members.
  registry.registerMetric(metric as unknown as RegisteredMetric<L>);

  return {
    observe: (labels, value) => seriesOf(labels).add(value, stepNow()),
    of: (labels) => {
      let series = seriesOf(labels);
      return (value, at) => {
        if (series.isOver) series = seriesOf(labels);
        series.add(value, stepNow(at));
      };
    },
    moved: () => {
      const now = stepNow();
      return Array.from(all.values(), (series) => series.move(now)).filter((row) => row !== undefined);
    },
    take: (rows) => {
      const now = stepNow();
      for (const row of rows as readonly Row<L>[]) seriesOf(row.labels).take(row, now);
    },
  };
}

function quantilesOf(steps: readonly Step[], quantiles: readonly number[]): number[] {
  const merged = new BucketCounts();
  for (const { counts } of steps) addAll(merged, counts.entries());
  const sorted = merged.entries().toSorted(([a], [b]) => a - b);
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
