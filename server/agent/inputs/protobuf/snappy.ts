// Decompresses a Snappy block (format: google/snappy, format_description.txt). When a block is truncated, the
// decoder of the package `snappyjs` does not fail but fills the missing bytes with zeros. Therefore this code
// first computes how many bytes the elements of the block decompress to, and compares this number with the
// length that the block declares.

import snappy from "snappyjs";
import { ConversionError } from "../../ingest/converter.ts";

/** Returns the decompressed block. `maxBytes`: the largest decompressed size in bytes. Throws ConversionError. */
export function decompressed(block: Uint8Array, maxBytes: number): Uint8Array {
  const { length, end } = readLength(block);
  if (length > maxBytes) throw new ConversionError(`snappy: ${length} bytes, which is more than ${maxBytes}`);
  const given = bytesOfElements(block, end);
  if (given !== length) throw new ConversionError(`snappy: ${given} of ${length} bytes are there`);
  try {
    return snappy.uncompress(block, maxBytes);
  } catch (error) {
    throw new ConversionError(`snappy: ${(error as Error).message}`);
  }
}

/** Returns the decompressed length that the Snappy block declares, and the offset of its first element. */
function readLength(block: Uint8Array): { readonly length: number; readonly end: number } {
  let length = 0;
  let scale = 1;
  for (let at = 0; at < Math.min(block.length, maxLengthBytes); at++) {
    length += (block[at]! & 0x7f) * scale;
    if (block[at]! < 0x80) return { length, end: at + 1 };
    scale *= 128;
  }
  throw new ConversionError("snappy: the block does not begin with a length");
}

const maxLengthBytes = 5;

/**
 * Returns the number of bytes that the elements of a Snappy block decompress to. A truncated last element is not
 * counted.
 */
function bytesOfElements(block: Uint8Array, from: number): number {
  let given = 0;
  for (let at = from; at < block.length; ) {
    const kind = block[at]! & 3;
    const high = block[at]! >> 2;
    if (kind === 0) {
      // A literal element of more than 60 bytes stores its length in 1 to 4 bytes after its tag byte.
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

/**
 * Number of bytes after the first byte of a Snappy element that hold its copy offset, for each element type from
 * 0 to 3. Elements of the types 1 to 3 copy earlier output, which begins at this offset; the type 0 (literal)
 * has no offset.
 */
const copyOffsetBytes = [0, 1, 2, 4];

/** Reads a little-endian integer of `count` bytes. Bytes beyond the end of the block count as 0. */
function littleEndian(block: Uint8Array, from: number, count: number): number {
  let value = 0;
  for (let at = count - 1; at >= 0; at--) value = value * 256 + (block[from + at] ?? 0);
  return value;
}
