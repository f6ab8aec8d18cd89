// How stored points lie in the tables of a database: one table for each category, one column for each key and kind.

import type { CategoryName } from "../../point/category.ts";
import type { KeyKind } from "../engine.ts";
import { type Fragment, raw } from "./fragment.ts";

export interface StoredColumn {
  readonly key: string;
  /** Null: a tag. */
  readonly kind: KeyKind | null;
  /** Its name in the table, which holds letters and digits only. */
  readonly column: string;
}

export interface Catalog {
  /** The name of the category's table, to be put into SQL as it is. */
  table(category: CategoryName): string;
  columns(category: CategoryName): readonly StoredColumn[];
}

/** Columns of a key by what they hold: fields first, then the tag. */
export type KeyColumns = readonly StoredColumn[];

export function keyColumns(catalog: Catalog, category: CategoryName, key: string): KeyColumns {
  const columns = catalog.columns(category).filter((each) => each.key === key);
  return [...columns.filter(({ kind }) => kind !== null), ...columns.filter(({ kind }) => kind === null)];
}

export function nameOf({ column }: StoredColumn): Fragment {
  return raw(column);
}

export function isText({ kind }: StoredColumn): boolean {
  return kind === "string" || kind === null;
}

export function isNumeric({ kind }: StoredColumn): boolean {
  return kind === "int" || kind === "uint" || kind === "float";
}

/** Columns every table has. */
export const fixed = { time: "ts", name: "name", sequence: "seq", index: "idx", received: "recv" } as const;
