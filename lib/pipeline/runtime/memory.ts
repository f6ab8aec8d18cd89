// Limits the memory of a run: the bytes of the values that a script makes. Every new value is counted. When the
// count reaches the limit, the values that are still in use are measured. So a script may make and drop as many
// values as its step limit allows. Sizes are rough estimates for V8: one byte for a character, 16 bytes for an
// element of a list.

import { isBytes, type Text } from "../../text/bytes.ts";
import { byteLength } from "../../text/utf8.ts";
import type { Value } from "./value.ts";

export const defaultMaxBytes = 64 * 1024 * 1024;

/**
 * The error for a run whose values are too large. At first the error has no position. The compiled code of the block
 * that contains the failed statement adds the position of this statement (compile/block.ts).
 */
export class OverMemory extends Error {}

const listBytes = 64;
const elementBytes = 16;
const mapBytes = 128;
const entryBytes = 64;
const textBytes = 32;
export const pieceBytes = 32;
/**
 * Estimated number of bytes that a point needs for a key in addition to the key's name. It is counted for keys
 * whose names a script computes while it runs.
 */
export const keyBytes = 64;
/** Estimated bytes of a scalar (a number, bool or nil) in a list, map or variable. */
const scalarBytes = 16;

/**
 * Largest number of copies of a string argument that a function has in memory at the same time: the argument as
 * given, the argument as one contiguous string, the bytes of the argument, and the result.
 */
export const copies = 4;

/** The largest number of UTF-8 bytes that one UTF-16 unit of a string takes. */
export const mostWidth = 3;

/** Number of values whose sizes are measured for one step of the run's step limit. */
const measuredPerStep = 4;

/**
 * Largest start value of the counter `left`. V8 stores an integer up to this size directly in a field, without
 * allocating an object for the number.
 */
const mostLeft = 2 ** 30 - 1;

export class Memory {
  /**
   * Number of bytes of new values that the script may still make before the values in use are measured again. When
   * the number is below 0, the values must be measured now.
   */
  left = mostLeft;
  /**
   * Values over which `for` loops are iterating now. These values still take memory, even when no variable refers
   * to them any more.
   */
  readonly looped: Value[] = [];
  /** Variables of the scripts that have called the current script by `use`. */
  readonly callers: (readonly unknown[])[] = [];
  private limit = Number.POSITIVE_INFINITY;
  /** Bytes that stay in use until the end of the run: strings written to points, and created points. */
  private kept = 0;

  /** Starts a run with a limit in bytes; `limit` 0 means no limit. */
  start(limit: number): void {
    this.limit = limit === 0 ? Number.POSITIVE_INFINITY : limit;
    this.left = Math.min(this.limit, mostLeft);
    this.kept = 0;
    // `looped` and `callers` are nearly always empty, so they are cleared only when needed: setting an array's length
    // to 0 takes a tenth of the time of a short script.
    if (this.looped.length > 0) this.looped.length = 0;
    if (this.callers.length > 0) this.callers.length = 0;
  }

  /**
   * Counts the bytes of new values. Throws when the values of one statement alone take more bytes than the limit of the
   * run.
   */
  make(bytes: number): void {
    this.left -= bytes;
    if (this.left < -this.limit) this.fail();
  }

  makeText(length: number): void {
    this.make(textBytes + length);
  }

  /**
   * Counts the bytes of a string that is joined from `pieces` shorter strings. The short strings are counted, too,
   * because they exist at the same time as the joined string.
   */
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

  /** Counts bytes that stay in use until the end of the run. */
  keep(bytes: number): void {
    this.kept += bytes;
    if (this.kept > this.limit) this.fail();
    this.make(bytes);
  }

  /** Returns whether the memory limit leaves room to keep `bytes` more bytes until the end of the run. */
  hasRoom(bytes: number): boolean {
    return this.kept + bytes <= this.limit;
  }

  /**
   * Returns whether there certainly is room for a string of this many bytes and its copies. The values of the
   * script are not measured for the answer.
   */
  hasRoomForCopies(bytes: number): boolean {
    const most = bytes * copies * mostWidth;
    return most <= this.left && this.hasRoom(most);
  }

  /** Throws when the memory limit leaves no room to keep `bytes` more bytes; called while a long string is made. */
  checkRoom(bytes: number): void {
    if (!this.hasRoom(bytes)) this.fail();
  }

  /**
   * Throws when the string takes too many bytes as UTF-8. Reads the characters only when the number of UTF-16
   * units is not enough to decide this.
   */
  checkText(text: Text): void {
    if (!this.hasRoom(text.length * mostWidth)) this.checkRoom(byteLength(text));
  }

  /**
   * Measures the values of the script's variables. Throws when these values together with `more` further bytes
   * exceed the memory limit. Returns the number of steps that the measurement costs.
   */
  measure(locals: readonly unknown[], more = 0): number {
    const { bytes, values } = sizeOf([...this.callers.flat(), ...locals, ...this.looped] as Value[]);
    if (this.kept + bytes + more > this.limit) this.fail();
    // Values are measured again only after the script has made new values of at least a quarter of the limit. So
    // measuring takes no more time than making values.
    this.left = Math.min(Math.max(this.limit - this.kept - bytes, Math.ceil(this.limit / 4)), mostLeft);
    return Math.ceil(values / measuredPerStep);
  }

  private fail(): never {
    throw new OverMemory(`values of the script exceed ${this.limit} bytes`);
  }
}

/**
 * Returns the bytes of the values and of everything inside them (each container is counted once), and the number of
 * values.
 */
export function sizeOf(roots: readonly (Value | undefined)[]): { readonly bytes: number; readonly values: number } {
  let bytes = 0;
  let values = 0;
  const open: (readonly (Value | undefined)[])[] = [roots];
  const seen = new Set<object>();
  for (let list = open.pop(); list !== undefined; list = open.pop()) {
    values += list.length;
    for (const value of list) {
      // Without this line, the code that V8 of Node 20 makes of the loop may read a small integer as an address, and
      // the process crashes.
      if (typeof value === "number") continue;
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
