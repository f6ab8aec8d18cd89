// Helpers for the blocks of the status display: they group the values of metrics from /metrics, and write
// numbers in a form that people can read easily.

import { formatDuration } from "../../config/go-duration.ts";
import type { Sample } from "./samples.ts";

export interface MetricsSnapshot {
  readonly samples: readonly Sample[];
  /** Time when the samples were taken, on a monotonic clock, in milliseconds. */
  readonly at: number;
}

/** The parts of the agent's state (such as inputs or queues) that can be shown, by name, with a short name for each. */
export const modules = {
  basic: "B",
  io_stats: "IO",
  inputs: "In",
  wal: "WAL",
  gateway: "W",
  pipeline: "P",
  http: "H",
  errors: "E",
} as const;

export type Module = keyof typeof modules;

export interface Block {
  readonly module: Module;
  readonly title?: string;
  /**
   * Rows of the table; the first row contains the column names. The first column contains text, the other columns
   * mostly numbers.
   */
  readonly table?: readonly (readonly string[])[];
  /**
   * Lines of text that the status display shows below the table of a block. (A block is a part of the display: a title,
   * lines and a table.)
   */
  readonly lines?: readonly string[];
}

type Labels = Readonly<Record<string, string>>;

export interface Group {
  readonly labels: Labels;
  readonly total: number;
  /**
   * Growth of the count `total` per second since the previous snapshot of the metrics; undefined when there is no
   * previous snapshot.
   */
  readonly rate: number | undefined;
}

export interface View {
  /**
   * Groups the samples of the metric `name` by the values of the labels `by`, and returns the sum of each group. The
   * groups are sorted.
   */
  groups(name: string, by: readonly string[], only?: Labels): Group[];
  sum(name: string, only?: Labels): number;
  /** Returns the largest value of a metric's samples; 0 when there are none. */
  most(name: string, only?: Labels): number;
  first(name: string): Sample | undefined;
}

export function viewOf(snapshot: MetricsSnapshot, before: MetricsSnapshot | undefined): View {
  const seconds = before === undefined ? 0 : (snapshot.at - before.at) / 1000;
  const matches = (sample: Sample, name: string, only: Labels) =>
    sample.name === name && Object.entries(only).every(([label, value]) => sample.labels[label] === value);
  const totals = (samples: readonly Sample[], name: string, by: readonly string[], only: Labels) => {
    const sums = new Map<string, { labels: Labels; total: number }>();
    for (const sample of samples) {
      if (!matches(sample, name, only)) continue;
      const labels = Object.fromEntries(by.map((label) => [label, sample.labels[label] ?? ""]));
      const key = JSON.stringify(labels);
      const sum = sums.get(key) ?? { labels, total: 0 };
      sums.set(key, sum);
      sum.total += sample.value;
    }
    return sums;
  };
  const groups: View["groups"] = (name, by, only = {}) => {
    const earlier = before === undefined ? undefined : totals(before.samples, name, by, only);
    return [...totals(snapshot.samples, name, by, only)]
      .map(([key, { labels, total }]) => ({
        labels,
        total,
        // When a counter is smaller than in the previous snapshot, it was reset in between. Its growth is then shown as
        // 0.
        rate:
          earlier === undefined || seconds <= 0
            ? undefined
            : Math.max(0, total - (earlier.get(key)?.total ?? 0)) / seconds,
      }))
      .sort((a, b) => (JSON.stringify(a.labels) < JSON.stringify(b.labels) ? -1 : 1));
  };
  return {
    groups,
    sum: (name, only = {}) => groups(name, [], only)[0]?.total ?? 0,
    most: (name, only = {}) =>
      snapshot.samples.reduce((most, each) => (matches(each, name, only) ? Math.max(most, each.value) : most), 0),
    first: (name) => snapshot.samples.find((sample) => sample.name === name),
  };
}

/** Returns a block (a part of the status display) with a table; undefined when the table has no rows. */
export function section(
  module: Module,
  title: string,
  columns: readonly string[],
  groups: readonly Group[],
  row: (group: Group) => readonly string[],
): Block | undefined {
  return groups.length === 0 ? undefined : { module, title, table: [columns, ...groups.map(row)] };
}

export function count(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

export function rateText(rate: number | undefined): string {
  if (rate === undefined) return "-";
  return rate < 10 ? rate.toFixed(1) : count(rate);
}

export function bytesText(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let at = 0;
  while (bytes >= 1024 && at < units.length - 1) {
    bytes /= 1024;
    at++;
  }
  return `${at === 0 ? bytes : bytes.toFixed(1)} ${units[at]}`;
}

export function secondsText(seconds: number): string {
  if (Number.isNaN(seconds)) return "-";
  return seconds < 1 ? `${(seconds * 1000).toFixed(seconds < 0.01 ? 2 : 0)}ms` : `${seconds.toFixed(1)}s`;
}

/** Returns a time in ISO 8601. `seconds` is the time in seconds since 1970. */
export function timeText(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}

export function ageText(seconds: number): string {
  return formatDuration(BigInt(Math.max(0, Math.round(seconds))) * 1_000_000_000n);
}
