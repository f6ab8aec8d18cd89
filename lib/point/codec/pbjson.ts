// Reads one point in PBJSON, which is the protobuf message of a point written as JSON
// (docs/reference/points.md#pbjson).

import { decodeBase64 } from "../../text/base64.ts";
import { integer } from "../../text/integer.ts";
import { JsonNumber, type JsonObject, type JsonValue } from "../../text/json-text.ts";
import { quoteText } from "../../text/quote.ts";
import { shortenedText } from "../../text/shown-text.ts";
import { metricTypeOf } from "../metric-type.ts";
import type { EntryTraits, Point } from "../point.ts";
import { Float, kindOf, PointArray, type PointValue, type Scalar, Uint } from "../value.ts";

/** The reason why an element of a JSON body is not a point. The decoder of the body adds the number of the element. */
export class JsonFault extends Error {}

/**
 * Fills the point with the name, tags and fields of a PBJSON element, and returns the time as sent. The members `warns`
 * and `debugs` that a client sends are ignored.
 */
export function readPbjson(element: JsonObject, point: Point): bigint | undefined {
  if ((element.get("measurement") ?? null) !== null) throw new JsonFault("measurement beside a list of fields");
  const name = element.get("name") ?? null;
  if (name !== null && typeof name !== "string") throw new JsonFault(`name must be a string, got ${kindName(name)}`);
  point.name = name ?? "";
  const fields = element.get("fields") ?? null;
  if (Array.isArray(fields)) {
    for (const [j, entry] of fields.entries()) {
      if (entry === null) throw new JsonFault(`fields[${j}] is null`);
      within(`fields[${j}]`, () => readEntry(entry, point));
    }
  }
  const time = element.get("time") ?? null;
  return time === null ? undefined : parseInteger(integerText(time, "time"), "time");
}

export function kindName(value: JsonValue): string {
  if (value === null) return "null";
  if (value instanceof JsonNumber) return "a number";
  if (Array.isArray(value)) return "an array";
  if (value instanceof Map) return "an object";
  return typeof value === "string" ? "a string" : "a boolean";
}

/** The type URL that marks array values in PBJSON and protobuf. */
export const arrayTypeUrl = "type.googleapis.com/point.Array";

const maxInt = 9223372036854775807n;
const minInt = -9223372036854775808n;
const maxUint = 18446744073709551615n;

/**
 * Parses an int64 from the string of member `what`. Throws a JsonFault when the string is not an integer or is out of
 * range.
 */
export function parseInteger(text: string, what: string, min = minInt, max = maxInt): bigint {
  // 2^64 has 20 digits. A longer string is not given to BigInt, because the time of BigInt grows faster than the length
  // of its input.
  const value = /^-?\d{1,20}$/.test(text) ? BigInt(text) : undefined;
  if (value === undefined && !/^-?\d+$/.test(text))
    throw new JsonFault(`${what} must be an integer, got ${shortenedText(text, 64)}`);
  if (value === undefined || value < min || value > max)
    throw new JsonFault(`${what}: ${shortenedText(text, 64)} is out of range`);
  return value;
}

function within(place: string, read: () => void): void {
  try {
    read();
  } catch (fault) {
    throw fault instanceof JsonFault ? new JsonFault(`${place}: ${fault.message}`) : fault;
  }
}

function readEntry(entry: JsonValue, point: Point): void {
  if (!(entry instanceof Map)) throw new JsonFault(`must be an object, got ${kindName(entry)}`);
  let key = "";
  let isTag = false;
  let value: PointValue = null;
  let valueMember = "";
  let metricType = 0;
  let unit = "";
  let description = "";
  for (const [member, given] of entry) {
    if (given === null && (knownMembers.has(member) || readers.has(member))) continue;
    const read = readers.get(member);
    if (read !== undefined) {
      if (valueMember !== "") throw new JsonFault(`exactly one value member, got ${valueMember} and ${member}`);
      valueMember = member;
      value = read(given);
    } else if (member === "key") key = readText(given, member);
    else if (member === "is_tag") isTag = readBoolean(given, member);
    else if (member === "type") metricType = readMetricType(given);
    else if (member === "unit") unit = readText(given, member);
    else if (member === "description") description = readText(given, member);
    else throw new JsonFault(`unknown member ${quoteText(member)}`);
  }
  if (isTag && typeof value !== "string") throw new JsonFault("tag value must be a string");
  const traits: EntryTraits = { metricType, unit, description };
  const isPlain = metricType === 0 && unit === "" && description === "";
  point.append(key, value, isTag, isPlain ? undefined : traits);
}

const knownMembers: ReadonlySet<string> = new Set(["key", "is_tag", "type", "unit", "description"]);

/**
 * Functions that read an array element. Each is found by the name of the member that contains the element's
 * value, such as `i` for an int.
 */
const scalarReaders: ReadonlyMap<string, (given: JsonValue) => Scalar> = new Map<string, (given: JsonValue) => Scalar>([
  ["i", (given) => integer(parseInteger(integerText(given, "i"), "i"))],
  ["u", (given) => new Uint(integer(parseInteger(integerText(given, "u"), "u", 0n, maxUint)))],
  ["f", readFloat],
  ["b", (given) => readBoolean(given, "b")],
  ["d", readBinary],
  ["s", (given) => readText(given, "s")],
]);

const readers: ReadonlyMap<string, (given: JsonValue) => PointValue> = new Map<
  string,
  (given: JsonValue) => PointValue
>([...scalarReaders, ["a", readArray]]);

function integerText(given: JsonValue, what: string): string {
  if (typeof given === "string") return given;
  if (given instanceof JsonNumber) return given.text;
  throw new JsonFault(`${what} must be an integer, got ${kindName(given)}`);
}

function readText(given: JsonValue, what: string): string {
  if (typeof given === "string") return given;
  throw new JsonFault(`${what} must be a string, got ${kindName(given)}`);
}

function readBoolean(given: JsonValue, what: string): boolean {
  if (typeof given === "boolean") return given;
  throw new JsonFault(`${what} must be a boolean, got ${kindName(given)}`);
}

function readFloat(given: JsonValue): Float {
  if (given === "NaN" || given === "Infinity" || given === "-Infinity") return new Float(Number(given));
  const text = given instanceof JsonNumber ? given.text : readText(given, "f");
  if (!/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text))
    throw new JsonFault(`f must be a number, got ${quoteText(text)}`);
  const value = Number(text);
  if (!Number.isFinite(value)) throw new JsonFault(`f: ${shortenedText(text, 64)} is out of range`);
  return new Float(value);
}

const encoder = new TextEncoder();

function readBinary(given: JsonValue): Uint8Array {
  const value = decodeBase64(encoder.encode(readText(given, "d")));
  if (value === undefined) throw new JsonFault("d must be base64");
  return value;
}

function readMetricType(given: JsonValue): number {
  const number = typeof given === "string" ? metricTypeOf(given) : undefined;
  if (number !== undefined) return number;
  if (typeof given === "string") throw new JsonFault(`unknown type ${quoteText(given)}`);
  return Number(parseInteger(integerText(given, "type"), "type", 0n, 0x7fffffffn));
}

function readArray(given: JsonValue): PointArray {
  if (!(given instanceof Map)) throw new JsonFault(`a must be an object, got ${kindName(given)}`);
  for (const member of given.keys()) {
    if (member !== "@type" && member !== "arr") throw new JsonFault(`a: unknown member ${quoteText(member)}`);
  }
  const type = readText(given.get("@type") ?? null, "a: @type");
  if (type !== arrayTypeUrl) throw new JsonFault(`unknown type ${quoteText(type)}`);
  const list = given.get("arr") ?? [];
  if (!Array.isArray(list)) throw new JsonFault(`a: arr must be an array, got ${kindName(list)}`);
  const elements: Scalar[] = [];
  for (const [n, item] of list.entries()) {
    const element = readElement(item, n);
    const [first, kind] = [elements[0] ?? element, element].map(kindLetter);
    if (first !== kind) throw new JsonFault(`mixed type elements found in array([0]: ${first} <> [${n}]: ${kind})`);
    elements.push(element);
  }
  return new PointArray(elements);
}

function readElement(item: JsonValue, n: number): Scalar {
  if (item === null) throw new JsonFault(`got nil(index: ${n}) within array`);
  if (!(item instanceof Map)) throw new JsonFault(`unknown element type "${kindName(item)}"(index: ${n}) within array`);
  const members = [...item].filter(([, given]) => given !== null);
  if (members.length === 0) throw new JsonFault(`got nil(index: ${n}) within array`);
  const [member, given] = members[0]!;
  const read = scalarReaders.get(member);
  if (read === undefined) throw new JsonFault(`unknown element type ${quoteText(member)}(index: ${n}) within array`);
  if (members.length > 1) throw new JsonFault(`exactly one value member(index: ${n}) within array`);
  return read(given);
}

function kindLetter(value: Scalar): string {
  const kind = kindOf(value);
  return kind === "binary" ? "d" : kind[0]!;
}
