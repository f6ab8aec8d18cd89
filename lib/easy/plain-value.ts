// The values of fields as plain JavaScript values, in both directions, and their exact form in JSON.
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
import { integer } from "../text/integer.ts";

/** A value of a field as a plain JavaScript value. A number is a float, and a bigint is an int. */
export type PlainValue = number | bigint | boolean | string | Uint8Array | Uint | null | PlainValue[];

/** A value of a field in the exact JSON form, in which 64-bit integers are strings of digits in an object. */
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

/** A value that a field may be given: a plain value, a boxed number, or the exact JSON form. */
export type FieldInput = PlainValue | Float | JsonFieldValue | readonly FieldInput[];

/** Kind that a number without a fraction gets: float (the default) or int. */
export type WholeNumbers = "float" | "int";

export const fieldText =
  "a finite number, a bigint of 64 bits, a string, a boolean, a Uint8Array, null, or an array of one of these kinds";

/**
 * Returns the value of a field for a plain value; undefined when a field cannot hold it, such as NaN, a Date, an object
 * or an array of different kinds.
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

/** Longest text of digits that is read; more digits are beyond 64 bits. */
const mostDigits = 20;

/** Reads `{ $int }`, `{ $uint }`, `{ $float }` or `{ $binary }`. */
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

/** Type of a returned int or uint: a bigint (a `Uint` for a uint), or a number while it is a safe integer. */
export type Ints = "bigint" | "number";

/** Returns a value of a field as a plain value, which stays valid after the batch is released. */
export function plainValue(value: PointValue, ints: Ints): PlainValue {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return ints === "number" ? value : BigInt(value);
    case "bigint":
      return value;
  }
  if (value === null) return null;
  if (value instanceof Float) return value.value;
  if (value instanceof Uint) return ints === "number" ? value.value : value;
  if (value instanceof PointArray) return value.elements.map((each) => plainValue(each, ints));
  return isBytes(value) ? value.toString() : value;
}

/** Returns a value of a field in the exact JSON form. */
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

/** JSON has no form for -0 and for numbers that are not finite. */
function jsonFloat(value: number): JsonFieldValue {
  if (Object.is(value, -0)) return { $float: "-0" };
  return Number.isFinite(value) ? value : { $float: String(value) };
}
