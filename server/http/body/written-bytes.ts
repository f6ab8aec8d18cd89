// Limits the size of the points of one write request when they are encoded for the output. The limit depends on
// the number of bytes that the client sent.

/**
 * Number of bytes that the encoded points of any write request may take, even if the client sent only a few
 * bytes.
 */
const freeBytes = 16 * 1024 * 1024;

/**
 * Returns the maximum number of bytes that the encoded points of a write request may take. `growth`: the number
 * of bytes allowed for each byte that the client sent; 0 = no limit.
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
   * Adds the length of more encoded points to the total of the write request. Throws WrittenTooMuch when the total
   * exceeds the limit.
   */
  add(bytes: number): void;
}

/** Creates a counter for the encoded bytes of one write request. `most`: the maximum total in bytes. */
export function createWrittenBytes(most: number): WrittenBytes {
  let written = 0;
  return {
    add: (bytes) => {
      written += bytes;
      if (written > most) throw new WrittenTooMuch(most);
    },
  };
}
