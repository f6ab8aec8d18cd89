// A query selects and sorts the rows of a result. The page applies a query to the rows that it holds; a run in the
// worker applies the same query to all rows of the input.

import type { EntryText, PlaceCount, PointRecord } from "./protocol.ts";

export type RowFilter = "all" | "kept" | "dropped" | "created" | "errors" | "unmatched";

/**
 * Selects rows by a place of a script (a statement or a call of `grok`): the rows that reached the place, or the rows
 * that the call of `grok` did not match.
 */
export interface PlaceFilter {
  readonly script: string;
  /** UTF-16 offset of the statement or the call of `grok`. */
  readonly at: number;
  readonly kind: PlaceCount["kind"];
  /**
   * The first line of the text of the statement or `grok` call. When an edit has moved the statement or call, the page
   * finds it by this text.
   */
  readonly text: string;
  readonly wants: "reached" | "missed";
}

export interface Sort {
  /** The column: `#`, `name`, `time`, or a key with the prefix `key ` for a tag or field. */
  readonly column: string;
  readonly descending: boolean;
}

export interface Query {
  readonly filter: RowFilter;
  /** Selects the rows that contain the given text, ignoring case; empty for all rows. */
  readonly text: string;
  readonly place: PlaceFilter | null;
  readonly sort: Sort | null;
}

export const wholeQuery: Query = { filter: "all", text: "", place: null, sort: null };

export function isWhole({ filter, text, place, sort }: Query): boolean {
  return filter === "all" && text === "" && place === null && sort === null;
}

export type Row = Omit<PointRecord, "forms" | "warnings">;

/**
 * Returns the index in `places` of the statement or `grok` call that the filter names; -1 when no point of the run has
 * reached it.
 */
export function placeIndex(
  filter: PlaceFilter | null,
  places: readonly Pick<PlaceCount, "script" | "at" | "kind">[],
): number {
  if (filter === null) return -1;
  return places.findIndex(
    ({ script, at, kind }) => script === filter.script && at === filter.at && kind === filter.kind,
  );
}

/**
 * Returns whether the query selects a row. When the query filters by a statement or `grok` call, `place` is the index
 * of this statement or call in the list of all statements and calls that the points of the run have reached; -1 when no
 * point has reached it.
 */
export function isFound(row: Row, query: Query, place: number): boolean {
  if (!hasOutcome(row, query.filter)) return false;
  if (query.place !== null && !(query.place.wants === "missed" ? row.missed : row.reached).includes(place))
    return false;
  return query.text === "" || holds(row, query.text.toLowerCase());
}

function hasOutcome({ outcome, error, unmatched }: Row, filter: RowFilter): boolean {
  switch (filter) {
    case "all":
      return true;
    case "errors":
      return error !== null || outcome === "refused";
    case "unmatched":
      return unmatched;
    default:
      return outcome === filter && error === null;
  }
}

function holds({ before, after, refusal, error }: Row, text: string): boolean {
  const point = after ?? before;
  if (point !== null) {
    if (point.name.toLowerCase().includes(text)) return true;
    for (const { text: value } of point.entries) if (value.toLowerCase().includes(text)) return true;
  }
  if (refusal !== null && `${refusal.text}\n${refusal.reason}`.toLowerCase().includes(text)) return true;
  return error?.error.toLowerCase().includes(text) === true;
}

const keyPrefix = "key ";

export function keyColumn(key: string): string {
  return keyPrefix + key;
}

/**
 * Compares two rows for sorting. Numbers are compared by value and come before texts; rows without a value come last in
 * both directions. Equal rows keep the order of the input.
 */
export function compareRows(a: Row, b: Row, { column, descending }: Sort): number {
  const [left, right] = [sortValue(a, column), sortValue(b, column)];
  if (left === null || right === null) return left === right ? a.number - b.number : left === null ? 1 : -1;
  const order = compareValues(left, right);
  return order === 0 ? a.number - b.number : descending ? -order : order;
}

type SortValue = number | bigint | string;

function compareValues(a: SortValue, b: SortValue): number {
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === "string") return 1;
  if (typeof b === "string") return -1;
  return a < b ? -1 : a > b ? 1 : 0;
}

function sortValue({ number, after }: Row, column: string): SortValue | null {
  if (column === "#") return number;
  if (after === null) return null;
  if (column === "name") return after.name;
  if (column === "time") return after.time;
  const key = column.slice(keyPrefix.length);
  const entry = after.entries.find((each) => each.key === key);
  return entry === undefined || entry.kind === "nil" ? null : entryValue(entry);
}

function entryValue({ kind, text }: EntryText): SortValue {
  if (kind === "float") return Number(text);
  return kind === "int" || kind === "uint" ? BigInt(text) : text;
}
