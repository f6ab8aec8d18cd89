// How many bytes the points of one write may take as they are written, by the bytes that were sent; and how many they take.

/** Bytes that the points of any write may take. */
const freeBytes = 16 * 1024 * 1024;

/** `growth`: bytes for each byte of the body as it was sent; 0 = any number. */
export function writtenBytesFor(sentBytes: number, growth: number): number {
  return growth === 0 ? Number.POSITIVE_INFINITY : freeBytes + growth * sentBytes;
}

/** The write is refused as a whole. */
export class WrittenTooMuch extends Error {
  constructor(most: number) {
    super(`the points take more than ${most} bytes as they are written`);
  }
}

export interface WrittenBytes {
  /** Throws WrittenTooMuch. */
  add(bytes: number): void;
}

/** `most`: bytes of all that is added. */
export function createWrittenBytes(most: number): WrittenBytes {
  let written = 0;
  return {
    add: (bytes) => {
      written += bytes;
      if (written > most) throw new WrittenTooMuch(most);
    },
  };
}
