// Strings as bytes. The bytes may lie in WebAssembly memory, in the memory of a batch (the points decoded from one
// body). A JavaScript string is made from them only when a caller needs one.

/**
 * A string as bytes, normally UTF-8. A string in the memory of a batch (the points decoded from one body) is valid
 * until the batch is released; `detach` returns a copy that outlives the batch.
 */
export interface Bytes {
  readonly isBytes: true;
  /** Length of the string in bytes, not in characters. */
  readonly length: number;
  /**
   * Returns the bytes of the string as a view of the batch's memory. The view is valid until the next call of the
   * WebAssembly module.
   */
  view(): Uint8Array;
  /** Returns a JavaScript string, in which U+FFFD replaces every byte that is not part of valid UTF-8. */
  toString(): string;
  /**
   * Returns a part of the string without a copy: the part uses the memory of the string. `start` and `end` are byte
   * offsets.
   */
  slice(start: number, end: number): Bytes;
  /** Returns the string as bytes in memory that JavaScript owns, so that it outlives the batch. */
  detach(): Bytes;
}

/** A string of a point: a JavaScript string, or UTF-8 bytes. */
export type Text = string | Bytes;

/**
 * Returns whether the value is a string that is stored as bytes.
 *
 * @example
 * isBytes("text"); // false
 */
export function isBytes(value: unknown): value is Bytes {
  return typeof value === "object" && value !== null && (value as { isBytes?: unknown }).isBytes === true;
}
