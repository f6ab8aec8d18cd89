// Functions for the values in the answer to a query: they write a value as text, compare two values for sorting, and
// tell why a query cannot filter by a value.

import type { Zone } from "../../../../lib/time/index.ts";
import { t } from "../../text/translate.ts";
import type { Cell, CellSeries } from "../../worker/query-run/asking.ts";
import { zonedTimeText } from "../time/zoned-time.ts";

/** The value in the answer that the user has clicked. */
export interface Picked {
  readonly column: string;
  /**
   * The key of the points whose values the column shows. null when the query computes the column: a filter cannot
   * select rows by such a column.
   */
  readonly key: string | null;
  readonly cell: Cell;
  /** Position on the page, in pixels, at which the menu of the value opens. */
  readonly x: number;
  readonly y: number;
}

/** Returns the text of a value in an answer. A time is written in the given time zone. */
export function cellText({ kind, text }: Cell, zone: Zone): string {
  if (kind === "nil") return "–";
  if (kind !== "time") return text;
  return /^-?\d+$/.test(text) ? zonedTimeText(BigInt(text) * 1_000_000n, zone) : text;
}

export const nil: Cell = { kind: "nil", text: "" };

/** The rows of all series as one table. Its first columns are the measurement and the tags. */
export interface Grid {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/**
 * Columns that the platform adds to every point. The table shows them last, because users look for their own keys
 * first.
 */
const systemColumns: readonly string[] = [
  "index",
  "create_time",
  "date_ns",
  "time_us",
  "__source",
  "__namespace",
  "__docid",
];
const firstColumns: readonly string[] = ["time", "status", "message"];

function rankOf(column: string): number {
  const first = firstColumns.indexOf(column);
  return first >= 0 ? first - firstColumns.length : systemColumns.indexOf(column) + 1;
}

/**
 * Makes one table of all series. `inOrder` is true when the query names the columns; the table then keeps the order of
 * the query. A column of times in which no row has a time is left out.
 */
export function gridOf(series: readonly CellSeries[], inOrder: boolean): Grid {
  const hasName = series.some(({ name }) => name !== null) && new Set(series.map(({ name }) => name)).size > 1;
  const tags = [...new Set(series.flatMap((each) => each.tags.map(([key]) => key)))];
  const hasTimes = series.some(({ columns, rows }) => {
    const at = columns.indexOf("time");
    return rows.some((row) => (row[at] ?? nil).kind !== "nil");
  });
  const columns = [...new Set(series.flatMap((each) => each.columns))].filter(
    (name) => !tags.includes(name) && (hasTimes || name !== "time"),
  );
  if (!inOrder) columns.sort((a, b) => rankOf(a) - rankOf(b));
  const rows = series.flatMap(({ name, tags: own, columns: named, rows: each }) => {
    const values = new Map(own);
    const text = (value: string | null | undefined): Cell => (value == null ? nil : { kind: "string", text: value });
    const first = [...(hasName ? [text(name)] : []), ...tags.map((key) => text(values.get(key)))];
    const places = columns.map((column) => named.indexOf(column));
    return each.map((row) => [...first, ...places.map((at) => row[at] ?? nil)]);
  });
  return { columns: [...(hasName ? ["measurement"] : []), ...tags, ...columns], rows };
}

/** Compares two cells. Numbers come before texts; cells without a value come last, also in descending order. */
export function compareCells(a: Cell, b: Cell, descending: boolean): number {
  if (a.kind === "nil" || b.kind === "nil") return a.kind === b.kind ? 0 : a.kind === "nil" ? 1 : -1;
  const [left, right] = [numberOf(a), numberOf(b)];
  let order: number;
  if (left !== null && right !== null) order = left < right ? -1 : left > right ? 1 : 0;
  else if (left !== null || right !== null) order = left !== null ? -1 : 1;
  else order = a.text < b.text ? -1 : a.text > b.text ? 1 : 0;
  return descending ? -order : order;
}

function numberOf({ kind, text }: Cell): number | bigint | null {
  if (kind === "float") return Number(text);
  if (kind === "int") return BigInt(text);
  return kind === "time" ? Number(text) : null;
}

/** Returns the reason why the query cannot filter by a clicked value; empty when it can. */
export function conditionReason({ key, cell }: Pick<Picked, "key" | "cell">): string {
  if (key === null) return t("This column is computed, so a filter on points cannot name it.");
  if (cell.isCut === true) return t("The value is too long for a filter.");
  if (cell.kind === "list" || cell.kind === "bytes") return t("Lists and bytes cannot be compared in a filter.");
  return cell.kind === "time" ? t("Write a time range in brackets, such as [10m].") : "";
}

/**
 * Returns whether the query whose answer the page shows can be changed to group points by the column of the value that
 * the user has clicked.
 */
export function canGroup({ key, cell }: Pick<Picked, "key" | "cell">): boolean {
  return key !== null && cell.kind !== "list" && cell.kind !== "bytes" && cell.kind !== "time";
}
