// Describes the tables in which a database stores points. There is one table for each category; its columns
// contain the values of the points' keys.

import type { CategoryName } from "../../point/category.ts";
import type { Dialect } from "./dialect.ts";
import { type Fragment, joined, raw, sql } from "./fragment.ts";
import type { StoredColumn } from "./stored-column.ts";

/** The catalog of a database: its tables, columns and SQL dialect. */
export interface Catalog {
  readonly dialect: Dialect;
  /**
   * Returns the name of the category's table, which is inserted into SQL without quotes. When `range` is given, the
   * caller reads only points in this time range.
   */
  table(category: CategoryName, range?: TimeRange): string;
  /** SQL condition that selects the rows which queries may read; null when queries may read all rows of the tables. */
  readonly owned: Fragment | null;
  /**
   * Returns the columns of the category's points. When `names` is given, the caller needs only the columns of points
   * with these names, so other columns may be left out.
   */
  columns(category: CategoryName, names?: readonly string[]): readonly StoredColumn[];
}

/** A time range in nanoseconds since 1970; the start and the end belong to the range. */
export interface TimeRange {
  readonly start: bigint;
  readonly end: bigint;
}

/**
 * The columns of one key, one column for each type of value: first the columns of fields, then the column of the tag.
 */
export type KeyColumns = readonly StoredColumn[];

export function keyColumns(catalog: Catalog, category: CategoryName, key: string): KeyColumns {
  const columns = catalog.columns(category).filter((each) => each.key === key);
  return [...columns.filter(({ kind }) => kind !== null), ...columns.filter(({ kind }) => kind === null)];
}

/**
 * Returns the SQL `FROM table WHERE ...`. Only this function decides which table is read, and which of its rows queries
 * may read.
 */
export function fromTable(
  catalog: Catalog,
  category: CategoryName,
  conditions: readonly Fragment[],
  range?: TimeRange,
): Fragment {
  const table = raw(catalog.table(category, range));
  const all = catalog.owned === null ? conditions : [catalog.owned, ...conditions];
  return all.length === 0 ? sql`FROM ${table}` : sql`FROM ${table} WHERE ${joined(all, " AND ")}`;
}

/** Names of the columns that every table of points has. */
export const fixed = { time: "ts", name: "name", sequence: "seq", index: "idx", received: "recv" } as const;
