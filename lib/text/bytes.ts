// Text that may still lie in the memory of a batch.

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

/**
 * Returns whether the value is text as bytes.
 *
 * @example
 * isBytes("text"); // false
 */
export function isBytes(value: unknown): value is Bytes {
  return typeof value === "object" && value !== null && (value as { isBytes?: unknown }).isBytes === true;
}
