// The interface through which the library reads and changes a point. The point is a JavaScript object (Point) or lies
// on a tape, the binary form of points in WebAssembly memory (Cursor).

import { requireString } from "../text/argument.ts";
import type { Bytes, Text } from "../text/bytes.ts";
import type { PointValue } from "./value.ts";

/** One entry (tag or field) of a point, as `entries()` returns it. */
export interface Entry {
  readonly key: string;
  readonly value: PointValue;
  readonly isTag: boolean;
}

/**
 * A warning: describes a correction that was made to a point while it was decoded (docs/reference/points.md#warnings).
 */
export interface Warning {
  readonly type: string;
  readonly message: string;
}

/** Properties of a tag or field that only PBJSON and protobuf can express (docs/reference/points.md#pbjson). */
export interface EntryTraits {
  /** Number of the metric type; 0 when it is not specified. */
  readonly metricType: number;
  /** Unit of the field's values; empty when there is none. */
  readonly unit: string;
  readonly description: string;
}

/**
 * A point that can be read and changed. Its tags and fields are one ordered list, in which every key is unique. The
 * value of a tag is always a string.
 */
export interface PointView {
  /**
   * Name of the point: the measurement of a metric, the source of a log, the class of an object or the name of a
   * rule, depending on the category.
   */
  name: string;
  /** Time of the point in nanoseconds since 1970-01-01 UTC. */
  time: bigint;
  has(key: Key): boolean;
  isTag(key: Key): boolean;
  /** Returns the value of a tag or field; `undefined` when the key is absent, null when the key has no value. */
  get(key: Key): PointValue | undefined;
  /**
   * Returns the string value of a key as bytes in the batch's memory, without a copy; `undefined` when the value is not
   * a string or is stored in JavaScript.
   */
  textInPlace?(key: Key): Bytes | undefined;
  /**
   * Sets the field `key` to the given value. If the point has a field or tag with this key already, the new field
   * takes its position; otherwise the new field is appended.
   */
  setField(key: Key, value: PointValue): void;
  /**
   * Sets the tag `key` to the given string. If the point has a tag or field with this key already, the new tag
   * takes its position; otherwise the new tag is appended.
   */
  setTag(key: Key, value: Text): void;
  /**
   * Removes the tag or field with the given key. The order of the other tags and fields does not change. Returns
   * false when the key was absent.
   */
  delete(key: Key): boolean;
  /**
   * Renames the key `from` to `to` and keeps its value and type. Another tag or field that has the key `to` is removed.
   * Returns false when `from` is absent.
   */
  rename(from: Key, to: Key): boolean;
  entries(): Iterable<Entry>;
  /** Warnings about the corrections made to the point so far. */
  readonly warnings?: readonly Warning[];
  /**
   * Returns the metric type, unit and description of a tag or field. Returns `undefined` for a tag or field
   * without these properties, which is the usual case.
   */
  traits?(key: string): EntryTraits | undefined;
}

/** A list of points that can be read one by one: a batch, or some of its points. */
export interface PointSeries extends Iterable<PointView> {
  readonly length: number;
  /**
   * Returns the point at `index`, which can be read and changed. Every call returns the same object; the object
   * represents the point of the latest call.
   */
  at(index: number): PointView;
  /** Returns the points with the given indexes, which must ascend; the points are not copied. */
  select(indexes: readonly number[]): PointSeries;
}

/**
 * A key that is looked up in many points. The object is made once, for example when a script is compiled, and remembers
 * the key's id in the batch that was used last. Finding the key in a point of this batch is then a comparison of
 * integers.
 */
export class Key {
  readonly text: string;
  /** The batch for which `id` is valid. Only code in `batch/` uses this property. */
  batch: unknown = null;
  /** The id of the key in `batch`. Only code in `batch/` uses this property. */
  id = -1;

  constructor(text: string) {
    requireString("Key", "text", text);
    this.text = text;
  }
}

const encoder = new TextEncoder();

/**
 * A string that is written to many points, such as a constant of a script. The object remembers the string's address in
 * the batch that was used last.
 */
export class Literal {
  readonly text: string;
  /** The string as UTF-8 bytes. */
  readonly bytes: Uint8Array;
  /**
   * Whether the string may be compared with other strings by its UTF-8 bytes. False when it contains U+FFFD, because
   * another string may show the same character in place of bytes that are not UTF-8.
   */
  readonly isComparable: boolean;
  /** The batch for which `address` is valid. Only code in `batch/` uses this property. */
  batch: unknown = null;
  address = 0;

  constructor(text: string) {
    this.text = text;
    this.bytes = encoder.encode(text);
    this.isComparable = !/[\ufffd\p{Surrogate}]/u.test(text);
  }
}
