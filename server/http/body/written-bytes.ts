// How many bytes the points of one write may take as they are written, by the bytes that were sent.

/** Bytes that the points of any write may take. */
const freeBytes = 16 * 1024 * 1024;

/** `growth`: bytes for each byte of the body as it was sent; 0 = any number. */
export function writtenBytesFor(sentBytes: number, growth: number): number {
  return growth === 0 ? Number.POSITIVE_INFINITY : freeBytes + growth * sentBytes;
}
