// The keys (tags and fields) of one workspace's points, with their value types and the names of the points that
// have these keys. The keys are read again from ClickHouse regularly, because other platforms write to the same
// ClickHouse.

import { type Catalog, clickhouse, type Fragment, type StoredColumn, type StoredKey } from "../../../lib/dql/index.ts";
import { maps, sql } from "../../../lib/dql/sql/index.ts";
import type { CategoryName } from "../../../lib/point/index.ts";
import { type KeyLimits, TooManyKeys } from "../points-database.ts";
import type { KeyUse, Kind } from "./encode.ts";
import { pointsTable } from "./schema.ts";

/** A row of the ClickHouse table `keys`, which lists the keys of tags and fields. */
export type KeyRow = readonly [category: CategoryName, name: string, key: string, kind: Kind];

export class WorkspaceKeys implements Catalog {
  readonly dialect = clickhouse;
  readonly owned: Fragment;
  private readonly database: string;
  private readonly known = new Set<string>();
  private readonly columnsOf = new Map<CategoryName, Map<string, StoredColumn>>();
  private readonly keysOf = new Map<CategoryName, StoredKey[]>();
  private readonly namesOf = new Map<CategoryName, Set<string>>();

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

  /** Returns the given keys that the table `keys` does not contain yet, as rows of this table. */
  unknown(category: CategoryName, uses: readonly KeyUse[]): KeyRow[] {
    return uses
      .map(({ name, key, kind }): KeyRow => [category, name, key, kind])
      .filter((row) => !this.known.has(JSON.stringify(row)));
  }

  /**
   * Throws TooManyKeys when the category would have more keys or more names of points than `limits` allows after
   * `rows` are added.
   */
  requireRoom(category: CategoryName, rows: readonly KeyRow[], limits: KeyLimits): void {
    const columns = this.columnsOf.get(category) ?? new Map<string, StoredColumn>();
    const names = this.namesOf.get(category) ?? new Set<string>();
    const [newColumns, newNames] = [new Set<string>(), new Set<string>()];
    for (const [, name, key, kind] of rows) {
      const column = JSON.stringify([kind, key]);
      if (!columns.has(column)) newColumns.add(column);
      if (columns.size + newColumns.size > limits.maxKeys) throw new TooManyKeys(category, limits, "key", key);
      if (!names.has(name)) newNames.add(name);
      if (names.size + newNames.size > limits.maxNames) throw new TooManyKeys(category, limits, "name", name);
    }
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
      const names = this.namesOf.get(category) ?? new Set<string>();
      this.namesOf.set(category, names);
      names.add(name);
    }
  }
}
