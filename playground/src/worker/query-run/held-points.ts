// Holds the points of a run in memory as rows for queries, up to a limit.

import {
  type DqlNames,
  type Engine,
  memoryEngine,
  namespaces,
  type Row,
  rowsOfPoints,
  type StoredKey,
} from "../../../../lib/dql/index.ts";
import type { CategoryName, Point } from "../../../../lib/index.ts";
import type { HeldKey, HeldSource, Holding } from "./asking.ts";
import { queryName } from "./query-name.ts";

/** Largest number of points that the worker holds for queries. */
export const mostPoints = 200_000;
/** Largest number of characters in all keys and values together. It limits the memory that the points take. */
const mostCharacters = 100_000_000;
/** A shorter key or value counts as this many characters, because each string takes some memory of its own. */
const leastCharacters = 16;
/**
 * Largest number of sources (such as measurements) that the page lists, and largest number of keys that it lists for
 * each source.
 */
const mostSources = 100;
const mostKeys = 200;

/** Largest numbers of points and of characters that a `HeldPoints` may hold. */
export interface Limits {
  readonly points: number;
  readonly characters: number;
}

export class HeldPoints {
  private readonly limits: Limits;
  private readonly onFull: () => void;
  private readonly rows = new Map<CategoryName, Row[]>();
  private readonly keys = new Map<CategoryName, readonly StoredKey[]>();
  private count = 0;
  private characters = 0;
  private oldest: bigint | null = null;
  private newest: bigint | null = null;
  /** Whether points were left out because the limit of points or characters was reached. */
  isFull = false;

  /** `onFull` is called once, when the limit of points or characters is reached. */
  constructor(onFull: () => void, limits: Limits = { points: mostPoints, characters: mostCharacters }) {
    this.onFull = onFull;
    this.limits = limits;
  }

  add(category: CategoryName, point: Point): void {
    if (this.isFull) return;
    if (this.count >= this.limits.points || this.characters >= this.limits.characters) {
      this.isFull = true;
      this.onFull();
      return;
    }
    const [row] = rowsOfPoints([point], {
      batch: String(this.count).padStart(8, "0"),
      received: Number(point.time / 1_000_000n),
    });
    this.count++;
    this.characters += sizeOf(row!);
    if (this.oldest === null || row!.time < this.oldest) this.oldest = row!.time;
    if (this.newest === null || row!.time > this.newest) this.newest = row!.time;
    const rows = this.rows.get(category);
    if (rows === undefined) this.rows.set(category, [row!]);
    else rows.push(row!);
  }

  rowsOf(category: CategoryName): readonly Row[] {
    return this.rows.get(category) ?? [];
  }

  /** Times of the oldest and the newest point in milliseconds since 1970; both are 0 when there are no points. */
  get range(): { readonly from: number; readonly to: number } {
    const ms = (time: bigint | null) => Number((time ?? 0n) / 1_000_000n);
    return { from: ms(this.oldest), to: ms(this.newest) };
  }

  /**
   * Returns a query engine over the points. Every query needs the list of a category's keys, and computing this
   * list reads all points; so the engine computes it only once.
   */
  get engine(): Engine {
    const engine = memoryEngine((category) => this.rowsOf(category));
    return {
      ...engine,
      keys: async (category) => {
        let keys = this.keys.get(category);
        if (keys === undefined) this.keys.set(category, (keys = await engine.keys(category)));
        return keys;
      },
    };
  }

  /**
   * Functions that return the names of the sources (such as measurements) and of the keys of the points. The editor
   * offers these names as completions.
   */
  get names(): DqlNames {
    const { engine } = this;
    return {
      sources: async ({ category, sourceKeys }) => {
        const names = new Set<string>();
        for (const { name, tags, fields } of this.rowsOf(category)) {
          const key = sourceKeys.find((each) => each !== "__source" && (fields.has(each) || tags.has(each)));
          names.add(key === undefined ? name : String(fields.get(key) ?? tags.get(key)));
        }
        return [...names].sort();
      },
      keys: async ({ category, sourceKeys }, sources) => {
        // In queries of some categories, the source is not a measurement but the value of a tag. The engine can find
        // keys only by measurement, so this function returns all keys of such a category.
        const isByName = sourceKeys[0] === "__source" && sources.length > 0;
        const keys = (await engine.keys(category)).filter(({ name }) => !isByName || sources.includes(name));
        return [...new Set(keys.map(({ key }) => key))].sort();
      },
    };
  }

  /**
   * Describes the points for the page. `cut` is the reason why some points are missing; empty when no points are
   * missing.
   */
  async holding(cut: string): Promise<Holding> {
    const sources: HeldSource[] = [];
    for (const category of this.rows.keys()) {
      const counts = new Map<string, number>();
      for (const { name } of this.rowsOf(category)) counts.set(name, (counts.get(name) ?? 0) + 1);
      const keys = new Map<string, HeldKey[]>();
      for (const { name, key, kind } of await this.engine.keys(category)) {
        const held = keys.get(name);
        const each = { key, kind: kind ?? "tag" };
        if (held === undefined) keys.set(name, [each]);
        else held.push(each);
      }
      const { short } = namespaces.find((each) => each.category === category)!;
      for (const [name, points] of counts) {
        const own = (keys.get(name) ?? []).sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
        sources.push({ category, text: `${short}::${queryName(name)}`, name, points, keys: own.slice(0, mostKeys) });
      }
    }
    sources.sort((a, b) => b.points! - a.points!);
    return { points: this.count, cut, sources: sources.slice(0, mostSources) };
  }
}

function sizeOf({ name, tags, fields }: Row): number {
  let size = leastCharacters + name.length;
  for (const [key, value] of tags) size += Math.max(leastCharacters, key.length + value.length);
  for (const [key, value] of fields) {
    const length =
      typeof value === "string" || value instanceof Uint8Array
        ? value.length
        : Array.isArray(value)
          ? value.length * leastCharacters
          : 0;
    size += Math.max(leastCharacters, key.length + length);
  }
  return size;
}
