// Converts points to plain objects and plain objects to points.

import { Point, type Slot } from "../point/point.ts";
import type { Entry } from "../point/view.ts";
import { describeArgument, isPlainObject, refuse } from "../text/argument.ts";
import { shownText } from "../text/shown-text.ts";
import {
  type FieldInput,
  fieldText,
  fieldValue,
  type Ints,
  type JsonFieldValue,
  jsonFieldValue,
  type PlainValue,
  plainValue,
  type WholeNumbers,
} from "./plain-value.ts";
import { dateOf, nanosecondsOf, type Time, timeText } from "./time.ts";

/** A point as a plain object, as `toObject()` returns it. The object stays valid after the batch is released. */
export interface PlainPoint<T = Date> {
  /** Name of the point: the measurement of a metric, the source of a log, the class of an object, and so on. */
  name: string;
  /**
   * Time of the point: a Date, cut to whole milliseconds; with the option `time: "ns"` a bigint of nanoseconds since
   * 1970.
   */
  time: T;
  tags: Record<string, string>;
  fields: Record<string, PlainValue>;
}

/**
 * A point as JSON values from which the point can be restored exactly, as `toJSON()` returns it. `encode` and `run`
 * accept such an object.
 */
export interface JsonPoint {
  name: string;
  /**
   * Time of the point as a string such as `2026-01-31T12:00:00.000Z`; has nine digits after the decimal point when
   * three are not enough.
   */
  time: string;
  tags: Record<string, string>;
  fields: Record<string, JsonFieldValue>;
}

/** The fields of a point, by key. A field whose value is undefined is left out. */
export type Fields = Readonly<Record<string, FieldInput | undefined>>;

/** A point as a plain object that the caller writes. */
export interface PointInput {
  readonly name?: string;
  /** Time of the point; the default is the current time of the instance's clock. */
  readonly time?: Time;
  /** Tags by key. A tag whose value is undefined is left out. */
  readonly tags?: Readonly<Record<string, string | undefined>>;
  readonly fields?: Fields;
}

/** Options of `toObject`, which copies a point to a plain object. */
export interface ObjectOptions<T extends "date" | "ns" = "date" | "ns"> {
  /** `date` (the default): the time is a Date, cut to whole milliseconds. `ns`: a bigint of nanoseconds since 1970. */
  readonly time?: T;
  /**
   * `bigint` (the default): an int becomes a bigint, and a uint becomes a `Uint`. `number`: an int or uint becomes
   * a number when it is a safe integer of JavaScript, otherwise a bigint; the result then does not show whether
   * the value was an int, a uint or a float.
   */
  readonly ints?: Ints;
}

/** The members that `toObject` and `toJSON` use of a point; every type of point has them. */
interface Readable {
  readonly name: string;
  readonly time: bigint;
  entries(): Iterable<Entry>;
}

const ownProperty = { configurable: true, enumerable: true, writable: true } as const;

/** Sets a property of any name. An ordinary assignment to `__proto__` would change the prototype. */
function put<V>(record: Record<string, V>, key: string, value: V): void {
  if (key === "__proto__") Object.defineProperty(record, key, { value, ...ownProperty });
  else record[key] = value;
}

/** Returns a copy of a point as a plain object. */
export function plainPointOf<T extends Date | bigint = Date>(
  point: Readable,
  { time = "date", ints = "bigint" }: ObjectOptions = {},
): PlainPoint<T> {
  const tags: Record<string, string> = {};
  const fields: Record<string, PlainValue> = {};
  for (const { key, value, isTag } of point.entries()) {
    if (isTag) put(tags, key, typeof value === "string" ? value : String(value));
    else put(fields, key, typeof value === "string" ? value : plainValue(value, ints));
  }
  const at = time === "ns" ? point.time : dateOf(point.time);
  return { name: point.name, time: at as T, tags, fields };
}

/** Returns a copy of a point as JSON values from which the point can be restored exactly. */
export function jsonPointOf(point: Readable): JsonPoint {
  const tags: Record<string, string> = {};
  const fields: Record<string, JsonFieldValue> = {};
  for (const { key, value, isTag } of point.entries()) {
    if (isTag) put(tags, key, String(value));
    else put(fields, key, jsonFieldValue(value));
  }
  return { name: point.name, time: timeText(point.time), tags, fields };
}

/** The measurement of points that are given without a name. */
const defaultName = "__default";

/** Rules for making points from plain objects. */
export interface InputRules {
  /** Name of the called function, for error messages. */
  readonly call: string;
  readonly whole: WholeNumbers;
  /** Returns the time for points that are given without a time. */
  readonly now: () => bigint;
}

/**
 * Makes a point from a plain object. Throws a TypeError that names the wrong part. `argument` returns the name of the
 * object for this error, such as `points[3]`; `argument` is called only when there is an error.
 */
export function pointOf(input: unknown, argument: () => string, rules: InputRules): Point {
  const { call } = rules;
  if (!isPlainObject(input)) refuse(call, argument(), "a plain object { name, time, tags, fields } or a point", input);
  const { name = defaultName, time, tags, fields } = input;
  if (typeof name !== "string") refuse(call, `${argument()}.name`, "a string", name);
  const ns = time === undefined ? rules.now() : nanosecondsOf(call, () => `${argument()}.time`, time);
  const slots: Slot[] = [];
  if (tags !== undefined) addTags(slots, tags, argument, call);
  const tagCount = slots.length;
  if (fields !== undefined) addFields(slots, fields, () => `${argument()}.fields`, rules);
  if (tagCount > 0) requireDifferent(slots, tagCount, argument, call);
  return filled(name, ns, slots);
}

/** Makes a point from an object whose members are the fields of the point. */
export function pointOfFields(fields: unknown, argument: () => string, rules: InputRules): Point {
  const slots: Slot[] = [];
  addFields(slots, fields, argument, rules);
  return filled(defaultName, rules.now(), slots);
}

function filled(name: string, time: bigint, slots: Slot[]): Point {
  const point = new Point(name, time);
  point.adopt(slots);
  return point;
}

function addTags(slots: Slot[], tags: unknown, argument: () => string, call: string): void {
  if (!isPlainObject(tags)) refuse(call, `${argument()}.tags`, "a plain object of strings", tags);
  for (const key of Object.keys(tags)) {
    const value = tags[key];
    if (typeof value === "string") slots.push({ key, value, isTag: true });
    else if (value !== undefined) refuse(call, keyText(`${argument()}.tags`, key), "a string", value);
  }
}

function addFields(slots: Slot[], fields: unknown, argument: () => string, { call, whole }: InputRules): void {
  if (!isPlainObject(fields)) refuse(call, argument(), "a plain object of field values", fields);
  for (const key of Object.keys(fields)) {
    const given = fields[key];
    if (given === undefined) continue;
    const value = fieldValue(given, whole);
    if (value === undefined) refuse(call, keyText(argument(), key), fieldText, given, helpFor(given));
    slots.push({ key, value, isTag: false });
  }
}

/** Largest number of characters of a key that an error message shows. */
const mostOfKey = 100;

function keyText(argument: string, key: string): string {
  return /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(key) && key.length <= mostOfKey
    ? `${argument}.${key}`
    : `${argument}["${shownText(key, mostOfKey)}"]`;
}

function helpFor(value: unknown): string {
  if (value instanceof Date) return ". Write its milliseconds, value.getTime(), or its text, value.toISOString()";
  if (value instanceof Map) return ". A field holds no map; write each member as a field";
  if (Array.isArray(value)) return " with elements of different kinds, or of a kind that a field cannot hold";
  return isPlainObject(value) ? ". A field holds no object; write each member as a field" : "";
}

function requireDifferent(slots: readonly Slot[], tagCount: number, argument: () => string, call: string): void {
  for (let field = tagCount; field < slots.length; field++) {
    const { key } = slots[field]!;
    for (let tag = 0; tag < tagCount; tag++) {
      if (slots[tag]!.key !== key) continue;
      throw new TypeError(`${call}: ${argument()} has ${describeArgument(key)} both as a tag and as a field`);
    }
  }
}
