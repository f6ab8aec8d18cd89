// Works with strings by their UTF-8 bytes: length, cutting at a character boundary, and `Bytes` objects in JavaScript's
// memory. All lengths in docs/reference/points.md are in bytes.

import { type Bytes, isBytes, type Text } from "./bytes.ts";
import { sequenceLength } from "./quote.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** A string as UTF-8 bytes in memory that JavaScript owns; `Bytes.detach` returns such an object. */
export class OwnedBytes implements Bytes {
  readonly isBytes = true;
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get length(): number {
    return this.bytes.length;
  }

  view(): Uint8Array {
    return this.bytes;
  }

  toString(): string {
    return decoder.decode(this.bytes);
  }

  slice(start: number, end: number): Bytes {
    return new OwnedBytes(this.bytes.subarray(start, end));
  }

  detach(): Bytes {
    return this;
  }
}

/** Returns the length of a string in UTF-8 bytes; a lone surrogate counts like U+FFFD. */
export function byteLength(text: Text): number {
  if (typeof text !== "string") return text.length;
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if (unit < 0x800) length++;
    else {
      length += 2;
      if (isPair(text, i, unit)) i++;
    }
  }
  return length;
}

/**
 * Returns whether the string has more than `max` UTF-8 bytes. Counts the bytes only when the number of UTF-16 units
 * alone does not decide this.
 */
export function isLonger(text: Text, max: number): boolean {
  if (typeof text !== "string") return text.length > max;
  return text.length > max || (text.length * 3 > max && byteLength(text) > max);
}

/** Returns the first characters whose UTF-8 bytes fit into `max` bytes; never cuts within a character. */
export function cutText<T extends Text>(text: T, max: number): T;
export function cutText(text: Text, max: number): Text {
  if (isBytes(text)) {
    const bytes = text.view();
    return bytes.length <= max ? text : new OwnedBytes(bytes.slice(0, boundary(bytes, max)));
  }
  let used = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    const paired = isPair(text, i, unit);
    used += unit < 0x80 ? 1 : unit < 0x800 ? 2 : paired ? 4 : 3;
    if (used > max) return text.slice(0, i);
    if (paired) i++;
  }
  return text;
}

/** Returns the last character boundary at or before offset `max`; a byte that is not UTF-8 counts as a character. */
function boundary(bytes: Uint8Array, max: number): number {
  for (let start = max - 1; start >= 0 && start > max - 4; start--) {
    if ((bytes[start]! & 0xc0) !== 0x80) return start + sequenceLength(bytes, start) > max ? start : max;
  }
  return max;
}

function isPair(text: string, at: number, unit: number): boolean {
  return (unit & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
}

/**
 * Converts an index into the decoded string (`unit`, in UTF-16 units) to the offset in bytes at which the same
 * character begins.
 */
export function offsetOf(bytes: Uint8Array, unit: number): number {
  let at = 0;
  for (let units = 0; units < unit && at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    units += length === 4 ? 2 : 1;
    at += length === 0 ? brokenLength(bytes, at) : length;
  }
  return at;
}

/**
 * Returns how many bytes a UTF-8 decoder replaces by one U+FFFD at an offset where no valid sequence begins: all bytes
 * of an incomplete sequence together, or a single byte when no sequence can begin there.
 */
function brokenLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!;
  const next = bytes[at + 1] ?? 0;
  const least = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const most = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (lead < 0xe0 || lead > 0xf4 || next < least || next > most) return 1;
  return lead >= 0xf0 && ((bytes[at + 2] ?? 0) & 0xc0) === 0x80 ? 3 : 2;
}

/**
 * Compares strings by their UTF-8 bytes, that is, by their code points. In UTF-16 the order is different: there,
 * surrogate pairs come before U+E000 to U+FFFF.
 */
export function compareText(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let i = 0; i < shorter; i++) {
    const unitA = a.charCodeAt(i);
    const unitB = b.charCodeAt(i);
    if (unitA !== unitB) return rank(unitA) - rank(unitB);
  }
  return a.length - b.length;
}

function rank(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}
