// Converts the answer to a query into the data of a chart: one value, bars by group, or lines over time.

import { t } from "../../text/translate.ts";
import type { Cell, CellSeries } from "../../worker/query-run/asking.ts";
import type { ChartLine, ChartPoint } from "../charts/chart-lines.ts";

export interface Bar {
  readonly label: string;
  readonly value: number;
}

export type ChartData =
  | { readonly kind: "none"; readonly reason: string }
  | { readonly kind: "value"; readonly label: string; readonly text: string }
  | { readonly kind: "bars"; readonly bars: readonly Bar[]; readonly all: number }
  | { readonly kind: "time"; readonly lines: readonly ChartLine[]; readonly all: number };

/** Largest number of lines, and of bars, in a chart. */
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
    return { kind: "none", reason: t("A chart needs a column of numbers, such as count(*) or avg of a field.") };
  const columns = new Set(parts.map(({ column }) => column));
  const names = new Set(parts.map((part) => part.series.name));
  const label = (of: CellSeries, column: string) =>
    [
      ...(names.size > 1 && of.name !== null ? [of.name] : []),
      ...of.tags.map(([, value]) => (value === "" ? t("(empty)") : value)),
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
  const lines = parts.map(({ series: of, column, at }): ChartLine => {
    const time = of.columns.indexOf("time");
    const points = of.rows.flatMap((row): ChartPoint[] => {
      const [x, y] = [Number(row[time]?.text || Number.NaN), row[at]!];
      return Number.isFinite(x) && isNumber(y) && Number.isFinite(Number(y.text)) ? [{ x, y: Number(y.text) }] : [];
    });
    return { label: label(of, column), points: points.sort((a, b) => a.x - b.x) };
  });
  const drawn = lines.filter(({ points }) => points.length > 0);
  if (drawn.length === 0) return { kind: "none", reason: t("The rows have no times, so there is nothing to draw.") };
  return { kind: "time", lines: drawn.slice(0, mostLines), all: drawn.length };
}

/**
 * Returns lines over time, even when each series has only one time bucket. (The function `chartOf` makes bars by
 * group from such series.)
 */
export function timeLines(series: readonly CellSeries[]): readonly ChartLine[] {
  const data = chartOf(series);
  if (data.kind === "time") return data.lines;
  return series.flatMap(({ tags, columns, rows }) => {
    const [time, at] = [columns.indexOf("time"), columns.findIndex((name) => name !== "time")];
    const points = rows.map((row) => ({ x: Number(row[time]?.text || Number.NaN), y: Number(row[at]?.text) }));
    const label = tags.map(([, value]) => value).join(" · ") || (columns[at] ?? "");
    return [{ label, points: points.filter(({ x, y }) => Number.isFinite(x) && Number.isFinite(y)) }];
  });
}
