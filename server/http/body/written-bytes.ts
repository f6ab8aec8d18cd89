// Limits the number of bytes that the points of one write may take when they are encoded for the output. The limit
// depends on the number of bytes that the client sent.

/** Number of bytes that the encoded points of every write may take, however small the write is. */
const freeBytes = 16 * 1024 * 1024;

/**
 * Returns the largest number of bytes of a write's encoded points. `growth` is the number of bytes allowed for each
 * byte that the client sent; 0 = no limit.
 */
export function writtenBytesFor(sentBytes: number, growth: number): number {
  return growth === 0 ? Number.POSITIVE_INFINITY : freeBytes + growth * sentBytes;
}

/** Thrown when the encoded points of a write take too many bytes. The whole write is refused. */
export class WrittenTooMuch extends Error {
  constructor(most: number) {
    super(`the points take more than ${most} bytes as they are written`);
  }
}

export interface WrittenBytes {
  /**
   * Adds the length of further encoded points to the sum for the write. Throws WrittenTooMuch when the sum exceeds the
   * limit.
   */
  add(bytes: number): void;
}

/** Creates a counter of the bytes that a write's points take. `most` is the largest allowed sum in bytes. */
export function createWrittenBytes(most: number): WrittenBytes {
  let written = 0;
  return {
    add: (bytes) => {
      written += bytes;
      if (written > most) throw new WrittenTooMuch(most);
    },
  };
}
