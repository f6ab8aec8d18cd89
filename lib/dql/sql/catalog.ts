// Describes how stored points lie in the tables of a database: one table for each category, and columns that hold the
// values of keys.

import type { CategoryName } from "../../point/category.ts";
import type { Dialect } from "./dialect.ts";
import { type Fragment, joined, raw, sql } from "./fragment.ts";
import type { StoredColumn } from "./stored-column.ts";

/** The tables and columns of a database. */
export interface Catalog {
  readonly dialect: Dialect;
  /** Returns the name of the category's table, which goes into SQL unchanged. The statement only reads points in `range`. */
  table(category: CategoryName, range?: TimeRange): string;
  /** Condition that every row must fulfil to be read; null when the tables hold no other rows. */
  readonly owned: Fragment | null;
  /**
   * Returns the columns of the category's points. With `names`, a catalog that knows the keys of these points may
   * return fewer columns.
   */
  columns(category: CategoryName, names?: readonly string[]): readonly StoredColumn[];
}

/** A range in nanoseconds since 1970, both ends included. */
export interface TimeRange {
  readonly start: bigint;
  readonly end: bigint;
}

/** The columns of one key, one for each kind of value: fields first, then the tag. */
export type KeyColumns = readonly StoredColumn[];

export function keyColumns(catalog: Catalog, category: CategoryName, key: string): KeyColumns {
  const columns = catalog.columns(category).filter((each) => each.key === key);
  return [...columns.filter(({ kind }) => kind !== null), ...columns.filter(({ kind }) => kind === null)];
}

/** Returns `FROM table WHERE ...`. This is the only place that decides which table is read, and whose rows. */
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

/** Columns that every table has. */
export const fixed = { time: "ts", name: "name", sequence: "seq", index: "idx", received: "recv" } as const;
