// The differences between databases: each has one implementation of this interface, and all other code writes SQL
// through it. JSON paths, time zones, CIDR, arrays and phrases are not part of it: they are computed from rows in
// JavaScript, in the same way for every database.

import type { Fragment } from "./fragment.ts";
import type { StoredColumn } from "./stored-column.ts";

export type Choice = "first" | "last";

/** The SQL of one kind of database. */
export interface Dialect {
  /** Returns a name as SQL writes it, whatever characters it has. */
  identifier(name: string): string;
  /** Returns the value of a key in a row, null where the point does not have the key. */
  value(column: StoredColumn): Fragment;
  /** Returns a reader for the values of several columns. */
  reader(columns: readonly StoredColumn[]): ValueReader;

  // Conversions between types.
  double(value: Fragment): Fragment;
  /** Returns a whole number of 128 bits, so that sums and differences are exact. */
  wide(value: Fragment): Fragment;
  /** Returns the SQL of a whole number of 64 bits or more. */
  whole(value: bigint): Fragment;
  text(value: Fragment): Fragment;
  /** Returns null with the type of a number or a text. */
  nothing(type: "number" | "text"): Fragment;

  // SQL conditions.
  isNan(value: Fragment): Fragment;
  contains(text: Fragment, part: string): Fragment;
  /** Tests whether the text contains `part` in any case; `part` is in lower case. */
  containsAnyCase(text: Fragment, part: string): Fragment;
  /** Tests a text with a pattern: `%` stands for any text, `_` for a character, `\` makes the next character literal. */
  like(text: Fragment, pattern: string): Fragment;
  /** Tests a text with an RE2 pattern, anywhere in the text or for the whole text. */
  matches(text: Fragment, pattern: string, where: "anywhere" | "whole"): Fragment;

  // Functions of groups.
  /** Returns the integer quotient of whole numbers. */
  quotient(dividend: Fragment, divisor: bigint): Fragment;
  countDistinct(value: Fragment): Fragment;
  sum(value: Fragment, isWhole: boolean): Fragment;
  average(value: Fragment, isWhole: boolean): Fragment;
  /** Returns a percentile; `share` is from 0 to 1, and values in between are interpolated. */
  percentile(value: Fragment, share: number): Fragment;
  /** Returns the standard deviation of a sample; null for a single value. */
  deviation(value: Fragment): Fragment;
  /**
   * Whether choosing rows by several keys is slow. Then moments are chosen first, and for each moment one row by its
   * arrival.
   */
  readonly choosesByMoment: boolean;
  /** Returns the value of the row that is first or last by `order` among the rows that have a value. */
  chosen(choice: Choice, value: Fragment, order: readonly Fragment[]): Fragment;
  /** Returns the least or greatest `time` of the rows that have a `value`. */
  chosenTime(choice: Choice, value: Fragment, time: Fragment): Fragment;
}

export interface ValueReader {
  /** Expressions for the select list. */
  readonly select: readonly Fragment[];
  /** Calls `tell` for each value of a row; the values of `select` begin at index `from`. */
  readonly read: (row: readonly unknown[], from: number, tell: (column: StoredColumn, value: unknown) => void) => void;
}
