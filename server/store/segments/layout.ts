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

import { fixed } from "../../../lib/dql/sql/catalog.ts";
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

/** Columns that every table has behind `workspace`, with their SQL types. */
export const fixedTypes = {
  [fixed.time]: "BIGINT",
  [fixed.sequence]: "BIGINT",
  [fixed.name]: "VARCHAR",
  [fixed.index]: "VARCHAR",
  [fixed.received]: "BIGINT",
} as const;

export const workspaceColumn = "workspace";

/** Maps of one kind. */
const buckets = 8;

/** A key of some kind. */
export interface KindOfKey {
  readonly key: string;
  readonly kind: ColumnKind;
}

/** A column of a table: of one key, or a map of many. */
export type PhysicalColumn =
  | (KindOfKey & { readonly type: "column"; readonly name: string })
  | { readonly type: "map"; readonly kind: ColumnKind; readonly name: string };

/** The map that holds a key without a column of its own. */
export function mapOf({ key, kind }: KindOfKey): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return `other_${kind}_${String((hash >>> 0) % buckets)}`;
}

/** Identifies a key and kind within a table. */
export function keyId({ key, kind }: KindOfKey): string {
  return `${kind} ${key}`;
}

/**
 * Names of the columns of one table. DuckDB compares them without regard to case, and other tools want short plain ones: a key that is
 * neither, or whose name is taken, gets a number.
 */
export class ColumnNames {
  private readonly taken = new Set<string>([workspaceColumn, ...Object.keys(fixedTypes)]);

  /** Returns a name of ASCII letters, digits and `_ . : -`, good for one column. */
  next({ key, kind }: KindOfKey): string {
    const isPlain = /^[A-Za-z_][A-Za-z0-9_.:-]{0,99}$/.test(key) && !/^(?:other|column)_/i.test(key);
    for (const name of isPlain ? [key, `${key}:${kind}`] : []) if (this.take(name)) return name;
    for (let number = this.taken.size; ; number++) {
      const name = `column_${number}`;
      if (this.take(name)) return name;
    }
  }

  /** Returns whether the name was free. */
  take(name: string): boolean {
    const plain = name.toLowerCase();
    if (this.taken.has(plain)) return false;
    this.taken.add(plain);
    return true;
  }
}

/** The name as SQL; names of columns hold no quotes. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The SQL type of a column. */
export function typeOf(column: PhysicalColumn): string {
  const type = sqlTypes[column.kind];
  return column.type === "column" ? type : `MAP(VARCHAR, ${type})`;
}
