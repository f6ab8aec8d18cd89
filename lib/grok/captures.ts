// The captures of a match of a grok expression, before any string or object is made: the spans and values of each
// field, in typed arrays.

import type { EncodedText } from "../regex/encoded-text.ts";
import { type Integer, integer } from "../text/integer.ts";
import type { FieldType } from "./patterns.ts";

/** A field of a grok expression. */
export interface GrokField {
  readonly name: string;
  readonly type: FieldType;
}

/** A field and the groups with its name, in the order of their left parentheses. */
export interface FieldGroups extends GrokField {
  readonly groups: readonly number[];
}

/** The fields of one match; all arrays are indexed like the expression's fields. */
export interface FieldCaptures {
  /** Start and end of each field's trimmed text, in bytes; -1 twice when none of its groups took part. */
  readonly spans: Int32Array;
  /** The values of typed fields: an int64, a double, or 0 and 1 for a bool. `floats` and `words` are the same memory. */
  readonly floats: Float64Array;
  /** Low and high word of each value. */
  readonly words: Int32Array;
  /** The number of the group that gave each field's value. */
  readonly groups: Int32Array;
}

/** The captures of a batch of lines, as offsets into its bytes. Field f of line l has the index `l * fields + f`. */
export interface BatchCaptures {
  /** For each line: 1 when it matched, else 0. */
  readonly matched: Uint8Array;
  /**
   * Start and end of each field's text, in the order of `fields`: the two numbers of index i are at `2 * i`. Both are
   * -1 when the line did not match or none of the field's groups took part.
   */
  readonly offsets: Int32Array;
  /**
   * The value of a typed field at each index: an int64, a double, or 0 and 1 for a bool. `floats` and `ints` are the
   * same memory.
   */
  readonly floats: Float64Array;
  readonly ints: BigInt64Array;
}

/** Searches texts and reads the fields of their matches. */
export interface CaptureReader {
  /** The fields of the last match. */
  readonly last: FieldCaptures;
  /**
   * Searches a text. Returns null when there is no match, else the text with its current address: a view of the
   * module's memory is renewed.
   */
  match(input: string | Uint8Array, trim: boolean): EncodedText | null;
  /** Fills the captures of the lines from `lines[2 * i]` to `lines[2 * i + 1]`. */
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

/** Returns the value of a field whose type is not string. */
export function valueOfField({ floats, words }: FieldCaptures, field: number, type: FieldType): Integer | boolean {
  if (type === "float") return floats[field] as number;
  const low = words[2 * field] as number;
  if (type === "bool") return low !== 0;
  const high = words[2 * field + 1] as number;
  const value = high * 0x100000000 + (low >>> 0);
  return Number.isSafeInteger(value) ? value : (BigInt(high) << 32n) | BigInt(low >>> 0);
}

/** Returns the value at an index of a batch, for a field whose type is not string. */
export function valueInBatch({ floats, ints }: BatchCaptures, at: number, type: FieldType): Integer | boolean {
  if (type === "float") return floats[at] as number;
  return type === "bool" ? ints[at] !== 0n : integer(ints[at] as bigint);
}
