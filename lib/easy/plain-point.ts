// Points as plain objects, in both directions.

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

/** A point as a plain object, as `toObject()` returns it. It uses no memory of a batch. */
export interface PlainPoint<T = Date> {
  /** Measurement of a metric; source of a log. */
  name: string;
  /** A Date, which has milliseconds; with `{ time: "ns" }` a bigint of nanoseconds since 1970. */
  time: T;
  tags: Record<string, string>;
  fields: Record<string, PlainValue>;
}

/** A point in the exact JSON form, as `toJSON()` returns it. `encode` and `run` accept it again. */
export interface JsonPoint {
  name: string;
  /** Such as `2026-01-31T12:00:00.000Z`, with nine digits after the point where the time has nanoseconds. */
  time: string;
  tags: Record<string, string>;
  fields: Record<string, JsonFieldValue>;
}

/** The fields of a point, by key. Undefined leaves a field out. */
export type Fields = Readonly<Record<string, FieldInput | undefined>>;

/** A point that a caller writes. */
export interface PointInput {
  readonly name?: string;
  /** Default: the current time of the instance's clock. */
  readonly time?: Time;
  /** Tags by key. Undefined leaves a tag out. */
  readonly tags?: Readonly<Record<string, string | undefined>>;
  readonly fields?: Fields;
}

/** Options of `toObject`. */
export interface ObjectOptions<T extends "date" | "ns" = "date" | "ns"> {
  /** `ns`: the time is a bigint of nanoseconds; default `date`: a Date, which has milliseconds. */
  readonly time?: T;
  /**
   * `number`: an int or uint is a number while it is a safe integer of JavaScript, and a bigint beyond. Its type is lost
   * then. Default `bigint`: an int is a bigint, and a uint is a `Uint`.
   */
  readonly ints?: Ints;
}

/** The members of a point that a plain object is made from. */
interface Readable {
  readonly name: string;
  readonly time: bigint;
  entries(): Iterable<Entry>;
}

const ownProperty = { configurable: true, enumerable: true, writable: true } as const;

/** Sets a property whose name comes from data: `__proto__` becomes a property like any other. */
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

/** Returns a copy of a point in the exact JSON form. */
export function jsonPointOf(point: Readable): JsonPoint {
  const tags: Record<string, string> = {};
  const fields: Record<string, JsonFieldValue> = {};
  for (const { key, value, isTag } of point.entries()) {
    if (isTag) put(tags, key, String(value));
    else put(fields, key, jsonFieldValue(value));
  }
  return { name: point.name, time: timeText(point.time), tags, fields };
}

/** The measurement of points that are written without one. */
const defaultName = "__default";

/** Rules for making points from plain objects. */
export interface InputRules {
  /** Name of the function that errors name. */
  readonly call: string;
  readonly whole: WholeNumbers;
  /** Returns the time of points that have none. */
  readonly now: () => bigint;
}

/**
 * Makes a point from a plain object. Throws a TypeError that names the wrong part; `argument` is the name of the object
 * in it, such as `points[3]`. The text of `argument` is only made when it is needed.
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

/** Makes a point from its fields alone. */
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

/** Keys are at most this long in errors. */
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
