// The points of a decoded body, with plain values and with keys as strings. The points stay in the batch's memory, and
// a `DecodedPoint` holds only an index, so a program can keep many of them.

import type { PointBatch } from "../point/batch/batch.ts";
import { shownValue } from "../point/changes.ts";
import { rememberedKeys } from "../point/remembered-keys.ts";
import type { PointValue } from "../point/value.ts";
import type { Key, PointView, Warning } from "../point/view.ts";
import { type OptionNames, refuse, requireOneOf, requireOptions, requireString } from "../text/argument.ts";
import { disposeSymbol } from "../text/dispose.ts";
import { shownText } from "../text/shown-text.ts";
import { type JsonPoint, jsonPointOf, type ObjectOptions, type PlainPoint, plainPointOf } from "./plain-point.ts";
import { type FieldInput, fieldText, fieldValue, type PlainValue, plainValue } from "./plain-value.ts";
import { dateOf, nanosecondsOf, type Time, timeText } from "./time.ts";

/** The key of the method that Node's console and `util.inspect` call to show an object; other consoles ignore it. */
const inspectSymbol = Symbol.for("nodejs.util.inspect.custom");
/** Largest number of points that `inspect` shows. */
const mostShown = 20;
/** Largest number of bytes of one value that `inspect` shows. */
const mostOfValue = 200;

/**
 * The points of one body. Release them after use: `using points = mill.decode(body)` or `points.release()`. After that,
 * every use throws an Error. Points that are never released are freed some time after they were garbage collected. This
 * may be too late for a program that decodes many bodies.
 *
 * @example
 * const points = mill.decode("cpu,host=a load=0.5 1700000000");
 * for (const point of points) console.log(point.get("load")); // 0.5
 * points.release();
 */
export class DecodedPoints implements Iterable<DecodedPoint> {
  /** The batch that holds the points, for functions such as `runAll` and `encodeTo`. */
  readonly batch: PointBatch;
  private readonly keys: (text: string) => Key;

  /** Only `Millrace.decode` calls this constructor. */
  constructor(batch: PointBatch) {
    this.batch = batch;
    this.keys = rememberedKeys();
  }

  /** Number of points in the batch. */
  get length(): number {
    return this.batch.length;
  }

  /** Returns the point at an index. Throws a RangeError unless the index is from 0 to `length` - 1. */
  at(index: number): DecodedPoint {
    this.batch.at(index);
    return new DecodedPoint(this.batch, index, this.keys);
  }

  *[Symbol.iterator](): Iterator<DecodedPoint, undefined> {
    for (let index = 0; index < this.batch.length; index++) yield new DecodedPoint(this.batch, index, this.keys);
  }

  /** Returns copies of all points as plain objects, which stay valid after `release`. */
  toObjects<T extends "date" | "ns" = "date">(options?: ObjectOptions<T>): PlainPoint<TimeOf<T>>[] {
    checkObjectOptions("toObjects", options);
    const { batch } = this;
    const objects: PlainPoint<TimeOf<T>>[] = [];
    for (let index = 0; index < batch.length; index++) objects.push(plainPointOf<TimeOf<T>>(batch.at(index), options));
    return objects;
  }

  /**
   * Returns copies of all points as JSON values from which the points can be restored exactly. `JSON.stringify(points)`
   * calls this method.
   */
  toJSON(): JsonPoint[] {
    return Array.from(this.batch, jsonPointOf);
  }

  /** Frees the memory of the points. Every later use throws an Error; a second `release` does nothing. */
  release(): void {
    this.batch.release();
  }

  [disposeSymbol](): void {
    this.batch.release();
  }

  /** Returns the text that Node's console shows. */
  [inspectSymbol](): string {
    let length: number;
    try {
      length = this.batch.length;
    } catch {
      return "DecodedPoints (released)";
    }
    const lines = Array.from(
      { length: Math.min(length, mostShown) },
      (_, index) => `  ${lineOf(this.batch.at(index))}`,
    );
    if (length > mostShown) lines.push(`  ... ${length - mostShown} more`);
    return [`DecodedPoints (${length}) [`, ...lines, "]"].join("\n");
  }
}

/**
 * The type of the member `time` of a plain object: a bigint with the option `time: "ns"` of `toObject`, else a Date.
 */
export type TimeOf<T extends "date" | "ns"> = T extends "ns" ? bigint : Date;

const objectNames: OptionNames<ObjectOptions> = { time: true, ints: true };

export function checkObjectOptions(call: string, options: ObjectOptions | undefined): void {
  if (options === undefined) return;
  requireOptions(call, options, objectNames);
  if (options.time !== undefined) requireOneOf(call, "time", options.time, ["date", "ns"]);
  if (options.ints !== undefined) requireOneOf(call, "ints", options.ints, ["bigint", "number"]);
}

/** One point of a decoded body. It can be read and changed until the points are released. */
export class DecodedPoint {
  private readonly batch: PointBatch;
  private readonly index: number;
  private readonly keys: (text: string) => Key;

  /** Only `DecodedPoints` calls this constructor. */
  constructor(batch: PointBatch, index: number, keys: (text: string) => Key) {
    this.batch = batch;
    this.index = index;
    this.keys = keys;
  }

  /**
   * The point for functions that take a `PointView`. All points of a batch share one view object, which shows the point
   * whose `view` was read last.
   */
  get view(): PointView {
    return this.batch.at(this.index);
  }

  /** Measurement of a metric, source of a log, class of an object, and so on. */
  get name(): string {
    return this.view.name;
  }

  set name(name: string) {
    this.view.name = name;
  }

  /**
   * The time as a Date, cut to whole milliseconds. May be set to a Date, a number, a bigint or a string (see `Time`).
   */
  get time(): Date {
    return dateOf(this.view.time);
  }

  set time(time: Time) {
    this.view.time = nanosecondsOf("point", () => "time", time);
  }

  /** The exact time of the point in nanoseconds since 1970. */
  get nanoseconds(): bigint {
    return this.view.time;
  }

  /** Warnings about the corrections that the decoder made to the point. */
  get warnings(): readonly Warning[] {
    return this.batch.warnings(this.index);
  }

  has(key: string): boolean {
    return this.view.has(this.keyOf("has", key));
  }

  isTag(key: string): boolean {
    return this.view.isTag(this.keyOf("isTag", key));
  }

  /** Returns the value of a tag or field; undefined when the point has no such key. An int is returned as a bigint. */
  get(key: string): PlainValue | undefined {
    const value = this.view.get(this.keyOf("get", key));
    return value === undefined ? undefined : plainValue(value, "bigint");
  }

  /** Sets a field. A number is stored as a float, a bigint as an int. */
  setField(key: string, value: FieldInput): void {
    const field = fieldValue(value, "float");
    if (field === undefined) refuse("setField", "value", fieldText, value);
    this.view.setField(this.keyOf("setField", key), field);
  }

  setTag(key: string, value: string): void {
    requireString("setTag", "value", value);
    this.view.setTag(this.keyOf("setTag", key), value);
  }

  /** Removes a tag or field. Returns false when the point has no such key. */
  delete(key: string): boolean {
    return this.view.delete(this.keyOf("delete", key));
  }

  /**
   * Renames a tag or field. Removes a tag or field that already has the new name. Returns false when the point has no
   * key `from`.
   */
  rename(from: string, to: string): boolean {
    return this.view.rename(this.keyOf("rename", from), this.keyOf("rename", to));
  }

  /**
   * Returns a copy of the point as a plain object, which stays valid after the points are released.
   *
   * @example
   * mill.decode("cpu,host=a n=1i 1700000000").at(0).toObject();
   * // { name: "cpu", time: new Date(1700000000000), tags: { host: "a" }, fields: { n: 1n } }
   */
  toObject<T extends "date" | "ns" = "date">(options?: ObjectOptions<T>): PlainPoint<TimeOf<T>> {
    checkObjectOptions("toObject", options);
    return plainPointOf<TimeOf<T>>(this.view, options);
  }

  /**
   * Returns a copy of the point as JSON values from which the point can be restored exactly. `JSON.stringify(point)`
   * calls this method.
   */
  toJSON(): JsonPoint {
    return jsonPointOf(this.view);
  }

  /** Returns the text that Node's console shows. */
  [inspectSymbol](): string {
    try {
      return lineOf(this.view);
    } catch {
      return "DecodedPoint (released)";
    }
  }

  private keyOf(call: string, key: string): Key {
    requireString(call, "key", key);
    return this.keys(key);
  }
}

/** Returns the point as one line of text, such as `cpu {host="a"} load=0.5 n=1i 2023-11-14T22:13:20.000Z`. */
function lineOf(point: PointView): string {
  const tags: string[] = [];
  const fields: string[] = [];
  for (const { key, value, isTag } of point.entries()) {
    (isTag ? tags : fields).push(`${shownText(key, mostOfValue)}=${shownShort(value)}`);
  }
  const parts = [shownText(point.name, mostOfValue), ...(tags.length === 0 ? [] : [`{${tags.join(" ")}}`]), ...fields];
  return `${parts.join(" ")} ${timeText(point.time)}`;
}

function shownShort(value: PointValue): string {
  const suffix = typeof value === "number" || typeof value === "bigint" ? "i" : "";
  return `${shownText(shownValue(value), mostOfValue)}${suffix}`;
}
