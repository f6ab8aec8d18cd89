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

import type { Text } from "../text/bytes.ts";
import type { Integer } from "../text/integer.ts";

/** The type of a value in a point. */
export type Kind = "int" | "uint" | "float" | "string" | "bool" | "binary" | "array" | "nil";

/** A float (IEEE double). It is an object, to distinguish the float 1.0 from the int 1. */
export class Float {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

/** An unsigned 64-bit integer, 0 to 2^64 - 1. */
export class Uint {
  readonly value: Integer;
  constructor(value: Integer) {
    this.value = value;
  }
}

export type Scalar = Integer | Uint | Float | Text | boolean | Uint8Array;

/** The value of an array field: elements of one type, which are not arrays themselves. */
export class PointArray {
  readonly elements: readonly Scalar[];
  constructor(elements: readonly Scalar[]) {
    this.elements = elements;
  }
}

/** A value that a field can hold; null for a field without a value. */
export type PointValue = Scalar | PointArray | null;

/**
 * Returns the type of a value.
 *
 * @example
 * kindOf(1); // "int"
 */
export function kindOf(value: PointValue): Kind {
  switch (typeof value) {
    case "number":
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
  return "string";
}
