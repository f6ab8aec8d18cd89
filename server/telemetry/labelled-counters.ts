// Counters and gauges whose series (the values of one set of labels) are looked up once and then changed directly. The
// package prom-client builds and checks a key of the labels at each change, which takes a considerable part of the time
// of a small write (request that brings points).

import type { Metric, Registry } from "prom-client";
import type { Movable } from "./metrics-transfer.ts";

/** The current value of a metric for one set of labels. */
export interface Series {
  value: number;
}

export interface Tally<L extends string> extends Movable {
  /**
   * Returns the series (the value for one set of labels) with these labels. Creates the series when it is missing. The
   * series can be used as long as the metric exists.
   */
  of(labels: Readonly<Record<L, string>>): Series;
}

export interface TallyOptions<L extends string> {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge";
  readonly labelNames: readonly L[];
  /**
   * Whether a smaller value is ignored. Set for a gauge whose values come from another process, since a smaller value
   * may be an older one.
   */
  readonly onlyGrows?: boolean;
}

export function createTally<L extends string>(registry: Registry, options: TallyOptions<L>): Tally<L> {
  const { name, help, type, labelNames, onlyGrows = false } = options;
  const all = new Map<string, Series & { readonly labels: Readonly<Record<L, string>> }>();
  const values = () => Array.from(all.values(), ({ labels, value }) => ({ labels, value }));
  const metric = { name, help, type, labelNames, get: async () => ({ name, help, type, values: values() }) };
  // The registry of the package prom-client uses only those members of a metric that this object has. So the
  // object does not need all members of prom-client's type `Metric`.
  registry.registerMetric(metric as unknown as Metric<L>);
  const of = (labels: Readonly<Record<L, string>>): Series => {
    let key = "";
    for (const label of labelNames) key += `${labels[label]}\n`;
    let series = all.get(key);
    if (series === undefined) all.set(key, (series = { labels: { ...labels }, value: 0 }));
    return series;
  };
  // A metric without labels has a single value. This value is created at once, so that /metrics shows 0 before the
  // first change.
  if (labelNames.length === 0) of({} as Record<L, string>);
  /**
   * For a gauge: the values that were last transferred to another process, by series (set of labels). A value is
   * transferred again only when it has changed.
   */
  const transferred = new Map<string, number>();
  return {
    of,
    moved: () => {
      const rows = [];
      for (const [key, series] of all) {
        const { labels, value } = series;
        if (value === (type === "counter" ? 0 : (transferred.get(key) ?? 0))) continue;
        rows.push({ labels, value });
        if (type === "counter") series.value = 0;
        else transferred.set(key, value);
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
