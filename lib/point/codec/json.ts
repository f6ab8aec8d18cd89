// Decodes JSON bodies to points (docs/reference/points.md#simple-json). The members of an element decide whether it is
// simple JSON or PBJSON; one body may mix the two (docs/reference/points.md#pbjson). This file reads simple JSON;
// pbjson.ts reads PBJSON.
//
// The WebAssembly module scans the body onto a tape (the binary form of points). It skips elements that are not points
// or are written in an unusual way. This file then reads the skipped elements: it accepts all valid JSON and writes the
// error messages.

import {
  checkJson,
  JsonNumber,
  type JsonObject,
  JsonSyntaxError,
  type JsonValue,
  readJson,
} from "../../text/json-text.ts";
import { quoteText } from "../../text/quote.ts";
import { shortenedText } from "../../text/shown-text.ts";
import { offsetOf } from "../../text/utf8.ts";
import { head, pointAttention, point as pointLayout } from "../../wasm/tape.ts";
import type { Batch } from "../batch/batch.ts";
import { correct, correctJsonName, type ReceivedEntries, receivedEntries } from "../correct.ts";
import { PointError } from "../errors.ts";
import { Point } from "../point.ts";
import { resolveDecimal, resolveTime, timeOutsideRange } from "../precision.ts";
import { Float, PointArray, type PointValue } from "../value.ts";
import type { BodyForm, BodyOptions } from "./body.ts";
import { JsonFault, kindName, parseInteger, readPbjson } from "./pbjson.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encoder = new TextEncoder();

export const jsonBody: BodyForm = {
  scan: ({ exports }, base, most) => {
    const answer = exports.scanJson(base, most);
    return answer === 0 ? null : answer === 2;
  },
  finish: ({ batch, options, before }) => {
    batch.hasTraits = true;
    if (batch.head(head.attention) > 0) readLeft(batch, options, before);
    return true;
  },
  mend: (body) => {
    const text = decoder.decode(body);
    checkBody(text, body);
    const mended = encoder.encode(text);
    if (areSame(mended, body)) throw new Error("the module refuses a list that is JSON");
    return mended;
  },
};

function areSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

/**
 * Reads the elements of the body that the WebAssembly module skipped, each from its offset in the body; `before` is the
 * number of points in the earlier windows (parts) of the body.
 */
function readLeft(batch: Batch, options: BodyOptions, before: number): void {
  for (let index = 0; index < batch.length; index++) {
    const { u32 } = batch.module;
    const at = batch.pointAt(index);
    if ((u32[at + pointLayout.flags]! & pointAttention) === 0) continue;
    const text = decoder.decode(batch.bytes(u32[at + pointLayout.line]!, u32[at + pointLayout.lineLength]!));
    batch.replace(index, pointOf(readJson(text), before + index, options));
  }
}

/**
 * Returns the corrected point of an element of a body; `i` is the number of the element. Throws a PointError
 * when the element is not a valid point.
 */
export function pointOf(element: JsonValue, i: number, options: BodyOptions): Point {
  if (element === null) throw new PointError(`point ${i} is null`, "json");
  try {
    const { point, came } = readPoint(element, options);
    correctJsonName(point);
    correct(point, options.category, options.limits, came);
    return point;
  } catch (fault) {
    if (!(fault instanceof JsonFault)) throw fault;
    throw new PointError(`point ${i}: ${fault.message}`, "json", [], 0, fault.message === noParts);
  }
}

/**
 * Throws a PointError when the body is not a JSON list. `text` is the decoded body, with U+FFFD for bytes that are not
 * UTF-8.
 */
export function checkBody(text: string, body: Uint8Array): void {
  let value: JsonValue;
  try {
    value = checkJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new PointError(`${error.reason} at byte ${offsetOf(body, error.unit)}`, "json");
  }
  if (!Array.isArray(value)) throw new PointError(`body must be an array of points, got ${kindName(value)}`, "json");
}

function readPoint(
  element: JsonValue,
  options: BodyOptions,
): { readonly point: Point; readonly came: ReceivedEntries } {
  if (!(element instanceof Map)) throw new JsonFault(`must be an object, got ${kindName(element)}`);
  const point = new Point("", 0n);
  let time: bigint | undefined;
  let came: ReceivedEntries;
  if (isPbjson(element)) {
    time = resolveTime(readPbjson(element, point), options.precision, options.now);
    came = receivedEntries(point.entries());
  } else {
    if (hasNoParts(element)) throw new JsonFault(noParts);
    point.name = readName(element);
    readFields(element.get("fields") ?? null, point);
    came = receivedEntries(point.entries());
    // The tags are read after the fields, so that a tag replaces a field with the same key.
    readTags(element.get("tags") ?? null, point);
    if (came === "nothing") came = receivedEntries(point.entries());
    time = readTime(element.get("time") ?? null, options);
  }
  if (time === undefined) throw new JsonFault(timeOutsideRange);
  point.time = time;
  return { point, came };
}

const partsOfPoint: readonly string[] = ["measurement", "name", "tags", "fields"];
const noParts =
  'has none of measurement, tags and fields; a point is {"measurement":"app","tags":{"host":"web01"},"fields":{"message":"text"},"time":1700000000}';

/**
 * Returns whether the element has members, but no measurement, tags or fields. Such an element may be a log in another
 * format; it is refused, because its content would be lost.
 */
function hasNoParts(element: JsonObject): boolean {
  return (
    partsOfPoint.every((member) => (element.get(member) ?? null) === null) &&
    [...element.keys()].some((member) => member !== "time" && !partsOfPoint.includes(member))
  );
}

function isPbjson(element: JsonObject): boolean {
  const fields = element.get("fields") ?? null;
  if (fields !== null) return Array.isArray(fields);
  return (element.get("name") ?? null) !== null && (element.get("measurement") ?? null) === null;
}

/** Returns the measurement of an element: the value of its member `measurement`, or else of its member `name`. */
function readName(element: JsonObject): string {
  for (const member of ["measurement", "name"]) {
    const value = element.get(member) ?? null;
    if (typeof value === "string") return value;
    if (value !== null) throw new JsonFault(`${member} must be a string, got ${kindName(value)}`);
  }
  return "";
}

function readFields(fields: JsonValue, point: Point): void {
  if (fields === null) return;
  if (!(fields instanceof Map)) throw new JsonFault(`fields must be an object, got ${kindName(fields)}`);
  for (const [key, value] of fields) point.set(key, readField(key, value), false);
}

function readTags(tags: JsonValue, point: Point): void {
  if (tags === null) return;
  if (!(tags instanceof Map)) throw new JsonFault(`tags must be an object, got ${kindName(tags)}`);
  for (const [key, value] of tags) {
    if (value !== null && typeof value !== "string") {
      throw new JsonFault(`tags: value of ${quoteText(key)} must be a string, got ${kindName(value)}`);
    }
    point.set(key, value ?? "", true);
  }
}

/**
 * Returns the value of a field of simple JSON, in which every number is a float. Returns null for a value that a field
 * cannot hold; `correct` then makes a warning about the field.
 */
function readField(key: string, value: JsonValue): PointValue {
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (value instanceof JsonNumber) return readFloat(key, value);
  if (!Array.isArray(value)) return null;
  if (value.every((element) => element instanceof JsonNumber)) {
    return new PointArray(value.map((element) => readFloat(key, element)));
  }
  if (value.every((element) => typeof element === "string")) return new PointArray(value);
  return value.every((element) => typeof element === "boolean") ? new PointArray(value) : null;
}

function readFloat(key: string, { text }: JsonNumber): Float {
  const value = Number(text);
  if (!Number.isFinite(value))
    throw new JsonFault(`fields: ${quoteText(key)}: number ${shortenedText(text, 64)} is out of range`);
  return new Float(value);
}

function readTime(time: JsonValue, { precision, now }: BodyOptions): bigint | undefined {
  if (time === null) return now;
  if (!(time instanceof JsonNumber)) throw new JsonFault(`time must be a number, got ${kindName(time)}`);
  const { text } = time;
  if (/[.eE]/.test(text)) return resolveDecimal(text, precision, now);
  return resolveTime(parseInteger(text, "time"), precision, now);
}
