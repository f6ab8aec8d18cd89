// Formats answers to DQL queries for people: a table for each series of rows. When a table would be too wide, prints
// one line for each value.

import { escapeControls, escapeLines } from "../../../lib/text/index.ts";
import { displayWidth } from "../terminal/display-width.ts";
import { fits, tableText } from "../terminal/table.ts";

export interface Entry {
  /** The series of rows in the answer; null when the answer is CSV. */
  readonly series: readonly EntrySeries[] | null;
  readonly csv?: string;
  readonly cost: string;
  /** A warning about a probable mistake in the query, or about rows that a default limit cut off. */
  readonly query_warning?: string;
  readonly raw_query?: string;
  /** The number of rows that match the query; the answer may contain fewer rows. */
  readonly total_hits?: number;
}

export interface EntrySeries {
  readonly name?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly columns: readonly string[];
  readonly values: readonly (readonly unknown[])[];
}

/** Returns a printable answer. `width`: columns of the terminal; when it is undefined, nothing is cut. */
export function entryText(entry: Entry, width?: number): string {
  const { cost, raw_query: rawQuery, total_hits: hits = 0 } = entry;
  const series = entry.series ?? [];
  const rows = series.reduce((sum, { values }) => sum + values.length, 0);
  const tables = series.map((each) => `${titleOf(each)}${seriesText(each, width)}\n`);
  const explained = rawQuery === undefined ? "" : `${escapeLines(rawQuery)}\n\n`;
  const of = hits > rows && series.length === 1 && series[0]!.columns.includes("__docid") ? ` of ${hits}` : "";
  const counts = `${counted(rows, "row", "rows")}${of}, ${counted(series.length, "series", "series")}, cost ${escapeControls(cost)}`;
  return `${explained}${tables.join("\n")}${rows === 0 ? "Empty result\n" : ""}${counts}\n${warningLine(entry)}`;
}

/** Returns the warning as one line, or an empty string when there is none. */
export function warningLine({ query_warning: warning }: Entry): string {
  return warning === undefined ? "" : `warning: ${escapeControls(warning)}\n`;
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function titleOf({ name, tags = {} }: EntrySeries): string {
  const parts = [
    ...(name === undefined ? [] : [name]),
    ...Object.entries(tags).map(([key, value]) => `${key}=${value}`),
  ];
  return parts.length === 0 ? "" : `${escapeControls(parts.join("  "))}\n`;
}

/**
 * Returns whether a column is the first one of a table, which holds the time or the name of the row. This column is
 * never cut.
 */
const isFirst = (column: number) => column === 0;

function seriesText({ columns, values }: EntrySeries, width: number | undefined): string {
  const rows = values.map((row) => row.map((value, at) => cell(value, columns[at]!)));
  const table = [columns.map(escapeControls), ...rows];
  if (width !== undefined && !fits(table, { width, whole: isFirst })) return recordsText(table);
  const isNumber = (at: number) =>
    values.every((row) => row[at] === null || typeof row[at] === "number" || isBig(row[at]));
  return tableText(table, { width, whole: isFirst, left: (at) => !isNumber(at) }).join("\n");
}

/** Prints each value on a line of its own, with a blank line between rows. */
function recordsText([columns, ...rows]: readonly (readonly string[])[]): string {
  const names = columns!;
  const wide = Math.max(...names.map(displayWidth));
  return rows
    .map((row, at) => {
      const lines = row.flatMap((value, place) =>
        value === "-" ? [] : [`${names[place]}${" ".repeat(wide - displayWidth(names[place]!))}  ${value}`],
      );
      return [`-- ${at + 1}`, ...lines].join("\n");
    })
    .join("\n");
}

/**
 * Returns whether a value is a large integer that was parsed as a string, because a JavaScript number cannot hold it.
 */
function isBig(value: unknown): boolean {
  return typeof value === "string" && /^-?[0-9]{16,20}$/.test(value);
}

function cell(value: unknown, column: string): string {
  if (column === "time" && typeof value === "number" && value > 0) return new Date(value).toISOString();
  if (value === null || value === undefined) return "-";
  return escapeControls(typeof value === "string" ? value : JSON.stringify(value));
}
