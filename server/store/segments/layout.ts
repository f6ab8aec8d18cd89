// The columns of a table of points, in memory (the hot part) and in a Parquet file: first the fixed columns, then one
// column for each of the most frequent keys (tags and fields), then map columns for all other keys. So a table has a
// limited number of columns, however many keys its points have.
//
//   workspace VARCHAR     the workspace's id (a number in the hot part)
//   ts BIGINT, seq BIGINT, name VARCHAR, idx VARCHAR, recv BIGINT
//   one column for each frequent key and value type, named after the key where possible
//   other_<type>_<bucket> MAP(VARCHAR, ...): keys without a column, distributed over buckets by a hash, so that reading
//                         one rare key reads only one bucket
//
// The names of columns, the hash and the number of buckets are part of the file format.

import { fixedColumns as fixed } from "../../../lib/dql/index.ts";
import type { ColumnKind } from "../../../lib/index.ts";

/** For each value type of tags and fields, the SQL type of a column that stores such values. */
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

/** The number of map columns (columns that hold many rare keys) for each value type. */
const buckets = 8;

/** A key (tag or field) with one of its value types. */
export interface KindOfKey {
  readonly key: string;
  readonly kind: ColumnKind;
}

/** A column of a table: either for one key, or a map of many keys. */
export type PhysicalColumn =
  | (KindOfKey & { readonly type: "column"; readonly name: string })
  | { readonly type: "map"; readonly kind: ColumnKind; readonly name: string };

/** Returns the name of the map column (a column for many rare keys) that holds a key without a column of its own. */
export function mapOf({ key, kind }: KindOfKey): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return `other_${kind}_${String((hash >>> 0) % buckets)}`;
}

/** Returns a string that identifies a key with a value type within a table. */
export function keyId({ key, kind }: KindOfKey): string {
  return `${kind} ${key}`;
}

/**
 * Chooses the names of the columns of one table. A column is named after its key, except when the key is long, has
 * special characters, or differs from another name only in case (DuckDB ignores case). The column then gets a numbered
 * name.
 */
export class ColumnNames {
  private readonly taken = new Set<string>([workspaceColumn, ...Object.keys(fixedTypes)]);

  /** Returns an unused column name of ASCII letters, digits and `_ . : -`. */
  next({ key, kind }: KindOfKey): string {
    const isPlain = /^[A-Za-z_][A-Za-z0-9_.:-]{0,99}$/.test(key) && !/^(?:other|column)_/i.test(key);
    for (const name of isPlain ? [key, `${key}:${kind}`] : []) if (this.take(name)) return name;
    for (let number = this.taken.size; ; number++) {
      const name = `column_${number}`;
      if (this.take(name)) return name;
    }
  }

  /** Reserves a column name. Returns false when the name was already in use. */
  take(name: string): boolean {
    const plain = name.toLowerCase();
    if (this.taken.has(plain)) return false;
    this.taken.add(plain);
    return true;
  }
}

/** Returns a column name in double quotes for SQL. Escapes quotes, although column names never contain any. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Returns the SQL type of a column of the table. */
export function typeOf(column: PhysicalColumn): string {
  const type = sqlTypes[column.kind];
  return column.type === "column" ? type : `MAP(VARCHAR, ${type})`;
}
