// Limits the memory of a run: the bytes of the values that a script makes. New values are counted. When the count has
// used up the limit, the values that the script still holds are measured, so that a script may make and forget as much
// as its steps allow. Bytes are rough sizes in V8: one byte for a character, 16 bytes for an element of a list.

import { isBytes, type Text } from "../../text/bytes.ts";
import { byteLength } from "../../text/utf8.ts";
import type { Value } from "./value.ts";

export const defaultMaxBytes = 64 * 1024 * 1024;

/** The error for too large values; the block around adds the place of its statement. */
export class OverMemory extends Error {}

const listBytes = 64;
const elementBytes = 16;
const mapBytes = 128;
const entryBytes = 64;
const textBytes = 32;
export const pieceBytes = 32;
/** Bytes of a scalar in a list, map or variable. */
const scalarBytes = 16;

/** The most bytes of UTF-8 that one UTF-16 unit of a text takes. */
export const mostWidth = 3;

/** Number of values that are measured for one step. */
const measuredPerStep = 4;

/** Largest start value of the count: V8 keeps a field with small integers without a box. */
const mostLeft = 2 ** 30 - 1;

export class Memory {
  /** Bytes that may be made before the values have to be measured; below 0 they must be measured. */
  left = mostLeft;
  /** Values that loops iterate over, because no variable may hold them. */
  readonly looped: Value[] = [];
  /** Variables of the scripts that called the current one. */
  readonly callers: (readonly unknown[])[] = [];
  private limit = Number.POSITIVE_INFINITY;
  /** Bytes that stay in use to the end of the run: texts written to points, created points. */
  private kept = 0;

  /** Starts a run with a limit in bytes; `limit` 0 means no limit. */
  start(limit: number): void {
    this.limit = limit === 0 ? Number.POSITIVE_INFINITY : limit;
    this.left = Math.min(this.limit, mostLeft);
    this.kept = 0;
    // Setting the length of an array costs a tenth of a short script, and both arrays are nearly always empty.
    if (this.looped.length > 0) this.looped.length = 0;
    if (this.callers.length > 0) this.callers.length = 0;
  }

  /** Counts bytes before or while they are made. Throws when one statement makes as much again as the run may hold. */
  make(bytes: number): void {
    this.left -= bytes;
    if (this.left < -this.limit) this.fail();
  }

  makeText(length: number): void {
    this.make(textBytes + length);
  }

  /** Counts a text that is joined from this many pieces: the pieces and the text exist at the same time. */
  makeJoined(length: number, pieces: number): void {
    this.make(2 * length + pieces * pieceBytes);
  }

  makeList(elements: number): void {
    this.make(listBytes + elements * elementBytes);
  }

  makeMap(entries: number): void {
    this.make(mapBytes + entries * entryBytes);
  }

  makeEntry(key: string): void {
    this.make(entryBytes + key.length);
  }

  /** Counts bytes that stay to the end of the run. */
  keep(bytes: number): void {
    this.kept += bytes;
    if (this.kept > this.limit) this.fail();
    this.make(bytes);
  }

  /** Returns whether this many more bytes could be kept. */
  hasRoom(bytes: number): boolean {
    return this.kept + bytes <= this.limit;
  }

  /** Throws when this many more bytes could not be kept; called while a long text is made. */
  checkRoom(bytes: number): void {
    if (!this.hasRoom(bytes)) this.fail();
  }

  /** Throws when the text takes too many bytes as UTF-8. Reads its characters only when the answer depends on them. */
  checkText(text: Text): void {
    if (!this.hasRoom(text.length * mostWidth)) this.checkRoom(byteLength(text));
  }

  /** Measures the variables and throws when they and `more` bytes are too much. Returns the steps that the measuring costs. */
  measure(locals: readonly unknown[], more = 0): number {
    const { bytes, values } = sizeOf([...this.callers.flat(), ...locals, ...this.looped] as Value[]);
    if (this.kept + bytes + more > this.limit) this.fail();
    // At least a quarter of the limit, so that measuring takes no more time than making values.
    this.left = Math.min(Math.max(this.limit - this.kept - bytes, Math.ceil(this.limit / 4)), mostLeft);
    return Math.ceil(values / measuredPerStep);
  }

  private fail(): never {
    throw new OverMemory(`values of the script exceed ${this.limit} bytes`);
  }
}

/** Returns the bytes of values with everything they hold (each container once), and the number of values. */
export function sizeOf(roots: readonly (Value | undefined)[]): { readonly bytes: number; readonly values: number } {
  let bytes = 0;
  let values = 0;
  const open: (readonly (Value | undefined)[])[] = [roots];
  const seen = new Set<object>();
  for (let list = open.pop(); list !== undefined; list = open.pop()) {
    values += list.length;
    for (const value of list) {
      if (typeof value === "string") bytes += textBytes + value.length;
      else if (typeof value !== "object" || value === null) continue;
      else if (Array.isArray(value) || value instanceof Map) {
        if (seen.has(value)) continue;
        seen.add(value);
        if (Array.isArray(value)) {
          bytes += listBytes + value.length * elementBytes;
          open.push(value);
        } else {
          bytes += mapBytes + value.size * entryBytes;
          for (const key of value.keys()) bytes += key.length;
          open.push([...value.values()]);
        }
      } else bytes += isBytes(value) ? textBytes + value.length : scalarBytes;
    }
  }
  return { bytes, values };
}
