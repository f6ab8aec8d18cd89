// What a match of a grok expression gives, before any string or object is made: spans and values by field, in typed arrays.

import { type Integer, integer } from "../point/value.ts";
import type { EncodedText } from "../regex/encoded-text.ts";
import type { FieldType } from "./patterns.ts";

export interface GrokField {
  readonly name: string;
  readonly type: FieldType;
}

/** A field and the groups of its name, in order of their left parentheses. */
export interface FieldGroups extends GrokField {
  readonly groups: readonly number[];
}

/** The fields of one match, by index in the expression's fields. */
export interface FieldCaptures {
  /** Start and end of each field's text, trimmed, in bytes; -1 twice when none of its groups took part. */
  readonly spans: Int32Array;
  /** The values of typed fields: an int64, a double, or 0 and 1 of a bool. `floats` and `words` are the same memory. */
  readonly floats: Float64Array;
  /** Low and high word of each. */
  readonly words: Int32Array;
  /** The group that decided. */
  readonly groups: Int32Array;
}

/** The captures of a batch of lines, as offsets into its bytes. Field f of line l has the index `l * fields + f`. */
export interface BatchCaptures {
  /** By line: 1 when it matched. */
  readonly matched: Uint8Array;
  /**
   * Start and end of the text of each field, in the order of `fields`: those of index i at `2 * i`. -1 twice when the line did not
   * match or none of the field's groups took part.
   */
  readonly offsets: Int32Array;
  /** By index, the value of a typed field: an int64, a double, or 0 and 1 of a bool. `floats` and `ints` are the same memory. */
  readonly floats: Float64Array;
  readonly ints: BigInt64Array;
}

/** Searches texts and reads the fields of what is found. */
export interface CaptureReader {
  /** The fields of the last match. */
  readonly last: FieldCaptures;
  /** Null when there is no match, else the text where it lies now: a view of the module's memory is renewed. */
  match(input: string | Uint8Array, trim: boolean): EncodedText | null;
  /** Fills the captures of lines whose bounds are `lines[2 * i]` and `lines[2 * i + 1]`. */
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

/** The value of a field that has a type other than string. */
export function valueOfField({ floats, words }: FieldCaptures, field: number, type: FieldType): Integer | boolean {
  if (type === "float") return floats[field] as number;
  const low = words[2 * field] as number;
  if (type === "bool") return low !== 0;
  const high = words[2 * field + 1] as number;
  const value = high * 0x100000000 + (low >>> 0);
  return Number.isSafeInteger(value) ? value : (BigInt(high) << 32n) | BigInt(low >>> 0);
}

/** The value at an index of a batch, of a field that has a type other than string. */
export function valueInBatch({ floats, ints }: BatchCaptures, at: number, type: FieldType): Integer | boolean {
  if (type === "float") return floats[at] as number;
  return type === "bool" ? ints[at] !== 0n : integer(ints[at] as bigint);
}
