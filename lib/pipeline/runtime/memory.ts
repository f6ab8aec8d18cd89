// The memory of a run: bytes of the values that a script makes, against a limit. What is made is counted; when the count has used up the
// limit, the values that the script still holds are measured, so that a script may make and forget as much as its steps allow. Bytes are
// those of V8, roundly: a character is one byte, a list 16 bytes an element.

import { byteLength } from "../../point/text.ts";
import { isBytes, type Text } from "../../point/value.ts";
import type { Value } from "./value.ts";

export const defaultMaxBytes = 64 * 1024 * 1024;

/** Thrown where values are made; the block around adds the place of its statement. */
export class OverMemory extends Error {}

const listBytes = 64;
const elementBytes = 16;
const mapBytes = 128;
const entryBytes = 64;
const textBytes = 32;
export const pieceBytes = 32;
/** A value that lies in a list, map or variable. */
const scalarBytes = 16;

/** Bytes of UTF-8 that a UTF-16 unit of a text takes at most. */
export const mostWidth = 3;

/** Values measured for one step. */
const measuredPerStep = 4;

/** The largest count at the start: V8 keeps a field that holds only small integers without a box. */
const mostLeft = 2 ** 30 - 1;

export class Memory {
  /** Bytes that may be made before the values have to be measured: below 0 they have to be. */
  left = mostLeft;
  /** Values that loops go over: no variable may hold them. */
  readonly looped: Value[] = [];
  /** Variables of the scripts that called the one that runs. */
  readonly callers: (readonly unknown[])[] = [];
  private limit = Number.POSITIVE_INFINITY;
  /** Bytes that nothing gives back before the run is over: texts written to points, created points. */
  private kept = 0;

  /** A run begins; `limit` 0: no limit. */
  start(limit: number): void {
    this.limit = limit === 0 ? Number.POSITIVE_INFINITY : limit;
    this.left = Math.min(this.limit, mostLeft);
    this.kept = 0;
    // Setting the length of an array costs a tenth of a short script, and both are nearly always empty.
    if (this.looped.length > 0) this.looped.length = 0;
    if (this.callers.length > 0) this.callers.length = 0;
  }

  /** Counts bytes before or while they are made; fails when one statement makes as much again as the run may hold. */
  make(bytes: number): void {
    this.left -= bytes;
    if (this.left < -this.limit) this.fail();
  }

  makeText(length: number): void {
    this.make(textBytes + length);
  }

  /** The same for so many pieces: they and the text that is joined from them are there at once. */
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

  /** Whether so many bytes more could be kept. */
  hasRoom(bytes: number): boolean {
    return this.kept + bytes <= this.limit;
  }

  /** Fails when so many bytes more could not be kept: asked while a long text is made. */
  checkRoom(bytes: number): void {
    if (!this.hasRoom(bytes)) this.fail();
  }

  /** Fails before a text is kept as UTF-8 that takes too many bytes: its characters are looked at only when that is in doubt. */
  checkText(text: Text): void {
    if (!this.hasRoom(text.length * mostWidth)) this.checkRoom(byteLength(text));
  }

  /** Fails when the variables, and `more` bytes besides, are too much, else lets the run go on. Returns the steps that measuring took. */
  measure(locals: readonly unknown[], more = 0): number {
    const { bytes, values } = sizeOf([...this.callers.flat(), ...locals, ...this.looped] as Value[]);
    if (this.kept + bytes + more > this.limit) this.fail();
    // Never much less than a quarter, so that measuring takes no more time than making.
    this.left = Math.min(Math.max(this.limit - this.kept - bytes, Math.ceil(this.limit / 4)), mostLeft);
    return Math.ceil(values / measuredPerStep);
  }

  private fail(): never {
    throw new OverMemory(`values of the script exceed ${this.limit} bytes`);
  }
}

/** Bytes of values with all that they hold, each container once; and how many values these are. */
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
