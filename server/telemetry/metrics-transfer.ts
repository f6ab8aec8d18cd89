// Metrics of a process that another one shows: what was counted since the last time is handed over and begins at zero again, so
// that it is counted once whatever becomes of the process.

import type { Counter, Gauge } from "prom-client";

export interface Movable {
  /** What was counted since the last call, a row for each series; for `take` of the same metric in another process. */
  moved(): readonly unknown[] | Promise<readonly unknown[]>;
  take(rows: readonly unknown[]): void;
}

/** Rows by name of the metric; those without any are left out. */
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

/** A counter of prom-client. */
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

/** A gauge of prom-client that holds times at which something happened: the process that says so last is believed. */
export function movableTimes<L extends string>(gauge: Gauge<L>): Movable {
  /** Of each series the time that was moved last. */
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
