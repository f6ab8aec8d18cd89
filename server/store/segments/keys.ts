// Which keys the stored points have: for each workspace and category the names of the points, and for each name its keys and their kinds.
// Queries plan with it, and `show_field_key()` and its like answer from it. It is the union of what the hot part and the segments say.

import type { StoredKey } from "../../../lib/dql/evaluate/engine.ts";
import type { StoredColumn } from "../../../lib/dql/sql/stored-column.ts";
import type { ColumnKind, ColumnUse } from "../../../lib/index.ts";
import type { CategoryName } from "../../../lib/point/category.ts";
import { type KeyLimits, TooManyKeys } from "../points-database.ts";
import { type KindOfKey, keyId } from "./layout.ts";

/** A key and kind, the same object for the same pair. `id` numbers the pairs of one store from 0. */
export interface KnownKey extends KindOfKey {
  readonly id: number;
  /** The column that stands for the key in statements. */
  readonly stored: StoredColumn;
}

/** Numbers every key and kind that the store has met. */
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

  /** Undefined where the store has not met the key. */
  find(key: string, kind: ColumnKind): KnownKey | undefined {
    return this.byText.get(keyId({ key, kind }));
  }

  /** The key of an id that `of` gave. */
  at(id: number): KnownKey {
    return this.byId[id]!;
  }
}

/** The names of points, each with the ids of its keys. */
export type NamedKeys = ReadonlyMap<string, ReadonlySet<number>>;

/** The keys of one workspace's points of one category. */
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

  /** Ids of all keys. */
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

  /** Throws TooManyKeys when `uses` would exceed the limits. */
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

  /** Returns the keys of points with these names; without `names`, all keys, in a list that is kept. */
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

/** The keys of all workspaces. */
export class StoredKeys {
  readonly registry = new KeyRegistry();
  private readonly workspaces = new Map<string, Map<CategoryName, CategoryKeys>>();

  /** Undefined where the workspace has no points of the category. */
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

  /** Every workspace that has points of the category. */
  *entries(category: CategoryName): Iterable<readonly [workspace: string, keys: CategoryKeys]> {
    for (const [workspace, own] of this.workspaces) {
      const keys = own.get(category);
      if (keys !== undefined) yield [workspace, keys];
    }
  }
}
