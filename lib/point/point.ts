// A point in JavaScript: `decode` returns such points, `create_point` makes them, and users of the library build them.

import { isBytes, type Text } from "../text/bytes.ts";
import type { PointValue } from "./value.ts";
import type { Entry, EntryTraits, Key, PointView, Warning } from "./view.ts";

export type { EntryTraits, Warning } from "./view.ts";

/** An entry of a point. Only `lib/point` changes one in place. */
export interface Slot {
  key: string;
  value: PointValue;
  isTag: boolean;
}

/** Number of entries above which keys are found through a Map; below it, walking the list is faster. */
const indexAbove = 16;

/** A point in JavaScript. */
export class Point implements PointView {
  name: string;
  time: bigint;
  readonly warnings: Warning[] = [];
  private slots: Slot[] = [];
  /** Slots by key, built at the first look-up in a point with many entries; null when it must be built (again). */
  private index: Map<string, Slot> | null = null;
  /** Traits by slot, so that renaming an entry keeps them; null while no entry has any. */
  private traitTable: Map<Slot, EntryTraits> | null = null;
  private mayRepeat = false;

  constructor(name: string, time: bigint) {
    this.name = name;
    this.time = time;
  }

  /** Makes a copy of any point, independent of the memory of the other point. */
  static copyOf(other: PointView): Point {
    const copy = new Point(other.name, other.time);
    for (const { key, value, isTag } of other.entries()) {
      const slot = { key, value: isBytes(value) ? value.detach() : value, isTag };
      copy.slots.push(slot);
      const traits = other.traits?.(key);
      if (traits !== undefined) copy.keepTraits(slot, traits);
    }
    copy.warnings.push(...(other.warnings ?? []));
    return copy;
  }

  has(key: Key): boolean {
    return this.slot(key.text) !== undefined;
  }

  isTag(key: Key): boolean {
    return this.slot(key.text)?.isTag === true;
  }

  get(key: Key): PointValue | undefined {
    return this.slot(key.text)?.value;
  }

  setField(key: Key, value: PointValue): void {
    this.set(key.text, value, false);
  }

  setTag(key: Key, value: Text): void {
    this.set(key.text, value, true);
  }

  delete(key: Key): boolean {
    const slot = this.slot(key.text);
    if (slot === undefined) return false;
    this.slots.splice(this.slots.indexOf(slot), 1);
    this.index?.delete(key.text);
    this.traitTable?.delete(slot);
    return true;
  }

  rename(from: Key, to: Key): boolean {
    const slot = this.slot(from.text);
    if (slot === undefined) return false;
    if (from.text === to.text) return true;
    this.delete(to);
    this.index?.delete(from.text);
    slot.key = to.text;
    this.index?.set(to.text, slot);
    return true;
  }

  entries(): Iterable<Entry> {
    return this.slots;
  }

  traits(key: string): EntryTraits | undefined {
    if (this.traitTable === null) return undefined;
    const slot = this.slot(key);
    return slot === undefined ? undefined : this.traitTable.get(slot);
  }

  /** Sets the metric type, unit and description of an entry; does nothing when the key is absent. */
  setTraits(key: string, traits: EntryTraits): void {
    const slot = this.slot(key);
    if (slot !== undefined) this.keepTraits(slot, traits);
  }

  // The methods below are for `lib/point` only: decoders fill a point without a look-up for each key, `correct` walks
  // the list.

  /** Sets a field or tag by the text of its key; does what `setField` and `setTag` do. */
  set(key: string, value: PointValue, isTag: boolean): void {
    const slot = this.slot(key);
    if (slot === undefined) {
      const added = { key, value, isTag };
      this.slots.push(added);
      this.index?.set(key, added);
    } else {
      slot.value = value;
      slot.isTag = isTag;
      this.traitTable?.delete(slot);
    }
  }

  /** Appends without checking whether the key exists; `correct` must run before other code reads the point. */
  append(key: string, value: PointValue, isTag: boolean, traits?: EntryTraits): void {
    const slot = { key, value, isTag };
    this.slots.push(slot);
    this.index = null;
    this.mayRepeat = true;
    if (traits !== undefined) this.keepTraits(slot, traits);
  }

  /** Replaces the entries by a list of entries with different keys. */
  adopt(slots: Slot[]): void {
    this.slots = slots;
    this.index = null;
    this.mayRepeat = false;
  }

  /** Whether entries were appended without a check, so that a key may occur twice. */
  get hasUnseenKeys(): boolean {
    return this.mayRepeat;
  }

  /** Returns the list itself. Code that changes a key or the list calls `adopt` afterwards. */
  slotList(): Slot[] {
    return this.slots;
  }

  private slot(key: string): Slot | undefined {
    if (this.slots.length > indexAbove) {
      this.index ??= new Map(this.slots.map((slot) => [slot.key, slot]));
      return this.index.get(key);
    }
    for (const slot of this.slots) if (slot.key === key) return slot;
    return undefined;
  }

  private keepTraits(slot: Slot, traits: EntryTraits): void {
    this.traitTable ??= new Map();
    this.traitTable.set(slot, traits);
  }
}
