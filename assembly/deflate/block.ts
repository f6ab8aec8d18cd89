// A block of a DEFLATE stream with codes of its own (RFC 1951, 3.2.7): tokens are counted as they come and written when it is full.
//
//   token   a literal byte, or bit 31, the length less 3 from bit 16 on, the distance less 1 in bits 0 to 14

import { put } from "./bits";
import { codeOf, lengthOf, makeCodes } from "./huffman";
import {
  DISTANCES,
  distanceBase,
  distanceBits,
  distanceSymbol,
  END,
  lengthBase,
  lengthBits,
  lengthSymbol,
  LITERALS,
} from "./symbols";

export const MATCH: u32 = 1 << 31;

const literalCounts = memory.data(286 * 4, 16);
const distanceCounts = memory.data(30 * 4, 16);
const literalCodes = memory.data(286 * 4, 16);
const distanceCodes = memory.data(30 * 4, 16);
/** For each length less 3, code and further bits: the bits from bit 8 on, below them their number. */
const lengthCodes = memory.data(256 * 4, 16);

/** Lengths of both codes one after the other; as they are written, a byte for the symbol and one for the number behind it. */
const lengths = memory.data(286 + 30, 16);
const packed = memory.data((286 + 30) * 2, 16);
const packedCounts = memory.data(19 * 4, 16);
const packedCodes = memory.data(19 * 4, 16);
const packedOrder = memory.data<u8>([16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]);

export function startBlock(): void {
  memory.fill(literalCounts, 0, 286 * 4);
  memory.fill(distanceCounts, 0, 30 * 4);
}

// @ts-ignore: decorator
@inline
function count(table: usize, symbol: u32): void {
  store<u32>(table + (symbol << 2), load<u32>(table + (symbol << 2)) + 1);
}

// @ts-ignore: decorator
@inline
export function countLiteral(byte: u32): void {
  count(literalCounts, byte);
}

/** A length less 3 and a distance less 1. */
// @ts-ignore: decorator
@inline
export function countMatch(length: u32, distance: u32): void {
  count(literalCounts, END + 1 + lengthSymbol(length));
  count(distanceCounts, distanceSymbol(distance));
}

/** Writes the tokens from `from` to `end`, four bytes each. */
export function writeBlock(from: usize, end: usize, isLast: bool): void {
  count(literalCounts, END);
  makeCodes(literalCounts, LITERALS, 15, literalCodes);
  makeCodes(distanceCounts, DISTANCES, 15, distanceCodes);
  for (let symbol: u32 = 0; symbol < 29; symbol++) layLengths(symbol);
  put(<u64>isLast | (2 << 1), 3);
  writeCodes();
  for (let at = from; at < end; at += 4) {
    const token = load<u32>(at);
    if (token & MATCH) writeMatch((token >> 16) & 0xff, token & 0x7fff);
    else {
      const word = load<u32>(literalCodes + (token << 2));
      put(word >> 16, word & 0xffff);
    }
  }
  put(codeOf(literalCodes, END), lengthOf(literalCodes, END));
}

function layLengths(symbol: u32): void {
  const code = codeOf(literalCodes, END + 1 + symbol);
  const length = lengthOf(literalCodes, END + 1 + symbol);
  const base = lengthBase(symbol);
  const extra = lengthBits(symbol);
  for (let i: u32 = 0; i < 1 << extra; i++) {
    // The longest has a symbol of its own, behind this one.
    if (base + i < 256) store<u32>(lengthCodes + ((base + i) << 2), ((code | (i << length)) << 8) | (length + extra));
  }
}

// @ts-ignore: decorator
@inline
function writeMatch(length: u32, distance: u32): void {
  const word = load<u32>(lengthCodes + (length << 2));
  const symbol = distanceSymbol(distance);
  const code = load<u32>(distanceCodes + (symbol << 2));
  const behind = <u64>(code >> 16) | (<u64>(distance - distanceBase(symbol)) << (code & 0xffff));
  const first = <u64>(word & 0xff);
  put(<u64>(word >> 8) | (behind << first), first + (code & 0xffff) + distanceBits(symbol));
}

/** The lengths of both codes, with runs shortened, in a code of their own. */
function writeCodes(): void {
  let literals = LITERALS;
  while (literals > 257 && !lengthOf(literalCodes, literals - 1)) literals--;
  let distances = DISTANCES;
  while (distances > 1 && !lengthOf(distanceCodes, distances - 1)) distances--;
  for (let i: u32 = 0; i < literals; i++) store<u8>(lengths + i, <u8>lengthOf(literalCodes, i));
  for (let i: u32 = 0; i < distances; i++) store<u8>(lengths + literals + i, <u8>lengthOf(distanceCodes, i));
  const end = pack(literals + distances);
  makeCodes(packedCounts, 19, 7, packedCodes);
  let shown: u32 = 19;
  while (shown > 4 && !lengthOf(packedCodes, load<u8>(packedOrder + shown - 1))) shown--;
  put((literals - 257) | ((distances - 1) << 5) | ((shown - 4) << 10), 14);
  for (let i: u32 = 0; i < shown; i++) put(lengthOf(packedCodes, load<u8>(packedOrder + i)), 3);
  for (let at = packed; at < end; at += 2) {
    const symbol = load<u8>(at);
    put(codeOf(packedCodes, symbol), lengthOf(packedCodes, symbol));
    if (symbol >= 16) put(load<u8>(at, 1), symbol == 16 ? 2 : symbol == 17 ? 3 : 7);
  }
}

/** Runs: 16 the last length 3 to 6 times more, 17 and 18 zeros 3 to 10 and 11 to 138 times. Gives the end of what is packed. */
function pack(size: u32): usize {
  memory.fill(packedCounts, 0, 19 * 4);
  let to = packed;
  for (let at: u32 = 0; at < size; ) {
    const length = load<u8>(lengths + at);
    let run: u32 = 1;
    while (at + run < size && load<u8>(lengths + at + run) == length) run++;
    at += run;
    if (length) {
      to = give(to, length, 0);
      run--;
    }
    while (run >= 3) {
      const part = min(run, length ? 6 : 138);
      to = length ? give(to, 16, part - 3) : part < 11 ? give(to, 17, part - 3) : give(to, 18, part - 11);
      run -= part;
    }
    for (; run > 0; run--) to = give(to, length, 0);
  }
  return to;
}

function give(to: usize, symbol: u32, behind: u32): usize {
  count(packedCounts, symbol);
  store<u8>(to, <u8>symbol);
  store<u8>(to, <u8>behind, 1);
  return to + 2;
}
