// The interface that hides the differences between SQL databases. Each database implements it once, and all
// other code writes SQL through it. Some computations are not part of it: JSON paths, time zones, CIDR, arrays
// and phrases. JavaScript computes them from rows, in the same way for every database.

import type { Fragment } from "./fragment.ts";
import type { StoredColumn } from "./stored-column.ts";

export type Choice = "first" | "last";

/** Writes the SQL of one database system. */
export interface Dialect {
  /** Returns the name of a column or table in SQL syntax, quoted so that it may contain any characters. */
  identifier(name: string): string;
  /**
   * Returns SQL for the value of a key in a row; the value is null when the stored point in this row does not have the
   * key.
   */
  value(column: StoredColumn): Fragment;
  /** Returns the SQL for the values of several columns, and a function that reads these values from a row. */
  reader(columns: readonly StoredColumn[]): ValueReader;

  // Methods that return SQL for converting a value to another type.
  double(value: Fragment): Fragment;
  /** Returns SQL that converts a number to a 128-bit integer, so that sums and differences are exact. */
  wide(value: Fragment): Fragment;
  /** Returns SQL for an integer constant, which may need more than 64 bits. */
  whole(value: bigint): Fragment;
  text(value: Fragment): Fragment;
  /** Returns SQL for a null value that has the type of a number or of a string. */
  nothing(type: "number" | "text"): Fragment;

  // Methods that return SQL conditions.
  isNan(value: Fragment): Fragment;
  contains(text: Fragment, part: string): Fragment;
  /**
   * Returns SQL that tests whether a string contains `part`, which is in lower case; the case of the string is ignored.
   */
  containsAnyCase(text: Fragment, part: string): Fragment;
  /**
   * Returns SQL that tests a string with a LIKE pattern: `%` stands for any characters, `_` for one character, and `\`
   * makes the next character literal.
   */
  like(text: Fragment, pattern: string): Fragment;
  /**
   * Returns SQL that tests a string with an RE2 pattern. `where` says whether the pattern may match anywhere in the
   * string or must match the whole string.
   */
  matches(text: Fragment, pattern: string, where: "anywhere" | "whole"): Fragment;

  // Methods that return SQL for computing over numbers and groups of rows.
  /** Returns SQL for the integer quotient of two whole numbers. */
  quotient(dividend: Fragment, divisor: bigint): Fragment;
  countDistinct(value: Fragment): Fragment;
  sum(value: Fragment, isWhole: boolean): Fragment;
  average(value: Fragment, isWhole: boolean): Fragment;
  /** Returns SQL for the percentile `share`, from 0 to 1. A percentile between two values is interpolated. */
  percentile(value: Fragment, share: number): Fragment;
  /** Returns SQL for the sample standard deviation, which is null for a single value. */
  deviation(value: Fragment): Fragment;
  /**
   * Whether the database is slow at sorting rows by several keys. If it is, the SQL for first() and last() has two
   * steps: the first step finds the time of each row to choose, and the second step chooses, among the rows with
   * this time, by the order in which they arrived.
   */
  readonly choosesByMoment: boolean;
  /** Returns SQL for the value of the first or last row in the order `order`, among the rows that have a value. */
  chosen(choice: Choice, value: Fragment, order: readonly Fragment[]): Fragment;
  /** Returns SQL for the earliest or latest `time` among the rows in which `value` is not null. */
  chosenTime(choice: Choice, value: Fragment, time: Fragment): Fragment;
}

export interface ValueReader {
  /** The SQL expressions of the values, for the list after SELECT. */
  readonly select: readonly Fragment[];
  /**
   * Reads a row of the database's answer: calls `addValue` with each column and its value. The values of `select` begin
   * at index `from` of the row.
   */
  readonly read: (
    row: readonly unknown[],
    from: number,
    addValue: (column: StoredColumn, value: unknown) => void,
  ) => void;
}
