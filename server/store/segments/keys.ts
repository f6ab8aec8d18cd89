// An index of the keys (tags and fields) in the store: for each workspace and category the names of points, and for
// each name the keys and value types of its points. Query plans and functions such as `show_field_key()` use it. It
// combines the keys of the hot part (points in memory) and of the segments (Parquet files).

import type { StoredColumn, StoredKey } from "../../../lib/dql/index.ts";
import type { ColumnKind, ColumnUse } from "../../../lib/index.ts";
import type { CategoryName } from "../../../lib/point/index.ts";
import { type KeyLimits, TooManyKeys } from "../points-database.ts";
import { type KindOfKey, keyId } from "./layout.ts";

/**
 * A key (tag or field) with one value type. Each pair of key and type exists as one object only. `id` numbers the pairs
 * of a store from 0.
 */
export interface KnownKey extends KindOfKey {
  readonly id: number;
  /** The column by which SQL statements refer to the key's values. */
  readonly stored: StoredColumn;
}

/** Gives a number to each pair of key and value type in the store. */
export class KeyRegistry {
  private readonly byText = new Map<string, KnownKey>();
  private readonly byId: KnownKey[] = [];

  of(key: string, kind: ColumnKind): KnownKey {
    const text = keyId({ key, kind });
    let known = this.byText.get(text);
    if (known === undefined) {
      const id = this.byId.length;
      known = { key, kind, id, stored: { key, kind: kind === "tag" ? null : kind, column: `c${id}` } };
      this.byText.set(text, known);
      this.byId.push(known);
    }
    return known;
  }

  /** Returns the entry for a key and value type, or undefined when the store has none. */
  find(key: string, kind: ColumnKind): KnownKey | undefined {
    return this.byText.get(keyId({ key, kind }));
  }

  /** Returns the pair of key and value type that has the given id, which the method `of` has assigned. */
  at(id: number): KnownKey {
    return this.byId[id]!;
  }
}

/** For each name of points, the ids of the keys that these points have. */
export type NamedKeys = ReadonlyMap<string, ReadonlySet<number>>;

/** The keys (tags and fields) of one workspace's points in one category. */
export class CategoryKeys {
  private readonly registry: KeyRegistry;
  private readonly named = new Map<string, Set<number>>();
  private readonly all = new Set<number>();
  private columnList: readonly StoredColumn[] | undefined;
  private keyList: readonly StoredKey[] | undefined;

  constructor(registry: KeyRegistry) {
    this.registry = registry;
  }

  get names(): NamedKeys {
    return this.named;
  }

  /** The ids of all keys (of tags and fields) that points in the workspace and category have. */
  get ids(): ReadonlySet<number> {
    return this.all;
  }

  add(name: string, ids: Iterable<number>): void {
    let own = this.named.get(name);
    if (own === undefined) this.named.set(name, (own = new Set()));
    for (const id of ids) {
      if (own.has(id)) continue;
      own.add(id);
      this.keyList = undefined;
      if (this.all.has(id)) continue;
      this.all.add(id);
      this.columnList = undefined;
    }
  }

  addUses(uses: readonly ColumnUse[]): void {
    for (const { key, kind, names } of uses) {
      const { id } = this.registry.of(key, kind);
      for (const name of names) if (this.named.get(name)?.has(id) !== true) this.add(name, [id]);
    }
  }

  addAll(other: NamedKeys): void {
    for (const [name, ids] of other) this.add(name, ids);
  }

  /**
   * Throws TooManyKeys when the category would have more keys or names of points than `limits` allows after the keys in
   * `uses` are added.
   */
  requireRoom(category: CategoryName, uses: readonly ColumnUse[], limits: KeyLimits): void {
    let keys = this.all.size;
    const names = new Set<string>();
    for (const { key, kind, names: own } of uses) {
      const known = this.registry.find(key, kind);
      if ((known === undefined || !this.all.has(known.id)) && ++keys > limits.maxKeys)
        throw new TooManyKeys(category, limits, "key", key);
      for (const name of own) if (!this.named.has(name)) names.add(name);
    }
    if (this.named.size + names.size > limits.maxNames)
      throw new TooManyKeys(category, limits, "name", [...names].at(-1)!);
  }

  columns(names?: readonly string[]): readonly StoredColumn[] {
    if (names !== undefined) {
      const ids = new Set(names.flatMap((name) => [...(this.named.get(name) ?? [])]));
      return [...ids].map((id) => this.registry.at(id).stored);
    }
    this.columnList ??= [...this.all].map((id) => this.registry.at(id).stored);
    return this.columnList;
  }

  /** Returns the keys of points with the given names. Without `names`, returns a cached list of all keys. */
  keys(names?: readonly string[]): readonly StoredKey[] {
    const keysOf = (name: string): readonly StoredKey[] =>
      Array.from(this.named.get(name) ?? [], (id) => {
        const { key, kind } = this.registry.at(id).stored;
        return { name, key, kind };
      });
    if (names !== undefined) return names.flatMap(keysOf);
    this.keyList ??= [...this.named.keys()].flatMap(keysOf);
    return this.keyList;
  }
}

/** The keys of all workspaces and categories of a store. */
export class StoredKeys {
  readonly registry = new KeyRegistry();
  private readonly workspaces = new Map<string, Map<CategoryName, CategoryKeys>>();

  /** Returns the keys of a workspace and category, or undefined when the workspace has no such points. */
  find(workspace: string, category: CategoryName): CategoryKeys | undefined {
    return this.workspaces.get(workspace)?.get(category);
  }

  of(workspace: string, category: CategoryName): CategoryKeys {
    let own = this.workspaces.get(workspace);
    if (own === undefined) this.workspaces.set(workspace, (own = new Map()));
    let keys = own.get(category);
    if (keys === undefined) own.set(category, (keys = new CategoryKeys(this.registry)));
    return keys;
  }

  forget(category: CategoryName): void {
    for (const own of this.workspaces.values()) own.delete(category);
  }

  /** Yields every workspace that has points of the category, with the keys (tags and fields) of these points. */
  *entries(category: CategoryName): Iterable<readonly [workspace: string, keys: CategoryKeys]> {
    for (const [workspace, own] of this.workspaces) {
      const keys = own.get(category);
      if (keys !== undefined) yield [workspace, keys];
    }
  }
}
