// Transfers metrics from a process to another one that shows them. The counts since the last transfer are handed over
// and reset to zero, so no count arrives twice, whatever happens to the process.

import type { Counter, Gauge } from "prom-client";

export interface Movable {
  /**
   * Returns the changes since the last call, one row for each series, for `take` of the same metric in another process.
   * Resets counts to zero.
   */
  moved(): readonly unknown[] | Promise<readonly unknown[]>;
  take(rows: readonly unknown[]): void;
}

/** Rows by metric name; metrics without rows are left out. */
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

/** Makes a counter of prom-client movable. */
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

/** Makes a gauge of prom-client movable whose values are times of events. The last transferred value wins. */
export function movableTimes<L extends string>(gauge: Gauge<L>): Movable {
  /** The time that was moved last, for each series. */
  const told = new Map<string, number>();
  return {
    moved: async () => {
      const { values } = await gauge.get();
      const rows = values.filter(({ labels, value }) => told.get(JSON.stringify(labels)) !== value);
      for (const { labels, value } of rows) told.set(JSON.stringify(labels), value);
      return rows.map(({ labels, value }) => ({ labels, value }));
    },
    take: (rows) => {
      for (const { labels, value } of rows as { labels: Record<L, string>; value: number }[]) gauge.set(labels, value);
    },
  };
}
