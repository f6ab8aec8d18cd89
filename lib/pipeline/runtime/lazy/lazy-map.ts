// A map of a script whose members are stored in another form than a JavaScript Map, such as a JSON text. This
// other form is called the source of the map. A lazy map is a Map for `instanceof` and for all callers. But it
// makes its hash table only for an operation that needs one: making the table takes longer than all other work
// on a map that a script only reads.
//
// Invariant: while `table` is null, the map equals its source. Every operation that may change the map makes the
// table first. From then on, the source is not used any more.

import { ListTurns } from "../list-turns.ts";
import { compareBytes, type Value } from "../value.ts";

export abstract class LazyMap implements Map<string, Value> {
  static {
    Object.setPrototypeOf(LazyMap.prototype, Map.prototype);
  }

  /** The members as an ordinary map; null as long as they are only in the source (such as a JSON text). */
  protected table: Map<string, Value> | null = null;

  /**
   * Returns the value of a member of the source (such as a JSON text); undefined when the source has no such member.
   */
  protected abstract find(key: string): Value | undefined;
  /** Adds all members of the source (such as a JSON text) to a table. */
  protected abstract addTo(table: Map<string, Value>): void;
  /** Returns the number of members of the source (such as a JSON text). */
  protected abstract count(): number;
  /** Returns the keys of the source (such as a JSON text), sorted by their bytes. */
  protected abstract sorted(): readonly string[];

  /** Upper bound of the number of members. Subclasses can find it in less time than `size`, the exact number. */
  get mostSize(): number {
    return this.size;
  }

  get(key: string): Value | undefined {
    return this.table === null ? this.find(key) : this.table.get(key);
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  get size(): number {
    return this.table === null ? this.count() : this.table.size;
  }

  /** Returns the keys in the order in which `for` loops of scripts visit them: sorted by their bytes. */
  sortedKeys(): readonly string[] {
    return this.table === null ? this.sorted() : [...this.table.keys()].sort(compareBytes);
  }

  /** Returns the keys in the order of `sortedKeys`, one for each turn (iteration) of a `for ... in` loop. */
  turns(): Iterator<Value> {
    return new ListTurns(this.sortedKeys());
  }

  set(key: string, value: Value): this {
    this.filled().set(key, value);
    return this;
  }

  delete(key: string): boolean {
    return this.filled().delete(key);
  }

  clear(): void {
    this.table = new Map();
  }

  forEach(callback: (value: Value, key: string, map: Map<string, Value>) => void, self?: unknown): void {
    for (const [key, value] of this.filled()) callback.call(self, value, key, this);
  }

  entries(): MapIterator<[string, Value]> {
    return this.filled().entries();
  }

  keys(): MapIterator<string> {
    return this.filled().keys();
  }

  values(): MapIterator<Value> {
    return this.filled().values();
  }

  [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.filled().entries();
  }

  get [Symbol.toStringTag](): string {
    return "Map";
  }

  protected filled(): Map<string, Value> {
    if (this.table === null) {
      const table = new Map<string, Value>();
      this.addTo(table);
      this.table = table;
    }
    return this.table;
  }
}
