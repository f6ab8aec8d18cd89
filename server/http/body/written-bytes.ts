// Limits how many bytes the points of one write may take when they are written, depending on the bytes that were sent.

/** Bytes that the points of every write may take, whatever its size. */
const freeBytes = 16 * 1024 * 1024;

/** Returns the limit in bytes. `growth` is the allowed bytes for each byte of the body as sent; 0 = no limit. */
export function writtenBytesFor(sentBytes: number, growth: number): number {
  return growth === 0 ? Number.POSITIVE_INFINITY : freeBytes + growth * sentBytes;
}

/** Thrown when the points of a write take too many bytes: the whole write is refused. */
export class WrittenTooMuch extends Error {
  constructor(most: number) {
    super(`the points take more than ${most} bytes as they are written`);
  }
}

export interface WrittenBytes {
  /** Adds bytes. Throws WrittenTooMuch above the limit. */
  add(bytes: number): void;
}

/** Creates a counter. `most` is the limit of the sum, in bytes. */
export function createWrittenBytes(most: number): WrittenBytes {
  let written = 0;
  return {
    add: (bytes) => {
      written += bytes;
      if (written > most) throw new WrittenTooMuch(most);
    },
  };
}
