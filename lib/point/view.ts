// What the rest of the library needs of a point, whether it lies on a tape (Cursor) or in JavaScript (Point).

import type { Bytes, PointValue, Text } from "./value.ts";

/** One entry of a point as listed by `entries()`. */
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

/** What only PBJSON and protobuf say about an entry (docs/reference/points.md#pbjson). */
export interface EntryTraits {
  /** Number of the metric type, 0 when unspecified. */
  readonly metricType: number;
  /** Empty when there is none. */
  readonly unit: string;
  readonly description: string;
}

/**
 * A point being read and changed. Tags and fields share one ordered list; a key is unique in it.
 * A tag's value is always text.
 */
export interface PointView {
  /** Measurement, log source, class or rule. */
  name: string;
  /** Nanoseconds since 1970-01-01 UTC. */
  time: bigint;
  has(key: Key): boolean;
  isTag(key: Key): boolean;
  /** The value of a tag or field; `undefined` when the key is absent, null when it is there without a value. */
  get(key: Key): PointValue | undefined;
  /** The text of a key where it lies; `undefined` when its value is no text or lies in JavaScript. */
  textInPlace?(key: Key): Bytes | undefined;
  /** Makes `key` a field of this value: in place when it exists (also when it was a tag), else appended. */
  setField(key: Key, value: PointValue): void;
  /** Makes `key` a tag with this text: in place when it exists (also when it was a field), else appended. */
  setTag(key: Key, value: Text): void;
  /** Removes the key, keeps the order of the others; false when it was absent. */
  delete(key: Key): boolean;
  /** Gives the entry another key, value and kind untouched; an entry that has `to` already is removed. False when `from` is absent. */
  rename(from: Key, to: Key): boolean;
  entries(): Iterable<Entry>;
  /** The corrections made so far. */
  readonly warnings?: readonly Warning[];
  /** Metric type, unit and description of an entry; `undefined` for most. */
  traits?(key: string): EntryTraits | undefined;
}

/** Points that can be asked for one by one, in their order: a batch, or some of its points. */
export interface PointSeries extends Iterable<PointView> {
  readonly length: number;
  /** The point at `index` to read and change: one object that is moved, valid until the next `at`. */
  at(index: number): PointView;
  /** Those of its points, by their places in ascending order; they stay where they lie. */
  select(indexes: readonly number[]): PointSeries;
}

/**
 * A key that is looked up again and again: made once (when a script is compiled), it remembers its id in the
 * batch that was asked last, so that reading a key on a tape is an integer compare.
 */
export class Key {
  readonly text: string;
  /** Owned by the tape: the batch that `id` belongs to. */
  batch: unknown = null;
  /** Owned by the tape: this key's id in `batch`. */
  id = -1;

  constructor(text: string) {
    this.text = text;
  }
}

const encoder = new TextEncoder();

/** A text that is written again and again, as those of a script are: it remembers where it lies in the batch that was asked last. */
export class Literal {
  readonly text: string;
  /** UTF-8. */
  readonly bytes: Uint8Array;
  /** Texts that are equal to it have the same bytes: not so where U+FFFD may stand for bytes that are not UTF-8. */
  readonly isComparable: boolean;
  /** Owned by the tape: the batch that `address` belongs to. */
  batch: unknown = null;
  address = 0;

  constructor(text: string) {
    this.text = text;
    this.bytes = encoder.encode(text);
    this.isComparable = !/[\ufffd\p{Surrogate}]/u.test(text);
  }
}
