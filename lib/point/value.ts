// The values a point can hold, as JavaScript sees them.
//
// | kind   | in JavaScript                                                      |
// |--------|--------------------------------------------------------------------|
// | int    | a number while it is a safe integer, a bigint beyond               |
// | uint   | a `Uint` box around such an integer, 0 to 2^64 - 1                 |
// | float  | a `Float` box, which distinguishes 1.0 from 1                      |
// | string | a string, or `Bytes`: UTF-8 bytes that lie in a batch's memory     |
// | bool   | a boolean                                                          |
// | binary | a Uint8Array                                                       |
// | array  | a `PointArray` of one scalar kind                                  |
// | nil    | null                                                               |

import { refuse } from "../text/argument.ts";
import { isBytes, type Text } from "../text/bytes.ts";
import type { Integer } from "../text/integer.ts";

/** The type of a value in a point. */
export type Kind = "int" | "uint" | "float" | "string" | "bool" | "binary" | "array" | "nil";

/** A float (IEEE double). It is an object, so that the float 1.0 differs from the int 1. */
export class Float {
  readonly value: number;
  constructor(value: number) {
    if (typeof value !== "number") refuse("Float", "value", "a number", value);
    this.value = value;
  }
}

/** An unsigned 64-bit integer, 0 to 2^64 - 1. */
export class Uint {
  readonly value: Integer;
  constructor(value: Integer) {
    if (!isInteger(value) || value < 0 || value > 0xffffffffffffffffn)
      refuse("Uint", "value", "a safe whole number or a bigint, 0 to 2^64 - 1", value);
    this.value = value;
  }
}

export type Scalar = Integer | Uint | Float | Text | boolean | Uint8Array;

/** The value of an array field: elements of one type, which are not arrays themselves. */
export class PointArray {
  readonly elements: readonly Scalar[];
  constructor(elements: readonly Scalar[]) {
    if (!Array.isArray(elements)) refuse("PointArray", "elements", "an array", elements);
    this.elements = elements;
  }
}

/** A value that a field can hold; null for a field without a value. */
export type PointValue = Scalar | PointArray | null;

export const valueText =
  "an int (a safe whole number or a bigint), a Float, a Uint, a string, a boolean, a Uint8Array, a PointArray or null";

/**
 * Returns whether a JavaScript number is an int: a safe integer or -2^53. The number -2^53 is not a safe
 * integer, but a batch returns the int -2^53 as a JavaScript number, too.
 */
function isIntNumber(value: number): boolean {
  return Number.isSafeInteger(value) || value === -(2 ** 53);
}

function isInteger(value: unknown): value is Integer {
  return typeof value === "number" ? isIntNumber(value) : typeof value === "bigint";
}

/** Returns whether a field can hold the value. */
export function isPointValue(value: unknown): value is PointValue {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "bigint":
      return true;
    case "number":
      return isIntNumber(value);
    case "object":
      return value === null || isBox(value) || isBytes(value);
    default:
      return false;
  }
}

function isBox(value: object): boolean {
  return value instanceof Float || value instanceof Uint || value instanceof PointArray || value instanceof Uint8Array;
}

/**
 * Returns the type of a value. Throws a TypeError when a field cannot hold the value.
 *
 * @example
 * kindOf(1); // "int"
 */
export function kindOf(value: PointValue): Kind {
  switch (typeof value) {
    case "number":
      return isIntNumber(value) ? "int" : refuse("kindOf", "value", valueText, value);
    case "bigint":
      return "int";
    case "string":
      return "string";
    case "boolean":
      return "bool";
  }
  if (value === null) return "nil";
  if (value instanceof Float) return "float";
  if (value instanceof Uint) return "uint";
  if (value instanceof PointArray) return "array";
  if (value instanceof Uint8Array) return "binary";
  if (isBytes(value)) return "string";
  return refuse("kindOf", "value", valueText, value);
}
