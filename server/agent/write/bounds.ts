// What one write may cost beyond its bytes: points that a body may hold, and bytes that its points may take as they are written.

/** The write is refused as a whole: its answer is 413 with this message. */
export class WriteBound extends Error {}

export function manyPoints(most: number): WriteBound {
  return new WriteBound(`the body holds more than ${most} points ([http_api] max_points)`);
}

export interface WrittenBytes {
  /** Throws the refusal when there are too many. */
  add(bytes: number): void;
}

/** `most`: bytes of all that is added. */
export function createWrittenBytes(most: number): WrittenBytes {
  let written = 0;
  return {
    add: (bytes) => {
      written += bytes;
      if (written > most)
        throw new WriteBound(`the points take more than ${most} bytes as they are written ([http_api] max_growth)`);
    },
  };
}

/** Bytes that the points of any write may take. */
const freeBytes = 16 * 1024 * 1024;

/** `growth`: bytes for each byte of the body as it was sent; 0 = any number. */
export function writtenBytesFor(sentBytes: number, growth: number): number {
  return growth === 0 ? Number.POSITIVE_INFINITY : freeBytes + growth * sentBytes;
}
