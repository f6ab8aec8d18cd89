// The interface of a point for the rest of the library, whether the point lies on a tape (Cursor) or in JavaScript
// (Point).

import type { Bytes, Text } from "../text/bytes.ts";
import type { PointValue } from "./value.ts";

/** One entry of a point, as `entries()` returns it. */
export interface Entry {
  readonly key: string;
  readonly value: PointValue;
  readonly isTag: boolean;
}

/** A correction that was made while decoding (docs/reference/points.md#warnings). */
export interface Warning {
  readonly type: string;
  readonly message: string;
}

/** Properties of an entry that only PBJSON and protobuf carry (docs/reference/points.md#pbjson). */
export interface EntryTraits {
  /** Number of the metric type, 0 when unspecified. */
  readonly metricType: number;
  /** Unit of the value; empty when there is none. */
  readonly unit: string;
  readonly description: string;
}

/**
 * A point that can be read and changed. Tags and fields share one ordered list; a key is unique in it. A tag's value is
 * always text.
 */
export interface PointView {
  /** Measurement of the point; for other categories the log source, class or rule. */
  name: string;
  /** Time in nanoseconds since 1970-01-01 UTC. */
  time: bigint;
  has(key: Key): boolean;
  isTag(key: Key): boolean;
  /** Returns the value of a tag or field; `undefined` when the key is absent, null when the key has no value. */
  get(key: Key): PointValue | undefined;
  /** Returns the text of a key without a copy; `undefined` when its value is not a text or lies in JavaScript. */
  textInPlace?(key: Key): Bytes | undefined;
  /** Makes `key` a field with this value: in place when the key exists (also when it was a tag), else appended. */
  setField(key: Key, value: PointValue): void;
  /** Makes `key` a tag with this text: in place when the key exists (also when it was a field), else appended. */
  setTag(key: Key, value: Text): void;
  /** Removes the key and keeps the order of the others. Returns false when the key was absent. */
  delete(key: Key): boolean;
  /**
   * Gives the entry another key and keeps its value and kind; an entry that has the key `to` already is removed.
   * Returns false when `from` is absent.
   */
  rename(from: Key, to: Key): boolean;
  entries(): Iterable<Entry>;
  /** The corrections made so far. */
  readonly warnings?: readonly Warning[];
  /** Returns the metric type, unit and description of an entry; `undefined` for most entries. */
  traits?(key: string): EntryTraits | undefined;
}

/** Points that can be read one by one, in their order: a batch, or some of its points. */
export interface PointSeries extends Iterable<PointView> {
  readonly length: number;
  /**
   * Returns the point at `index`, to read and change. All calls return one object, which the next call moves to another
   * point.
   */
  at(index: number): PointView;
  /** Returns the points with these indexes, which must ascend; the points are not copied. */
  select(indexes: readonly number[]): PointSeries;
}

/**
 * A key that is looked up many times. It is made once (when a script is compiled) and remembers its id in the batch
 * that used it last, so that reading a key on a tape is a comparison of integers.
 */
export class Key {
  readonly text: string;
  /** The batch that `id` belongs to. Only the tape's code uses this property. */
  batch: unknown = null;
  /** This key's id in `batch`. Only the tape's code uses this property. */
  id = -1;

  constructor(text: string) {
    this.text = text;
  }
}

const encoder = new TextEncoder();

/**
 * A text that is written many times, such as a constant of a script. It remembers its address in the batch that used it
 * last.
 */
export class Literal {
  readonly text: string;
  /** The text as UTF-8. */
  readonly bytes: Uint8Array;
  /** Whether every equal text has the same bytes. This is false when U+FFFD may stand for bytes that are not UTF-8. */
  readonly isComparable: boolean;
  /** The batch that `address` belongs to. Only the tape's code uses this property. */
  batch: unknown = null;
  address = 0;

  constructor(text: string) {
    this.text = text;
    this.bytes = encoder.encode(text);
    this.isComparable = !/[\ufffd\p{Surrogate}]/u.test(text);
  }
}
