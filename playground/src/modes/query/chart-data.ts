// Turns an answer into what a chart draws: one value, bars by group, or lines over time.

import type { Cell, CellSeries } from "../../worker/query-run/asking.ts";

export interface TimePoint {
  /** Time in milliseconds since 1970. */
  readonly x: number;
  readonly y: number;
}

export interface Line {
  readonly label: string;
  /** The points, the oldest first. */
  readonly points: readonly TimePoint[];
}

export interface Bar {
  readonly label: string;
  readonly value: number;
}

export type ChartData =
  | { readonly kind: "none"; readonly reason: string }
  | { readonly kind: "value"; readonly label: string; readonly text: string }
  | { readonly kind: "bars"; readonly bars: readonly Bar[]; readonly all: number }
  | { readonly kind: "time"; readonly lines: readonly Line[]; readonly all: number };

/** Largest number of lines and of bars that are drawn. */
export const mostLines = 16;
export const mostBars = 40;

export function chartOf(series: readonly CellSeries[]): ChartData {
  const isNumber = ({ kind }: Cell) => kind === "int" || kind === "float";
  const parts = series.flatMap((each) =>
    each.columns.flatMap((column, at) => {
      if (column === "time" || !each.rows.some((row) => isNumber(row[at]!))) return [];
      return [{ series: each, column, at }];
    }),
  );
  if (parts.length === 0)
    return { kind: "none", reason: "A chart needs a column of numbers, such as count(*) or avg of a field." };
  const columns = new Set(parts.map(({ column }) => column));
  const names = new Set(parts.map((part) => part.series.name));
  const label = (of: CellSeries, column: string) =>
    [
      ...(names.size > 1 && of.name !== null ? [of.name] : []),
      ...of.tags.map(([, value]) => (value === "" ? "(empty)" : value)),
      ...(columns.size > 1 || (of.tags.length === 0 && names.size === 1) ? [column] : []),
    ].join(" · ");
  if (series.every(({ rows }) => rows.length <= 1)) {
    const bars = parts.flatMap(({ series: of, column, at }) => {
      const [row] = of.rows;
      return row !== undefined && isNumber(row[at]!)
        ? [{ label: label(of, column), value: Number(row[at]!.text) }]
        : [];
    });
    const [only] = parts;
    if (parts.length === 1 && only!.series.tags.length === 0)
      return { kind: "value", label: only!.column, text: only!.series.rows[0]![only!.at]!.text };
    return { kind: "bars", bars: bars.slice(0, mostBars), all: bars.length };
  }
  const lines = parts.map(({ series: of, column, at }): Line => {
    const time = of.columns.indexOf("time");
    const points = of.rows.flatMap((row): TimePoint[] => {
      const [x, y] = [Number(row[time]?.text || Number.NaN), row[at]!];
      return Number.isFinite(x) && isNumber(y) && Number.isFinite(Number(y.text)) ? [{ x, y: Number(y.text) }] : [];
    });
    return { label: label(of, column), points: points.sort((a, b) => a.x - b.x) };
  });
  const drawn = lines.filter(({ points }) => points.length > 0);
  if (drawn.length === 0) return { kind: "none", reason: "The rows have no times, so there is nothing to draw." };
  return { kind: "time", lines: drawn.slice(0, mostLines), all: drawn.length };
}

/** Returns about `count` round numbers between `low` and `high`, for the labels of an axis. */
export function ticksOf(low: number, high: number, count: number): number[] {
  const rough = (high - low) / Math.max(1, count);
  if (!(rough > 0) || !Number.isFinite(rough)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough * 0.999)!;
  const ticks: number[] = [];
  for (let at = Math.ceil(low / step); at * step <= high + step * 1e-9; at++)
    ticks.push(Number((at * step).toPrecision(12)));
  return ticks;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const steps = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((each) => each * second),
  ...[1, 2, 5, 10, 15, 30].map((each) => each * minute),
  ...[1, 2, 3, 6, 12].map((each) => each * hour),
  ...[1, 2, 7, 14, 30, 90, 365].map((each) => each * day),
];

/** Returns about `count` times on whole seconds, minutes, hours or days in UTC. */
export function timeTicksOf(low: number, high: number, count: number): number[] {
  const rough = (high - low) / Math.max(1, count);
  const step = steps.find((each) => each >= rough) ?? Math.ceil(rough / (365 * day)) * 365 * day;
  const ticks: number[] = [];
  for (let at = Math.ceil(low / step) * step; at <= high; at += step) ticks.push(at);
  return ticks;
}

/** Returns a time in UTC for a label of the axis. A longer `range` gives fewer details, such as only the date. */
export function timeLabel(ms: number, range: number): string {
  const iso = new Date(ms).toISOString();
  if (range >= 2 * day) return iso.slice(0, 10);
  if (range >= 10 * minute) return iso.slice(11, 16);
  return range >= 10 * second ? iso.slice(11, 19) : iso.slice(11, 23);
}

/** Returns a number with at most six digits. */
export function numberLabel(value: number): string {
  if (value !== 0 && (Math.abs(value) >= 1e12 || Math.abs(value) < 1e-4)) return value.toExponential(2);
  return value.toLocaleString("en", { maximumSignificantDigits: Math.abs(value) >= 1e5 ? 12 : 6 });
}
