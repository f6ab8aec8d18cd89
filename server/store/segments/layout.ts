// How points lie in a table of the hot part and in a Parquet file: fixed columns, then a column for each of the commonest keys and kinds, then
// maps for all other keys. A table has a bounded number of columns, however many keys its points have.
//
//   workspace VARCHAR     the workspace's id (a number in the hot part)
//   ts BIGINT, seq BIGINT, name VARCHAR, idx VARCHAR, recv BIGINT
//   one column a key and kind, named after the key where that is possible
//   other_<kind>_<bucket> MAP(VARCHAR, ...): keys without a column, spread over buckets by a hash, so that reading one rare key
//                         reads one bucket
//
// The names of columns, the hash and the number of buckets are part of the format of the files.

import { fixedColumns as fixed } from "../../../lib/dql/index.ts";
import type { ColumnKind } from "../../../lib/index.ts";

/** The SQL type of a value of each kind. */
export const sqlTypes: Readonly<Record<ColumnKind, string>> = {
  int: "BIGINT",
  uint: "UBIGINT",
  float: "DOUBLE",
  bool: "BOOLEAN",
  string: "VARCHAR",
  binary: "BLOB",
  array: "VARCHAR",
  tag: "VARCHAR",
};

/** The columns after `workspace` that every table has, with their SQL types. */
export const fixedTypes = {
  [fixed.time]: "BIGINT",
  [fixed.sequence]: "BIGINT",
  [fixed.name]: "VARCHAR",
  [fixed.index]: "VARCHAR",
  [fixed.received]: "BIGINT",
} as const;

export const workspaceColumn = "workspace";

/** The number of maps for each kind. */
const buckets = 8;

/** A key with a kind. */
export interface KindOfKey {
  readonly key: string;
  readonly kind: ColumnKind;
}

/** A column of a table: for one key, or a map of many keys. */
export type PhysicalColumn =
  | (KindOfKey & { readonly type: "column"; readonly name: string })
  | { readonly type: "map"; readonly kind: ColumnKind; readonly name: string };

/** Returns the map that holds a key without a column. */
export function mapOf({ key, kind }: KindOfKey): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return `other_${kind}_${String((hash >>> 0) % buckets)}`;
}

/** Returns a text that identifies a key and kind within a table. */
export function keyId({ key, kind }: KindOfKey): string {
  return `${kind} ${key}`;
}

/**
 * Makes the names of the columns of one table. DuckDB ignores case, and other tools need short plain names, so a key
 * that is long or special, or whose name is taken, gets a number.
 */
export class ColumnNames {
  private readonly taken = new Set<string>([workspaceColumn, ...Object.keys(fixedTypes)]);

  /** Returns a free name of ASCII letters, digits and `_ . : -`. */
  next({ key, kind }: KindOfKey): string {
    const isPlain = /^[A-Za-z_][A-Za-z0-9_.:-]{0,99}$/.test(key) && !/^(?:other|column)_/i.test(key);
    for (const name of isPlain ? [key, `${key}:${kind}`] : []) if (this.take(name)) return name;
    for (let number = this.taken.size; ; number++) {
      const name = `column_${number}`;
      if (this.take(name)) return name;
    }
  }

  /** Reserves a name. Returns whether the name was free. */
  take(name: string): boolean {
    const plain = name.toLowerCase();
    if (this.taken.has(plain)) return false;
    this.taken.add(plain);
    return true;
  }
}

/** Returns the name as SQL. Quotes cannot occur in names, but are escaped anyway. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Returns the SQL type of a column. */
export function typeOf(column: PhysicalColumn): string {
  const type = sqlTypes[column.kind];
  return column.type === "column" ? type : `MAP(VARCHAR, ${type})`;
}
