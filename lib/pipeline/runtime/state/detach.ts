// Makes copies of data that is kept longer than the run over its point. A copy shares no memory with a batch, with the
// text of a body or with the variables of a script, and its size is known, so that the memory for all copies can be
// bounded.

import { Point } from "../../../point/point.ts";
import type { PointView } from "../../../point/view.ts";
import { isText, type Text, type Value } from "../value.ts";

export interface Detached<T> {
  readonly value: T;
  /**
   * Approximate size of the copy in bytes: two bytes for each character, and a fixed number for each value and map
   * entry.
   */
  readonly bytes: number;
}

const bytesPerValue = 16;

/**
 * Returns a deep copy. A list or map that occurs several times in the value, or inside itself, is copied only once, and
 * the result refers to this one copy everywhere.
 */
export function detachValue(value: Value): Detached<Value> {
  let bytes = 0;
  const copies = new Map<object, Value>();
  const open: (() => void)[] = [];
  const copy = (original: Value): Value => {
    bytes += bytesPerValue;
    if (isText(original)) {
      bytes += original.length * 2;
      return detachText(original);
    }
    if (!Array.isArray(original) && !(original instanceof Map)) return original;
    const known = copies.get(original);
    if (known !== undefined) return known;
    if (Array.isArray(original)) {
      const list: Value[] = [];
      copies.set(original, list);
      open.push(() => {
        for (const item of original) list.push(copy(item));
      });
      return list;
    }
    const map = new Map<string, Value>();
    copies.set(original, map);
    open.push(() => {
      for (const [key, item] of original) {
        bytes += bytesPerValue + key.length * 2;
        map.set(key, copy(item));
      }
    });
    return map;
  };
  const result = copy(value);
  // Containers are filled one after the other, without recursion, because they may nest deeper than the call stack
  // allows.
  for (let fill = open.pop(); fill !== undefined; fill = open.pop()) fill();
  return { value: result, bytes };
}

export function detachPoint(point: PointView): Detached<Point> {
  const value = Point.copyOf(point);
  let bytes = 64 + value.name.length * 2;
  for (const slot of value.slotList()) {
    bytes += bytesPerValue * 2 + slot.key.length * 2;
    if (typeof slot.value === "string") slot.value = detachString(slot.value);
    if (isText(slot.value) || slot.value instanceof Uint8Array) bytes += slot.value.length * 2;
  }
  return { value, bytes };
}

export function detachText(text: Text): Text {
  return typeof text === "string" ? detachString(text) : text.detach();
}

/**
 * Returns a copy of the string. JavaScript engines keep a whole string in memory, such as the text of a body, as long
 * as a slice of it is in use. Adding a character and cutting it off makes an independent string.
 */
export function detachString(text: string): string {
  return text.length < 13 ? text : ` ${text}`.slice(1);
}
