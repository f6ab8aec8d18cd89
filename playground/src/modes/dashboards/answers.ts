// Turns the answers to a chart's queries into the lines, bars, value or table that the chart draws.

import type { Zone } from "../../../../lib/time/index.ts";
import { type ChartLine, unitText } from "../../panes/charts/chart-lines.ts";
import type { Answer, Series } from "../../panes/dashboards/api.ts";
import { zonedMsText } from "../../panes/time/zoned-time.ts";
import { t } from "../../text/translate.ts";

/** Largest numbers of lines, bars and rows that a chart shows. */
export const mostLines = 24;
export const mostBars = 50;
export const mostRows = 500;

/** The first lines or bars of the answers, which the chart shows, and the number of all lines or bars. */
export interface Shown<T> {
  readonly shown: readonly T[];
  readonly all: number;
}

export interface Bar {
  readonly label: string;
  readonly value: number;
}

const firstOf = <T>(all: readonly T[], most: number): Shown<T> => ({ shown: all.slice(0, most), all: all.length });
const seriesOf = (answers: readonly Answer[]): readonly Series[] => answers.flatMap(({ series }) => series);

function numberOf(value: unknown): number | null {
  if (typeof value === "bigint") return Number(value);
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** One column of numbers in a series of an answer. `label`: a text that no other column of the chart has. */
interface Part {
  readonly series: Series;
  readonly at: number;
  readonly label: string;
}

function partsOf(series: readonly Series[]): readonly Part[] {
  const found = series.flatMap((each) =>
    each.columns.flatMap((column, at) =>
      column !== "time" && each.values.some((row) => numberOf(row[at]) !== null) ? [{ series: each, at, column }] : [],
    ),
  );
  const columns = new Set(found.map(({ column }) => column));
  const names = new Set(found.map((part) => part.series.name ?? ""));
  return found.map(({ series: own, at, column }) => {
    const tags = tagTexts(own);
    const hasColumn = columns.size > 1 || tags.length === 0;
    return {
      series: own,
      at,
      label: [...(names.size > 1 && own.name ? [own.name] : []), ...tags, ...(hasColumn ? [column] : [])].join(" · "),
    };
  });
}

function tagTexts({ tags }: Series): string[] {
  return Object.values(tags ?? {}).map((value) => (value === "" || value === null ? t("(empty)") : value));
}

/**
 * Returns the lines of a chart over time. A label that was used already, say by another query, gets a number: `label
 * (2)`.
 */
export function linesOf(answers: readonly Answer[]): Shown<ChartLine> {
  const seen = new Map<string, number>();
  const lines = partsOf(seriesOf(answers)).map(({ series, at, label }): ChartLine => {
    const time = series.columns.indexOf("time");
    const points = series.values.flatMap((row) => {
      const [x, y] = [numberOf(row[time]), numberOf(row[at])];
      return x === null || y === null ? [] : [{ x, y }];
    });
    const count = (seen.get(label) ?? 0) + 1;
    seen.set(label, count);
    return { label: count === 1 ? label : `${label} (${count})`, points: points.sort((a, b) => a.x - b.x) };
  });
  return firstOf(
    lines.filter(({ points }) => points.length > 0),
    mostLines,
  );
}

/**
 * Returns one bar for each group, the largest first. A series with tags and without columns of text becomes one
 * bar, which shows the newest number of the series. In any other series, each row becomes a bar.
 */
export function barsOf(answers: readonly Answer[]): Shown<Bar> {
  const series = seriesOf(answers);
  const bars = partsOf(series).flatMap(({ series: own, at, label }): Bar[] => {
    const names = own.columns.flatMap((column, index) =>
      column !== "time" && own.values.some((row) => typeof row[index] === "string") ? [index] : [],
    );
    const rows = Object.keys(own.tags ?? {}).length > 0 && names.length === 0 ? newestRow(own, at) : own.values;
    return rows.flatMap((row) => {
      const value = numberOf(row[at]);
      const text = names.length === 0 ? label : names.map((index) => String(row[index] ?? t("(empty)"))).join(" · ");
      return value === null ? [] : [{ label: text, value }];
    });
  });
  return firstOf(
    bars.sort((a, b) => b.value - a.value),
    mostBars,
  );
}

function newestRow({ columns, values }: Series, at: number): readonly (readonly unknown[])[] {
  const time = columns.indexOf("time");
  const rows = values.filter((row) => numberOf(row[at]) !== null);
  const [newest] = rows.toSorted((a, b) => (numberOf(b[time]) ?? 0) - (numberOf(a[time]) ?? 0));
  return newest === undefined ? [] : [newest];
}

export interface SingleValue {
  readonly text: string;
  /** The unit that the page shows after `text`, such as `MB`; empty for none. */
  readonly unit: string;
  readonly label: string;
}

/**
 * Returns the newest number of the first series that has numbers. When no series has numbers, returns the first value
 * of another type as text; null when there is no value at all.
 */
export function singleValueOf(answers: readonly Answer[], unit = ""): SingleValue | null {
  const series = seriesOf(answers);
  const [part] = partsOf(series);
  if (part !== undefined) {
    const [row] = newestRow(part.series, part.at);
    const value = row?.[part.at];
    if (typeof value === "bigint") return { text: value.toLocaleString("en"), unit, label: part.label };
    const [text = "", shown = ""] = unitText(numberOf(value)!, unit).split(" ");
    return { text, unit: shown, label: part.label };
  }
  for (const { columns, values } of series)
    for (const [at, column] of columns.entries()) {
      const value = values.find((row) => row[at] !== null && row[at] !== undefined)?.[at];
      if (column !== "time" && value !== undefined) return { text: cellText(value), unit: "", label: column };
    }
  return null;
}

export interface Grid {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  /** Number of all rows of the answers, including the rows that are left out of `rows`. */
  readonly all: number;
}

/** Returns all series as one table. Its first columns are the measurement, when there are several, and the tags. */
export function gridOf(answers: readonly Answer[]): Grid {
  const series = seriesOf(answers);
  const hasName = new Set(series.map(({ name }) => name ?? "")).size > 1;
  const tags = [...new Set(series.flatMap((each) => Object.keys(each.tags ?? {})))];
  const named = [...new Set(series.flatMap(({ columns }) => columns))].filter((name) => !tags.includes(name));
  // An aggregate over the whole range has rows without a time. The column of times is then left out.
  const columns = named.filter(
    (name) =>
      name !== "time" || series.some((each) => each.values.some((row) => row[each.columns.indexOf("time")] != null)),
  );
  const all = series.reduce((sum, { values }) => sum + values.length, 0);
  const rows: (readonly unknown[])[] = [];
  for (const each of series) {
    const first = [...(hasName ? [each.name ?? null] : []), ...tags.map((tag) => each.tags?.[tag] ?? null)];
    const places = columns.map((column) => each.columns.indexOf(column));
    for (const row of each.values) {
      if (rows.length === mostRows) break;
      rows.push([...first, ...places.map((at) => (at < 0 ? null : row[at]))]);
    }
  }
  return { columns: [...(hasName ? ["measurement"] : []), ...tags, ...columns], rows, all };
}

/**
 * Returns the text of a value. With a zone, a number is a time in milliseconds since 1970, shown in this zone; without
 * one it is a plain number.
 */
export function cellText(value: unknown, zone: Zone | null = null): string {
  if (value === null || value === undefined) return "–";
  if (zone !== null && typeof value === "number") return zonedMsText(value, zone);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
