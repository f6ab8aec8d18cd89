// Which keys the points of one workspace have, with their kinds and the names of the points. They are read again now and then, as other
// platforms write, too.

import type { StoredKey } from "../../../lib/dql/evaluate/engine.ts";
import type { Catalog } from "../../../lib/dql/sql/catalog.ts";
import { clickhouse, maps } from "../../../lib/dql/sql/clickhouse.ts";
import { type Fragment, sql } from "../../../lib/dql/sql/fragment.ts";
import type { StoredColumn } from "../../../lib/dql/sql/stored-column.ts";
import type { CategoryName } from "../../../lib/point/category.ts";
import { maxKeys, TooManyKeys } from "../points-database.ts";
import type { KeyUse, Kind } from "./encode.ts";
import { pointsTable } from "./schema.ts";

/** One row of the table `keys`. */
export type KeyRow = readonly [category: CategoryName, name: string, key: string, kind: Kind];

export class WorkspaceKeys implements Catalog {
  readonly dialect = clickhouse;
  readonly owned: Fragment;
  private readonly database: string;
  private readonly known = new Set<string>();
  private readonly columnsOf = new Map<CategoryName, Map<string, StoredColumn>>();
  private readonly keysOf = new Map<CategoryName, StoredKey[]>();

  constructor(database: string, workspace: string) {
    this.database = database;
    this.owned = sql`workspace = ${workspace}`;
  }

  table(category: CategoryName): string {
    return `${clickhouse.identifier(this.database)}.${clickhouse.identifier(pointsTable(category))}`;
  }

  columns(category: CategoryName): readonly StoredColumn[] {
    return [...(this.columnsOf.get(category)?.values() ?? [])];
  }

  keys(category: CategoryName): readonly StoredKey[] {
    return this.keysOf.get(category) ?? [];
  }

  has(category: CategoryName): boolean {
    return this.columnsOf.has(category);
  }

  /** Those that were not known. */
  unknown(category: CategoryName, uses: readonly KeyUse[]): KeyRow[] {
    return uses
      .map(({ name, key, kind }): KeyRow => [category, name, key, kind])
      .filter((row) => !this.known.has(JSON.stringify(row)));
  }

  /** Throws TooManyKeys. */
  requireRoom(category: CategoryName, rows: readonly KeyRow[]): void {
    const known = this.columnsOf.get(category) ?? new Map<string, StoredColumn>();
    const added = new Set(rows.map(([, , key, kind]) => JSON.stringify([kind, key])).filter((id) => !known.has(id)));
    const [first] = [...added].slice(Math.max(0, maxKeys - known.size));
    if (first !== undefined)
      throw new TooManyKeys(`${category} has ${maxKeys} keys at most, "${JSON.parse(first)[1]}" is one too many`);
  }

  add(rows: Iterable<KeyRow>): void {
    for (const row of rows) {
      const id = JSON.stringify(row);
      if (this.known.has(id)) continue;
      this.known.add(id);
      const [category, name, key, kind] = row;
      const stored = kind === "tag" ? null : kind;
      const columns = this.columnsOf.get(category) ?? new Map<string, StoredColumn>();
      this.columnsOf.set(category, columns);
      columns.set(JSON.stringify([kind, key]), { key, kind: stored, column: maps[kind].column });
      const keys = this.keysOf.get(category) ?? [];
      this.keysOf.set(category, keys);
      keys.push({ name, key, kind: stored });
    }
  }
}
