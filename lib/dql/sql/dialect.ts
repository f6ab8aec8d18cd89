// What differs between databases when a question is put to them: one implementation for each, everything else writes SQL through it.
// JSON paths, time zones, CIDR, arrays and phrases are no part of it: they are computed here from rows, the same for every database.

import type { Fragment } from "./fragment.ts";
import type { StoredColumn } from "./stored-column.ts";

export type Choice = "first" | "last";

export interface Dialect {
  /** A name as it is written in SQL, whatever characters it holds. */
  identifier(name: string): string;
  /** The value of a key in a row, null where the point has none. */
  value(column: StoredColumn): Fragment;
  /** How the values of some columns are read from rows. */
  reader(columns: readonly StoredColumn[]): ValueReader;

  // Types.
  double(value: Fragment): Fragment;
  /** A whole number of 128 bits, so that sums and differences are exact. */
  wide(value: Fragment): Fragment;
  /** A whole number as it is, of 64 bits or more. */
  whole(value: bigint): Fragment;
  text(value: Fragment): Fragment;
  /** Null, of the type of a number or a text. */
  nothing(type: "number" | "text"): Fragment;

  // Conditions.
  isNan(value: Fragment): Fragment;
  contains(text: Fragment, part: string): Fragment;
  /** The same without regard to case; `part` is in lower case. */
  containsAnyCase(text: Fragment, part: string): Fragment;
  /** `pattern`: `%` for any text, `_` for a character, `\` before one that means itself. */
  like(text: Fragment, pattern: string): Fragment;
  /** RE2 anywhere in the text, or of all of it. */
  matches(text: Fragment, pattern: string, where: "anywhere" | "whole"): Fragment;

  // Groups.
  /** The quotient of whole numbers, without its fraction. */
  quotient(dividend: Fragment, divisor: bigint): Fragment;
  countDistinct(value: Fragment): Fragment;
  sum(value: Fragment, isWhole: boolean): Fragment;
  average(value: Fragment, isWhole: boolean): Fragment;
  /** `share`: from 0 to 1; between two values in proportion. */
  percentile(value: Fragment, share: number): Fragment;
  /** Of a sample; null for one value. */
  deviation(value: Fragment): Fragment;
  /** Choosing by more than one key is slow: then moments are chosen first, and of the rows of each one by its arrival. */
  readonly choosesByMoment: boolean;
  /** The value of the row that comes first or last by `order`, of those that have one. */
  chosen(choice: Choice, value: Fragment, order: readonly Fragment[]): Fragment;
  /** The least or greatest `time` of the rows in which `value` is there. */
  chosenTime(choice: Choice, value: Fragment, time: Fragment): Fragment;
}

export interface ValueReader {
  /** Of the select list. */
  readonly select: readonly Fragment[];
  /** Tells the values that a row has; those of `select` begin at `from`. */
  readonly read: (row: readonly unknown[], from: number, tell: (column: StoredColumn, value: unknown) => void) => void;
}
