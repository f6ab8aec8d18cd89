// Converts the values of fields to plain JavaScript values and back, and to JSON values from which they can be restored
// exactly (`toJSON()`).
//
// | kind   | plain value  | in `toJSON()`                      | accepted besides                    |
// |--------|--------------|------------------------------------|-------------------------------------|
// | float  | a number     | a number; -0 is `{ "$float": "-0" }` | a `Float`                         |
// | int    | a bigint     | `{ "$int": "9007199254740993" }`   | a number, with `wholeNumbers: "int"` |
// | uint   | a `Uint`     | `{ "$uint": "42" }`                | a bigint beyond int64               |
// | string | a string     | a string                           |                                     |
// | bool   | a boolean    | a boolean                          |                                     |
// | binary | a Uint8Array | `{ "$binary": "<base64>" }`        |                                     |
// | array  | an array     | an array                           |                                     |
// | nil    | null         | null                               |                                     |

import { Float, kindOf, PointArray, type PointValue, type Scalar, Uint } from "../point/value.ts";
import { isPlainObject } from "../text/argument.ts";
import { decodeBase64, encodeBase64 } from "../text/base64.ts";
import { isBytes } from "../text/bytes.ts";
import { bigintOf, integer } from "../text/integer.ts";

/** A value of a field as a plain JavaScript value. A number is a float, and a bigint is an int. */
export type PlainValue = number | bigint | boolean | string | Uint8Array | Uint | null | PlainValue[];

/**
 * The value of a field as a JSON value from which it can be restored exactly. A 64-bit integer is an object with a
 * string of digits.
 */
export type JsonFieldValue =
  | number
  | boolean
  | string
  | null
  | { readonly $int: string }
  | { readonly $uint: string }
  | { readonly $float: string }
  | { readonly $binary: string }
  | JsonFieldValue[];

/** A value that callers may set a field to: a plain value, a `Float`, a `Uint`, or a value as `toJSON()` returns it. */
export type FieldInput = PlainValue | Float | JsonFieldValue | readonly FieldInput[];

/** The type of field that a number without a fraction becomes: float (the default) or int. */
export type WholeNumbers = "float" | "int";

export const fieldText =
  "a finite number, a bigint of 64 bits, a string, a boolean, a Uint8Array, null, or an array of one of these kinds";

/**
 * Converts a plain value to the value of a field. Returns undefined for a value that a field cannot have, such
 * as NaN, a Date, an object or an array of mixed types.
 *
 * @example
 * fieldValue(9007199254740993n, "float"); // 9007199254740993n
 */
export function fieldValue(value: unknown, whole: WholeNumbers): PointValue | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      if (whole === "int" && Number.isSafeInteger(value)) return value;
      return Number.isFinite(value) ? new Float(value) : undefined;
    case "bigint":
      return wideInteger(value);
    case "object":
      return value === null ? null : objectValue(value, whole);
    default:
      return undefined;
  }
}

function wideInteger(value: bigint): PointValue | undefined {
  if (value >= -0x8000000000000000n && value <= 0x7fffffffffffffffn) return integer(value);
  return value > 0n ? unsigned(value) : undefined;
}

function unsigned(value: bigint): Uint | undefined {
  return value >= 0n && value <= 0xffffffffffffffffn ? new Uint(integer(value)) : undefined;
}

function objectValue(value: object, whole: WholeNumbers): PointValue | undefined {
  if (value instanceof Uint8Array) return value;
  if (value instanceof Float) return Number.isFinite(value.value) ? value : undefined;
  if (value instanceof Uint) return isInteger(value.value) ? unsigned(BigInt(value.value)) : undefined;
  if (Array.isArray(value)) return arrayValue(value, whole);
  return isPlainObject(value) ? jsonForm(value) : undefined;
}

const isInteger = (value: unknown): boolean => typeof value === "bigint" || Number.isSafeInteger(value);

function arrayValue(values: readonly unknown[], whole: WholeNumbers): PointArray | undefined {
  const elements: Scalar[] = [];
  for (const each of values) {
    const element = fieldValue(each, whole);
    if (element === undefined || element === null || element instanceof PointArray) return undefined;
    if (elements.length > 0 && kindOf(element) !== kindOf(elements[0]!)) return undefined;
    elements.push(element);
  }
  return new PointArray(elements);
}

/** Largest number of characters of an integer's text; a longer integer needs more than 64 bits. */
const mostDigits = 20;

/**
 * Converts an object of the form `{ $int }`, `{ $uint }`, `{ $float }` or `{ $binary }` to the value that it
 * encodes; returns undefined for any other object.
 */
function jsonForm(value: Record<string, unknown>): PointValue | undefined {
  const [key, ...others] = Object.keys(value);
  if (key === undefined || others.length > 0) return undefined;
  const text = value[key];
  if (typeof text !== "string") return undefined;
  if (key === "$float") return text === "-0" ? new Float(-0) : undefined;
  if (key === "$binary") return decodeBase64(new TextEncoder().encode(text));
  if (text.length > mostDigits || !/^-?\d+$/.test(text)) return undefined;
  if (key === "$uint") return unsigned(BigInt(text));
  const int = key === "$int" ? wideInteger(BigInt(text)) : undefined;
  return int instanceof Uint ? undefined : int;
}

/**
 * The form in which ints and uints are returned. `bigint`: an int as a bigint, a uint as a `Uint`. `number`: an
 * int or uint as a number when it is a safe integer of JavaScript, otherwise as a bigint.
 */
export type Ints = "bigint" | "number";

/** Converts the value of a field to a plain value, which stays valid after the batch is released. */
export function plainValue(value: PointValue, ints: Ints): PlainValue {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return ints === "number" ? value : bigintOf(value);
    case "bigint":
      return value;
  }
  if (value === null) return null;
  if (value instanceof Float) return value.value;
  if (value instanceof Uint) return ints === "number" ? value.value : value;
  if (value instanceof PointArray) return value.elements.map((each) => plainValue(each, ints));
  return isBytes(value) ? value.toString() : value;
}

/** Converts the value of a field to a JSON value from which it can be restored exactly. */
export function jsonFieldValue(value: PointValue): JsonFieldValue {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
    case "bigint":
      return { $int: String(value) };
  }
  if (value === null) return null;
  if (value instanceof Float) return jsonFloat(value.value);
  if (value instanceof Uint) return { $uint: String(value.value) };
  if (value instanceof PointArray) return value.elements.map(jsonFieldValue);
  return isBytes(value) ? value.toString() : { $binary: encodeBase64(value) };
}

/** Returns -0, NaN and infinities as an object with a string, because JSON has no numbers for them. */
function jsonFloat(value: number): JsonFieldValue {
  if (Object.is(value, -0)) return { $float: "-0" };
  return Number.isFinite(value) ? value : { $float: String(value) };
}
