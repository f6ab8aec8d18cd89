// A block of Snappy, decompressed. The library's decoder takes a block that is cut off for one whose end is zeros, so the elements are
// walked first (format: google/snappy, format_description.txt): what they give has to be what the block says that it holds.

import snappy from "snappyjs";

/** The body is no block of Snappy, or too large. */
export class SnappyError extends Error {}

/** Throws SnappyError. */
export function decompressed(block: Uint8Array, maxBytes: number): Uint8Array {
  const { length, end } = readLength(block);
  if (length > maxBytes) throw new SnappyError(`snappy: ${length} bytes, which is more than ${maxBytes}`);
  const given = bytesOfElements(block, end);
  if (given !== length) throw new SnappyError(`snappy: ${given} of ${length} bytes are there`);
  try {
    return snappy.uncompress(block, maxBytes);
  } catch (error) {
    throw new SnappyError(`snappy: ${(error as Error).message}`);
  }
}

/** Of what the block holds, and where its elements begin. */
function readLength(block: Uint8Array): { readonly length: number; readonly end: number } {
  let length = 0;
  let scale = 1;
  for (let at = 0; at < Math.min(block.length, maxLengthBytes); at++) {
    length += (block[at]! & 0x7f) * scale;
    if (block[at]! < 0x80) return { length, end: at + 1 };
    scale *= 128;
  }
  throw new SnappyError("snappy: the block does not begin with a length");
}

const maxLengthBytes = 5;

/** Bytes that the whole elements give, the last one left out when it is cut off. */
function bytesOfElements(block: Uint8Array, from: number): number {
  let given = 0;
  for (let at = from; at < block.length; ) {
    const kind = block[at]! & 3;
    const high = block[at]! >> 2;
    if (kind === 0) {
      // Lengths from 60 on stand in 1 to 4 bytes behind the tag.
      const more = Math.max(0, high - 59);
      const literal = 1 + (more === 0 ? high : littleEndian(block, at + 1, more));
      at += 1 + more + literal;
      if (at <= block.length) given += literal;
    } else {
      at += 1 + copyOffsetBytes[kind]!;
      if (at <= block.length) given += kind === 1 ? 4 + (high & 7) : 1 + high;
    }
  }
  return given;
}

/** Of the offset of a copy, behind the tag. */
const copyOffsetBytes = [0, 1, 2, 4];

/** Bytes behind the end count as 0. */
function littleEndian(block: Uint8Array, from: number, count: number): number {
  let value = 0;
  for (let at = count - 1; at >= 0; at--) value = value * 256 + (block[from + at] ?? 0);
  return value;
}
