// A point as a JavaScript object. `decode` returns such points, `create_point` makes them, and users of the library
// build them.

import { refuse, requireMethods, requireString } from "../text/argument.ts";
import { isBytes, type Text } from "../text/bytes.ts";
import { isPointValue, type PointValue, valueText } from "./value.ts";
import { type Entry, type EntryTraits, Key, type PointView, type Warning } from "./view.ts";

export type { EntryTraits, Warning } from "./view.ts";

/** An entry (tag or field) of a point. Only code in `lib/point` may change such an object. */
export interface Slot {
  key: string;
  value: PointValue;
  isTag: boolean;
}

/** Number of tags and fields above which keys are found through a Map; in a shorter list a linear search is faster. */
const indexAbove = 16;

/** A point as a JavaScript object. */
export class Point implements PointView {
  name: string;
  time: bigint;
  readonly warnings: Warning[] = [];
  private slots: Slot[] = [];
  /**
   * Maps each key to its tag or field. The map is built at the first look-up in a point with many tags and fields. The
   * map is null before this first look-up, and after the list of tags and fields was replaced or extended without
   * updating the map.
   */
  private index: Map<string, Slot> | null = null;
  /**
   * The metric type, unit and description of the tags and fields that have them; null when none has. The keys of the
   * map are the objects of the tags and fields, not their names, so that a renamed tag or field keeps these properties.
   */
  private traitTable: Map<Slot, EntryTraits> | null = null;
  private mayRepeat = false;

  constructor(name: string, time: bigint) {
    requireString("Point", "name", name);
    if (typeof time !== "bigint") refuse("Point", "time", "a bigint of nanoseconds since 1970", time);
    this.name = name;
    this.time = time;
  }

  /** Returns a copy of any point; the copy does not use the memory of the original. */
  static copyOf(other: PointView): Point {
    requireMethods("Point.copyOf", "other", other, "a point", "entries", "get", "setField");
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
    requireKey("has", key);
    return this.slot(key.text) !== undefined;
  }

  isTag(key: Key): boolean {
    requireKey("isTag", key);
    return this.slot(key.text)?.isTag === true;
  }

  get(key: Key): PointValue | undefined {
    requireKey("get", key);
    return this.slot(key.text)?.value;
  }

  setField(key: Key, value: PointValue): void {
    requireKey("setField", key);
    requireFieldValue(value);
    this.set(key.text, value, false);
  }

  setTag(key: Key, value: Text): void {
    requireKey("setTag", key);
    requireTagValue(value);
    this.set(key.text, value, true);
  }

  delete(key: Key): boolean {
    requireKey("delete", key);
    const slot = this.slot(key.text);
    if (slot === undefined) return false;
    this.slots.splice(this.slots.indexOf(slot), 1);
    this.index?.delete(key.text);
    this.traitTable?.delete(slot);
    return true;
  }

  rename(from: Key, to: Key): boolean {
    requireKey("rename", from);
    requireKey("rename", to);
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

  /** Sets the metric type, unit and description of a tag or field; does nothing when the key is absent. */
  setTraits(key: string, traits: EntryTraits): void {
    const slot = this.slot(key);
    if (slot !== undefined) this.keepTraits(slot, traits);
  }

  // Methods that are only for code in `lib/point`: decoders fill a point without looking up each key, and `correct`
  // reads and replaces the list of tags and fields.

  /** Sets a field or tag whose key is given as a string; does the same as `setField` and `setTag`. */
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

  /**
   * Appends a tag or field without checking whether the key exists already. Afterwards the point must be passed to
   * `correct`, which removes repeated keys, before other code reads it.
   */
  append(key: string, value: PointValue, isTag: boolean, traits?: EntryTraits): void {
    const slot = { key, value, isTag };
    this.slots.push(slot);
    this.index = null;
    this.mayRepeat = true;
    if (traits !== undefined) this.keepTraits(slot, traits);
  }

  /** Replaces all tags and fields by a list, whose keys must differ. */
  adopt(slots: Slot[]): void {
    this.slots = slots;
    this.index = null;
    this.mayRepeat = false;
  }

  /** Whether tags or fields were appended without a check, so that the same key may occur twice. */
  get hasUnseenKeys(): boolean {
    return this.mayRepeat;
  }

  /**
   * Returns the point's list of tags and fields itself, not a copy. Code that changes a key or the list must call
   * `adopt` afterwards.
   */
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

/**
 * Throws a TypeError when the key is not a `Key`. A string is not enough, because a `Key` remembers its id in a batch.
 */
export function requireKey(call: string, key: unknown): void {
  if (key instanceof Key) return;
  refuse(call, "key", "a Key", key, typeof key === "string" ? '. Write new Key("text")' : "");
}

/**
 * Throws a TypeError when a field cannot hold the value. A JavaScript number must be a safe integer; other numbers must
 * be given as a `Float`.
 */
export function requireFieldValue(value: PointValue): void {
  if (isPointValue(value)) return;
  const isFraction = typeof value === "number" && Number.isFinite(value);
  refuse("setField", "value", valueText, value, isFraction ? `. Write new Float(${value})` : "");
}

export function requireTagValue(value: Text): void {
  if (typeof value !== "string" && !isBytes(value)) refuse("setTag", "value", "a string", value);
}
