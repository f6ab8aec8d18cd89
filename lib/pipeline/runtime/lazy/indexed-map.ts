// The lists and maps of a JSON text that lies in WebAssembly memory (json-index.ts), as script values. A map stays an
// index of the text until a script changes it. A list is an array, which remembers the part of the text that it was
// made from.
//
// A list or map is untouched while it, and every list and map inside it, still equals its part of the text. The text of
// an untouched value is written to a point by the WebAssembly module, without making JavaScript strings.

import type { Batch } from "../../../point/batch/batch.ts";
import type { Cursor } from "../../../point/batch/cursor.ts";
import type { Value } from "../value.ts";
import type { Marks } from "./copied-turns.ts";
import { type Found, IndexedJson, type WrittenJson } from "./json-index.ts";
import { LazyMap } from "./lazy-map.ts";

/**
 * Largest number of lists and maps that a script may read out of a map before the map gets a hash table. Until then,
 * each of them is found in a list by a linear search.
 */
const mostOpened = 16;

/**
 * An empty array. All maps share it as their lists of the values read before (`opened` and `openedAt`), until they need
 * arrays of their own.
 */
const none: never[] = [];

export class IndexedMap extends LazyMap {
  private readonly json: IndexedJson;
  /** Number of members in the sorted list of members; -1 until the list is needed. */
  members = -1;
  /**
   * Index, in the WebAssembly memory `u32`, at which the sorted list of members begins. The list holds the address of a
   * record for each member, then the id of each member's name in the batch; a record describes one value of the JSON
   * text.
   */
  private first = 0;
  /**
   * Place in the sorted list of the member that is probably read next: a `for` loop reads the members in this order.
   */
  private next = 0;
  /**
   * The lists and maps that were read out of this map before, so that every read returns the same object. `openedAt`
   * has the record (description in WebAssembly memory) of each of them.
   */
  private opened: Value[] = none;
  private openedAt: number[] = none;

  constructor(json: IndexedJson) {
    super();
    this.json = json;
  }

  override get mostSize(): number {
    return this.table === null ? this.json.mostValues : this.table.size;
  }

  /** Returns whether the map and all lists and maps inside it still equal the JSON text. */
  get isUntouched(): boolean {
    return this.table === null && this.opened.every(isUntouched);
  }

  /** Length in bytes of the text of the map. */
  get textLength(): number {
    return this.json.textLength;
  }

  /**
   * Returns the address of the record that describes this map for the WebAssembly module, which can then copy members
   * of the map to a point. Returns 0 when the map no longer equals its JSON text, or does not lie in the memory of
   * `batch`.
   */
  untouchedRecord(batch: Batch): number {
    const { json } = this;
    return json.batch === batch && this.isUntouched ? json.address : 0;
  }

  /**
   * Copies members, beginning with the one at the place `from` of the sorted list, to the point's keys of the same
   * names. `marks` says which members are not copied but stored, and at which the work stops. The work also stops at a
   * member that the WebAssembly module cannot copy. The low 8 bits of the result are the number of copied and stored
   * members, and the higher bits are the number of steps for reading the values of the copied members. Afterwards the
   * scratch area of the module begins with the number of bytes of new text, the length of the copied members' names,
   * the number of copied members, and the places of stored members, counted from `from` and increased by one. The list
   * must exist, and the map must still equal its JSON text.
   */
  copyMembers(cursor: Cursor, from: number, marks: Marks): number {
    const { batch } = cursor;
    const { members, first } = this;
    const { exports: wasm, scratch } = batch.module;
    const serial = cursor.marked();
    const records = (first + from) << 2;
    const keys = (first + members + from) << 2;
    const { address, count } = marks;
    const left = members - from;
    const answer =
      wasm.copyMembers(batch.base, cursor.address, serial, records, keys, left, address, count, scratch) >>> 0;
    batch.module.refresh();
    this.next = from + (answer & 0xff);
    return answer;
  }

  /** Returns the name of the member at a place of the sorted list, which must exist. */
  nameAt(place: number): string {
    const { batch } = this.json;
    return batch.keyText(batch.module.u32[this.first + this.members + place]!);
  }

  /** Returns the JSON text of the map in the memory of `batch`; undefined when JavaScript has to write the text. */
  written(batch: Batch): WrittenJson | undefined {
    return this.json.batch === batch && this.isUntouched ? this.json.written() : undefined;
  }

  /** Returns the value of the member at a place of the sorted list, which must exist. */
  valueAt(place: number): Value {
    if (this.table !== null) return this.table.get(this.nameAt(place)) ?? null;
    return this.valueOfRecord(this.recordAt(place), this.nameAt(place)) ?? null;
  }

  protected find(key: string): Value | undefined {
    const record = this.recordOf(key);
    if (record < 0) return this.filled().get(key);
    return record === 0 ? undefined : this.valueOfRecord(record, key);
  }

  /** Returns the value of the member with the given record and name. */
  private valueOfRecord(record: number, key: string): Value | undefined {
    const found = this.json.value(record);
    if (!(found instanceof IndexedJson)) return found;
    const known = this.openedAt.indexOf(record);
    if (known >= 0) return this.opened[known];
    if (this.opened.length === mostOpened) return this.filled().get(key);
    const value = foundValue(found);
    if (this.opened === none) [this.opened, this.openedAt] = [[], []];
    this.opened.push(value);
    this.openedAt.push(record);
    return value;
  }

  protected addTo(table: Map<string, Value>): void {
    const { json, opened, openedAt } = this;
    json.forEachMember((record) => {
      const known = openedAt.indexOf(record);
      table.set(json.name(record), known >= 0 ? opened[known]! : foundValue(json.value(record)));
    });
  }

  protected count(): number {
    return this.listMembers() ? this.members : this.filled().size;
  }

  protected sorted(): readonly string[] {
    if (!this.listMembers()) {
      this.filled();
      return this.sortedKeys();
    }
    this.next = 0;
    return Array.from({ length: this.members }, (_, place) => this.nameAt(place));
  }

  override turns(): Iterator<Value> {
    if (this.table !== null || !this.listMembers()) return super.turns();
    this.next = 0;
    return new MemberTurns(this);
  }

  /** Makes the sorted list of members. Returns false when the map has too many members for the list. */
  private listMembers(): boolean {
    if (this.members >= 0) return true;
    const { json } = this;
    const list = json.members();
    if (list === 0) return false;
    this.members = json.batch.module.u32[list]!;
    this.first = list + 1;
    return true;
  }

  /**
   * Returns the record (description in WebAssembly memory) of a member; 0 when the map has no such member. Returns
   * -1 when the name is not ASCII and was not found by this function; only the hash table then shows whether the
   * map has such a member.
   */
  private recordOf(key: string): number {
    const { members, next, json } = this;
    if (next < members && this.nameAt(next) === key) {
      this.next = next + 1;
      return this.recordAt(next);
    }
    if (next > 0 && this.nameAt(next - 1) === key) return this.recordAt(next - 1);
    const record = json.member(key);
    return record !== 0 || isAscii(key) ? record : -1;
  }

  private recordAt(place: number): number {
    return this.json.batch.module.u32[this.first + place]! >>> 2;
  }
}

/**
 * Iterates over the names of a map's members in sorted order, for a `for ... in` loop of a script. The names are those
 * that the map had when the loop began. All calls of `next` return the same object, which saves an allocation for each
 * iteration.
 */
export class MemberTurns implements Iterator<Value> {
  readonly map: IndexedMap;
  /** Place in the sorted list of the member whose name the next iteration of the loop gets. */
  at = 0;
  /** The name that the current iteration of the loop got. */
  name = "";
  private readonly turn: { done: boolean; value: Value } = { done: false, value: null };

  constructor(map: IndexedMap) {
    this.map = map;
  }

  next(): IteratorResult<Value> {
    const { turn, map } = this;
    if (this.at < map.members) turn.value = this.name = map.nameAt(this.at++);
    else turn.done = true;
    return turn as IteratorResult<Value>;
  }

  /**
   * Returns the value of the member whose name the current iteration got; nil when the script has removed the member.
   */
  value(): Value {
    return this.map.valueAt(this.at - 1);
  }
}

/** The part of a JSON text from which a list was made, and the elements that the list had when it was made. */
interface ListSource {
  readonly json: IndexedJson;
  readonly items: readonly Value[];
}

/** Key of the property in which a list stores the part of the JSON text from which it was made. */
const source = Symbol("source");
type SourcedList = Value[] & { [source]?: ListSource };

/** Converts a value that was found in a JSON text to a script value. */
export function foundValue(found: Found): Value {
  if (!(found instanceof IndexedJson)) return found;
  if (found.isMap) return new IndexedMap(found);
  const items = found.elements().map(foundValue);
  const list: SourcedList = items.slice();
  list[source] = { json: found, items };
  return list;
}

/**
 * Returns whether a list or map still equals the JSON text from which it was made. Returns true for every value that is
 * neither a list nor a map.
 */
function isUntouched(value: Value): boolean {
  if (value instanceof IndexedMap) return value.isUntouched;
  if (!Array.isArray(value)) return true;
  const items = (value as SourcedList)[source]?.items;
  return items?.length === value.length && items.every((item, at) => item === value[at] && isUntouched(item));
}

/**
 * Returns the JSON text of a list or map in the memory of `batch`. The value must be untouched, that is, still equal to
 * the JSON text from which it was made. Returns undefined for any other value, and when JavaScript has to write the
 * text.
 */
export function writtenJson(value: Value, batch: Batch): WrittenJson | undefined {
  if (value instanceof IndexedMap) return value.written(batch);
  if (!Array.isArray(value)) return undefined;
  const json = (value as SourcedList)[source]?.json;
  return json?.batch === batch && isUntouched(value) ? json.written() : undefined;
}

function isAscii(key: string): boolean {
  for (let at = 0; at < key.length; at++) if (key.charCodeAt(at) >= 0x80) return false;
  return true;
}
