// Counters and gauges whose series are asked for once and then changed without looking their labels up: prom-client builds and checks a
// key of the labels each time, which is a good part of what a small write costs.

import type { Metric, Registry } from "prom-client";
import type { Movable } from "./metrics-transfer.ts";

/** One number of a metric. */
export interface Series {
  value: number;
}

export interface Tally<L extends string> extends Movable {
  /** The series of these labels, made when it is not there; good for the life of the metric. */
  of(labels: Readonly<Record<L, string>>): Series;
}

export interface TallyOptions<L extends string> {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge";
  readonly labelNames: readonly L[];
  /** Of a gauge: what another process tells of it may be older than what is known. */
  readonly onlyGrows?: boolean;
}

export function createTally<L extends string>(registry: Registry, options: TallyOptions<L>): Tally<L> {
  const { name, help, type, labelNames, onlyGrows = false } = options;
  const all = new Map<string, Series & { readonly labels: Readonly<Record<L, string>> }>();
  const values = () => Array.from(all.values(), ({ labels, value }) => ({ labels, value }));
  const metric = { name, help, type, labelNames, get: async () => ({ name, help, type, values: values() }) };
  // All that a registry asks of a metric is its name and `get`.
  registry.registerMetric(metric as unknown as Metric<L>);
  const of = (labels: Readonly<Record<L, string>>): Series => {
    let key = "";
    for (const label of labelNames) key += `${labels[label]}\n`;
    let series = all.get(key);
    if (series === undefined) all.set(key, (series = { labels: { ...labels }, value: 0 }));
    return series;
  };
  // One without labels is shown from the first.
  if (labelNames.length === 0) of({} as Record<L, string>);
  /** Of a gauge, what was told of it last. */
  const told = new Map<string, number>();
  return {
    of,
    moved: () => {
      const rows = [];
      for (const [key, series] of all) {
        const { labels, value } = series;
        if (value === (type === "counter" ? 0 : (told.get(key) ?? 0))) continue;
        rows.push({ labels, value });
        if (type === "counter") series.value = 0;
        else told.set(key, value);
      }
      return rows;
    },
    take: (rows) => {
      for (const { labels, value } of rows as readonly (Series & { labels: Record<L, string> })[]) {
        const series = of(labels);
        if (type === "counter") series.value += value;
        else series.value = onlyGrows ? Math.max(series.value, value) : value;
      }
    },
  };
}
