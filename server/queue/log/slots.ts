// Slots: short ranges of bytes in the cursor file and in the mark file, each with a checksum and numbers. Two slots are
// written in turn, so that one of them stays intact when a write is interrupted. The first number of a slot counts the
// writes and says which of the two is newer.
//
//   0 u32 CRC-32 of the bytes from `summedFrom` to the end of the slot   8 f64 numbers, up to the end of the slot

import { crc32 } from "node:zlib";

const numbersFrom = 8;
const numberBytes = 8;

/** Returns a slot of `length` bytes. Numbers that are not given are 0. */
export function encodeSlot(length: number, summedFrom: number, numbers: readonly number[]): Buffer {
  const slot = Buffer.alloc(length);
  for (const [at, number] of numbers.entries()) slot.writeDoubleLE(number, numbersFrom + numberBytes * at);
  slot.writeUInt32LE(crc32(slot.subarray(summedFrom)), 0);
  return slot;
}

/** Returns the numbers in a slot; undefined when the slot is damaged, or empty (all of its bytes are 0). */
export function numbersIn(slot: Buffer, summedFrom: number): number[] | undefined {
  if (crc32(slot.subarray(summedFrom)) !== slot.readUInt32LE(0)) return undefined;
  const count = (slot.length - numbersFrom) / numberBytes;
  return Array.from({ length: count }, (_, at) => slot.readDoubleLE(numbersFrom + numberBytes * at));
}
