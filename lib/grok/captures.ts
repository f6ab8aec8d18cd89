// The captures of a grok match as typed arrays of offsets and values. Strings and objects are made from these arrays
// only when they are needed.

import type { EncodedText } from "../regex/encoded-text.ts";
import { type Integer, integer } from "../text/integer.ts";
import type { FieldType } from "./patterns.ts";

/** A field of a grok expression. */
export interface GrokField {
  readonly name: string;
  readonly type: FieldType;
}

/**
 * A field, and the numbers of all regex groups that have the name of the field, in the order of their left parentheses.
 */
export interface FieldGroups extends GrokField {
  readonly groups: readonly number[];
}

/**
 * The captures of one match. All arrays have one element (or pair) for each field, in the order of the expression's
 * fields.
 */
export interface FieldCaptures {
  /**
   * Start and end of each field's trimmed text in bytes; both are -1 when none of the field's groups took part in the
   * match.
   */
  readonly spans: Int32Array;
  /**
   * Value of each field that is not a string: an int64, a double, or (for a bool) 0 or 1. The array `words` is a view
   * of the same memory as 32-bit words.
   */
  readonly floats: Float64Array;
  /** The memory of `floats` as 32-bit words: low and high word of each value. */
  readonly words: Int32Array;
  /** For each field, the number of the regex group that captured the field's value. */
  readonly groups: Int32Array;
}

/**
 * The captures of many lines, as offsets into the bytes that contain the lines. Field f of line l has the index
 * `l * fields + f`.
 */
export interface BatchCaptures {
  /** For each line: 1 when it matched, 0 when it did not. */
  readonly matched: Uint8Array;
  /**
   * Start and end of each field's text. For field f of line l, with `i = l * fields + f`, the start is at index `2 * i`
   * and the end at `2 * i + 1`. Both are -1 when the line did not match or none of the field's groups took part in the
   * match.
   */
  readonly offsets: Int32Array;
  /**
   * Values of the fields that are not strings, at the index `l * fields + f`: an int64, a double, or 0 and 1 for a
   * bool. `floats` and `ints` share memory.
   */
  readonly floats: Float64Array;
  readonly ints: BigInt64Array;
}

/** Searches strings or bytes with a grok expression and reads the fields of the matches. */
export interface CaptureReader {
  /** The captures of the last match that `match` found; the next match overwrites them. */
  readonly last: FieldCaptures;
  /**
   * Searches the input. Returns the input as encoded bytes; null when the expression does not match the input. The
   * call may move the WebAssembly memory, so the caller must no longer use an older JavaScript view of the input.
   */
  match(input: string | Uint8Array, trim: boolean): EncodedText | null;
  /**
   * Fills `into` with the captures of all lines; line i is the byte range from `lines[2 * i]` to `lines[2 * i + 1]`.
   */
  matchLines(bytes: Uint8Array, lines: Uint32Array, trim: boolean, into: BatchCaptures): void;
}

export function fieldCaptures(fields: number): FieldCaptures {
  const floats = new Float64Array(fields);
  return {
    spans: new Int32Array(fields * 2),
    floats,
    words: new Int32Array(floats.buffer),
    groups: new Int32Array(fields),
  };
}

export function batchCaptures(lines: number, fields: number): BatchCaptures {
  const floats = new Float64Array(lines * fields);
  return {
    matched: new Uint8Array(lines),
    offsets: new Int32Array(lines * fields * 2),
    floats,
    ints: new BigInt64Array(floats.buffer),
  };
}

/** Returns the value that a match captured for a field whose type is not string. */
export function valueOfField({ floats, words }: FieldCaptures, field: number, type: FieldType): Integer | boolean {
  if (type === "float") return floats[field] as number;
  const low = words[2 * field] as number;
  if (type === "bool") return low !== 0;
  const high = words[2 * field + 1] as number;
  const value = high * 0x100000000 + (low >>> 0);
  return Number.isSafeInteger(value) ? value : (BigInt(high) << 32n) | BigInt(low >>> 0);
}

/**
 * Returns the captured value at index `at` of the arrays in `BatchCaptures`, which contain the captures of many
 * lines. The type of the field is `type`, which must not be `string`.
 */
export function valueInBatch({ floats, ints }: BatchCaptures, at: number, type: FieldType): Integer | boolean {
  if (type === "float") return floats[at] as number;
  return type === "bool" ? ints[at] !== 0n : integer(ints[at] as bigint);
}
