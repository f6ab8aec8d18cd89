// Selects the rows of a run that are sent to the page. Without a query these are the first rows, and some later rows
// that have an error or that no `grok` call matched. With a query these are the first rows that the query finds, in the
// query's order.

import type { OutputForm, PointRecord } from "./protocol.ts";
import { compareRows, isFound, type Query, type Row } from "./query.ts";

/** Number of points that the page receives with all tags and fields. */
export const shownPoints = 1000;
/**
 * Largest number of special rows that are sent to the page. There are two kinds of special rows, each with this
 * limit: rows with errors, and rows that no `grok` call matched. The first rows of a run are sent whatever their
 * kind. After them, only special rows are sent, until the limit of their kind is reached.
 */
const shownSpecial = 1000;
/** Largest number of characters of all points that are sent to the page. */
const shownLength = 16 * 1024 * 1024;

/** The parts of a row that take long to compute. They are computed only for a row that is sent to the page. */
export interface Rest {
  readonly forms: Readonly<Record<OutputForm, string>> | null;
  readonly warnings: PointRecord["warnings"];
}

export class RecordKeeper {
  /** Number of rows that the query finds so far; 0 without a query. */
  found = 0;
  private readonly query: Query | null;
  private readonly place: () => number;
  private records: PointRecord[] = [];
  private kept = 0;
  private special = { errors: 0, unmatched: 0 };
  private length = 0;

  /**
   * `place` returns the index of the statement or `grok` call that the query filters by, in the list of all statements
   * and calls that the run has reached.
   */
  constructor(query: Query | null, place: () => number) {
    this.query = query;
    this.place = place;
  }

  /**
   * Returns whether a row may be sent to the page. Only such rows must be made, because making a row takes as long
   * as running a short script.
   */
  needs(isError: boolean, isUnmatched: boolean): boolean {
    if (this.query !== null) return true;
    if (this.length >= shownLength) return false;
    if (this.kept < shownPoints) return true;
    return (isError && this.special.errors < shownSpecial) || (isUnmatched && this.special.unmatched < shownSpecial);
  }

  /**
   * Whether a row must include its input point when it is added. Rows that are sent only because of an error have no
   * input point.
   */
  get needsInput(): boolean {
    return this.needs(false, false);
  }

  /**
   * Adds a row. The function `rest` computes the parts of the row that take much time; it is called only when the
   * row is sent to the page.
   */
  add(row: Row, rest: () => Rest): void {
    const { query } = this;
    if (query === null) this.keep(row, rest);
    else if (isFound(row, query, this.place())) {
      this.found++;
      if (query.sort === null) {
        if (this.kept < shownPoints && this.length < shownLength) this.keep(row, rest);
      } else this.insert(row, rest);
    }
  }

  /** Returns the rows that were selected since the last call, to be sent to the page now. */
  take(): PointRecord[] {
    // Sorted rows are sent only at the end of the run, when their order is known.
    if (this.query !== null && this.query.sort !== null) return [];
    const { records } = this;
    this.records = [];
    return records;
  }

  /** Returns the last rows to send. Called once, at the end of the run. */
  end(): PointRecord[] {
    if (this.query !== null && this.query.sort !== null) this.cut();
    const { records } = this;
    this.records = [];
    return records;
  }

  private keep(row: Row, rest: () => Rest): void {
    const record = { ...row, ...rest() };
    this.kept++;
    if (row.error !== null || row.refusal !== null) this.special.errors++;
    if (row.unmatched) this.special.unmatched++;
    this.length += record.forms === null ? (row.refusal?.text.length ?? 0) : record.forms.pbjson.length * 3;
    this.records.push(record);
  }

  /**
   * The last of the selected rows, in the order of the query; null until the largest permitted number of rows is
   * selected. A further row is selected only when it comes before this row.
   */
  private bound: PointRecord | null = null;

  private insert(row: Row, rest: () => Rest): void {
    const sort = this.query!.sort!;
    if (this.bound !== null && compareRows(row, this.bound, sort) >= 0) return;
    this.records.push({ ...row, ...rest() });
    if (this.records.length >= 2 * shownPoints) this.cut();
  }

  private cut(): void {
    const sort = this.query!.sort!;
    this.records.sort((a, b) => compareRows(a, b, sort));
    this.records.length = Math.min(this.records.length, shownPoints);
    if (this.records.length === shownPoints) this.bound = this.records.at(-1)!;
  }
}
