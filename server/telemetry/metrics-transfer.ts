// Transfers metrics from the process that counts them to the process that shows them at /metrics. The counting
// process resets each count to zero when it sends the count. So the showing process never adds a count twice,
// even if the counting process crashes.

import type { Counter, Gauge } from "prom-client";

export interface Movable {
  /**
   * Returns the changes since the previous call, one row for each set of labels, and resets counts to zero. The rows
   * are for the function `take` of the same metric in another process.
   */
  moved(): readonly unknown[] | Promise<readonly unknown[]>;
  take(rows: readonly unknown[]): void;
}

/**
 * The changed values of all metrics: the rows of each metric, by the metric's name. Metrics without rows are left out.
 */
export type TransferredMetrics = Readonly<Record<string, readonly unknown[]>>;

export async function moveAll(metrics: ReadonlyMap<string, Movable>): Promise<TransferredMetrics> {
  const moved: Record<string, readonly unknown[]> = {};
  for (const [name, metric] of metrics) {
    const rows = await metric.moved();
    if (rows.length > 0) moved[name] = rows;
  }
  return moved;
}

export function takeAll(metrics: ReadonlyMap<string, Movable>, moved: TransferredMetrics): void {
  for (const [name, rows] of Object.entries(moved)) metrics.get(name)?.take(rows);
}

/** Makes a counter of the package prom-client transferable to another process. */
export function movableCounter<L extends string>(counter: Counter<L>): Movable {
  return {
    moved: async () => {
      const { values } = await counter.get();
      const rows = values.filter(({ value }) => value !== 0).map(({ labels, value }) => ({ labels, value }));
      for (const { labels } of rows) counter.remove(labels);
      return rows;
    },
    take: (rows) => {
      for (const { labels, value } of rows as { labels: Record<L, string>; value: number }[])
        counter.inc(labels, value);
    },
  };
}

/**
 * Makes a gauge of the package prom-client transferable to another process. The values of the gauge are times of
 * events. When the other process receives a value, this value replaces the earlier one.
 */
export function movableTimes<L extends string>(gauge: Gauge<L>): Movable {
  /** For each set of labels, the value that was last transferred to another process. */
  const transferred = new Map<string, number>();
  return {
    moved: async () => {
      const { values } = await gauge.get();
      const rows = values.filter(({ labels, value }) => transferred.get(JSON.stringify(labels)) !== value);
      for (const { labels, value } of rows) transferred.set(JSON.stringify(labels), value);
      return rows.map(({ labels, value }) => ({ labels, value }));
    },
    take: (rows) => {
      for (const { labels, value } of rows as { labels: Record<L, string>; value: number }[]) gauge.set(labels, value);
    },
  };
}
