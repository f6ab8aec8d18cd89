// Counts the bytes that the points of one write take as they are written.

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
