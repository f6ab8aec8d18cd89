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

/** The type of a value in a point. */
export type Kind = "int" | "uint" | "float" | "string" | "bool" | "binary" | "array" | "nil";

/** A signed or unsigned integer: a number when it is a safe integer of JavaScript, otherwise a bigint. */
export type Integer = number | bigint;

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

/**
 * A string as bytes, normally UTF-8. A string that lies in a batch's memory must be kept with `detach` to outlive the
 * batch.
 */
export interface Bytes {
  readonly isBytes: true;
  /** Length of the string in bytes. */
  readonly length: number;
  /**
   * Returns the bytes. They are a view of the batch's memory, which is valid until the next call of the WebAssembly
   * module.
   */
  view(): Uint8Array;
  /** Returns a JavaScript string, in which U+FFFD replaces every byte that is not part of valid UTF-8. */
  toString(): string;
  /** Returns a part of the string, which uses the same memory; `start` and `end` are byte offsets. */
  slice(start: number, end: number): Bytes;
  /** Returns the same string in memory that JavaScript owns, so that it outlives the batch. */
  detach(): Bytes;
}

/** A string of a point: a JavaScript string, or UTF-8 bytes. */
export type Text = string | Bytes;

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
 * Returns whether the value is a string that is stored as bytes.
 *
 * @example
 * isBytes("text"); // false
 */
export function isBytes(value: unknown): value is Bytes {
  return typeof value === "object" && value !== null && (value as { isBytes?: unknown }).isBytes === true;
}

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

/**
 * Returns the integer as a number when it is a safe integer of JavaScript, otherwise as a bigint.
 *
 * @example
 * integer(2n ** 53n); // 9007199254740992n
 */
export function integer(value: bigint): Integer {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
}
