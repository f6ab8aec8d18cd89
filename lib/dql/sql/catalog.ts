// How stored points lie in the tables of a database: one table for each category; where the values of a key are is told by its columns.

import type { CategoryName } from "../../point/category.ts";
import type { Dialect } from "./dialect.ts";
import { type Fragment, joined, raw, sql } from "./fragment.ts";
import type { StoredColumn } from "./stored-column.ts";

export interface Catalog {
  readonly dialect: Dialect;
  /** The name of the category's table, to be put into SQL as it is. The statement asks only for points in `range`. */
  table(category: CategoryName, range?: TimeRange): string;
  /** What rows that may be read fulfil; null where the tables hold no others. */
  readonly owned: Fragment | null;
  /** The columns of the category's points; of fewer keys where the catalog knows which keys the points of `names` have. */
  columns(category: CategoryName, names?: readonly string[]): readonly StoredColumn[];
}

/** ns since 1970, both ends included. */
export interface TimeRange {
  readonly start: bigint;
  readonly end: bigint;
}

/** Columns of a key by what they hold: fields first, then the tag. */
export type KeyColumns = readonly StoredColumn[];

export function keyColumns(catalog: Catalog, category: CategoryName, key: string): KeyColumns {
  const columns = catalog.columns(category).filter((each) => each.key === key);
  return [...columns.filter(({ kind }) => kind !== null), ...columns.filter(({ kind }) => kind === null)];
}

/** `FROM table WHERE ...`: the one place that says which table is read, and whose rows. */
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

/** Columns every table has. */
export const fixed = { time: "ts", name: "name", sequence: "seq", index: "idx", received: "recv" } as const;
