// A point that lives in JavaScript: what `decode` hands out, what `create_point` makes, what a library user builds.

import type { PointValue, Text } from "./value.ts";
import type { Entry, Key, PointView } from "./view.ts";

/** A correction that was made while decoding (points document, section 10.3). */
export interface Warning {
  readonly type: string;
  readonly message: string;
}

interface Slot {
  key: string;
  value: PointValue;
  isTag: boolean;
}

export class Point implements PointView {
  name: string;
  time: bigint;
  readonly warnings: Warning[] = [];
  private readonly slots: Slot[] = [];

  constructor(name: string, time: bigint) {
    this.name = name;
    this.time = time;
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
    this.put(key.text, value, false);
  }

  setTag(key: Key, value: Text): void {
    this.put(key.text, value, true);
  }

  delete(key: Key): boolean {
    const at = this.slots.findIndex((slot) => slot.key === key.text);
    if (at < 0) return false;
    this.slots.splice(at, 1);
    return true;
  }

  rename(from: Key, to: Key): boolean {
    const slot = this.slot(from.text);
    if (slot === undefined) return false;
    if (from.text === to.text) return true;
    this.delete(to);
    slot.key = to.text;
    return true;
  }

  entries(): Iterable<Entry> {
    return this.slots;
  }

  private slot(key: string): Slot | undefined {
    for (const slot of this.slots) if (slot.key === key) return slot;
    return undefined;
  }

  private put(key: string, value: PointValue, isTag: boolean): void {
    const slot = this.slot(key);
    if (slot === undefined) this.slots.push({ key, value, isTag });
    else {
      slot.value = value;
      slot.isTag = isTag;
    }
  }
}
