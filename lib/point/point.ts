// A point that lives in JavaScript: what `decode` hands out, what `create_point` makes, what a library user builds.

import { isBytes, type PointValue, type Text } from "./value.ts";
import type { Entry, EntryTraits, Key, PointView, Warning } from "./view.ts";

export type { EntryTraits, Warning } from "./view.ts";

/** An entry as the point keeps it. Only `lib/point` changes one in place. */
export interface Slot {
  key: string;
  value: PointValue;
  isTag: boolean;
}

/** Above this many entries keys are found through a Map; below, walking the list is quicker. */
const indexAbove = 16;

export class Point implements PointView {
  name: string;
  time: bigint;
  readonly warnings: Warning[] = [];
  private slots: Slot[] = [];
  /** Slot by key, built at the first look-up in a wide point; null when it must be built (again). */
  private index: Map<string, Slot> | null = null;
  /** Traits by slot, so that renaming an entry keeps them; null while no entry has any. */
  private traitTable: Map<Slot, EntryTraits> | null = null;
  private mayRepeat = false;

  constructor(name: string, time: bigint) {
    this.name = name;
    this.time = time;
  }

  /** A copy of any point, detached from the memory the other may lie in. */
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

  /** Gives an entry its metric type, unit and description; nothing happens when the key is absent. */
  setTraits(key: string, traits: EntryTraits): void {
    const slot = this.slot(key);
    if (slot !== undefined) this.keepTraits(slot, traits);
  }

  // What follows is for `lib/point` only: decoders fill a point without asking for each key, `correct` walks the list.

  /** What `setField` and `setTag` do, by the key's text. */
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

  /** Appends without looking whether the key is there; `correct` must run before anyone else reads the point. */
  append(key: string, value: PointValue, isTag: boolean, traits?: EntryTraits): void {
    const slot = { key, value, isTag };
    this.slots.push(slot);
    this.index = null;
    this.mayRepeat = true;
    if (traits !== undefined) this.keepTraits(slot, traits);
  }

  /** Takes a list of entries whose keys differ. */
  adopt(slots: Slot[]): void {
    this.slots = slots;
    this.index = null;
    this.mayRepeat = false;
  }

  /** Whether entries were appended unseen, so that a key may be there twice. */
  get hasUnseenKeys(): boolean {
    return this.mayRepeat;
  }

  /** The list itself. Who changes a key or the list calls `adopt` afterwards. */
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
