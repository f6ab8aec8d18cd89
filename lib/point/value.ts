// The values a point can hold, as JavaScript sees them.
//
// | kind   | in JavaScript                                                      |
// |--------|--------------------------------------------------------------------|
// | int    | a number while it is a safe integer, a bigint beyond               |
// | uint   | a `Uint` box around such an integer, 0 to 2^64 - 1                 |
// | float  | a `Float` box, so that 1.0 can be told from 1                      |
// | string | a string, or `Bytes`: text that still lies in a batch's memory     |
// | bool   | a boolean                                                          |
// | binary | a Uint8Array                                                       |
// | array  | a `PointArray` of one scalar kind                                  |
// | nil    | null                                                               |

/** The kind of a value. */
export type Kind = "int" | "uint" | "float" | "string" | "bool" | "binary" | "array" | "nil";

/** A signed or unsigned integer: a number while it is a safe integer, a bigint beyond. */
export type Integer = number | bigint;

/** An IEEE double of kind float, even when it has no fraction. */
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

/** Text as bytes, normally UTF-8. To keep it longer than its batch, call `detach`. */
export interface Bytes {
  readonly isBytes: true;
  /** Length in bytes. */
  readonly length: number;
  /** Returns the bytes: a view of the batch's memory, valid until the next call into the module. */
  view(): Uint8Array;
  /** Returns the text; every byte that is not part of valid UTF-8 becomes U+FFFD. */
  toString(): string;
  /** Returns a part of the text, in the same memory; `start` and `end` are byte offsets. */
  slice(start: number, end: number): Bytes;
  /** Returns the same text in memory that JavaScript owns. */
  detach(): Bytes;
}

/** Text: a string, or bytes in UTF-8. */
export type Text = string | Bytes;

export type Scalar = Integer | Uint | Float | Text | boolean | Uint8Array;

/** An array field: elements of one kind, which are never arrays. */
export class PointArray {
  readonly elements: readonly Scalar[];
  constructor(elements: readonly Scalar[]) {
    this.elements = elements;
  }
}

/** A value that a field can hold; null for a field without a value. */
export type PointValue = Scalar | PointArray | null;

/**
 * Returns whether the value is text as bytes.
 *
 * @example
 * isBytes("text"); // false
 */
export function isBytes(value: unknown): value is Bytes {
  return typeof value === "object" && value !== null && (value as { isBytes?: unknown }).isBytes === true;
}

/**
 * Returns the kind of a value.
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
 * Returns the integer as a number when it is safe, else as a bigint.
 *
 * @example
 * integer(2n ** 53n); // 9007199254740992n
 */
export function integer(value: bigint): Integer {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
}
