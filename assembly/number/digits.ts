// Converts up to 16 decimal digits at a time. The same code runs for any number of digits, without a branch.
// Each byte becomes a lane (element of a vector) with a value from 0 to 9; lanes outside the number become 0.
// Three multiplications then join neighbouring lanes: first to numbers of two digits, then to numbers of four
// digits, then to numbers of eight digits.

import { lanesOf } from "../memory/lanes";

/** Returns the 16 bytes at an address, each reduced by the code of the character `0`, so that digits become 0 to 9. */
// @ts-ignore: decorator
@inline
export function figuresAt(p: usize): v128 {
  return i8x16.sub(v128.load(p), lanesOf(0x30));
}

/**
 * Returns a bit mask of 16 bytes: bit i is set when the byte at `p + i` is not a digit. 0x50 is added to each byte, so
 * that the digits become the least signed numbers and one comparison finds all other bytes.
 */
// @ts-ignore: decorator
@inline
export function stopsAt(p: usize): u32 {
  return i8x16.bitmask(i8x16.gt_s(i8x16.add(v128.load(p), lanesOf(0x50)), lanesOf(0x89)));
}

// 16 zeros, then 16 times 255. Loading 16 bytes from offset n gives a mask that keeps the last n bytes of a vector.
const lasts = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
]);

// Shuffle masks that remove a dot between digits, indexed by the number of digits before the dot and after it: 256
// masks of 16 lanes.
const dotted = memory.data(4096, 16);

for (let whole: u32 = 0; whole < 16; whole++) {
  for (let fraction: u32 = 0; fraction < 16; fraction++) {
    for (let lane: u32 = 0; lane < 16; lane++) {
      // Number of lanes (elements of the vector) that come after the current lane.
      const back: u32 = 15 - lane;
      const from = back < fraction ? lane : back < whole + fraction && lane ? lane - 1 : <u32>255;
      store<u8>(dotted + <usize>((((whole << 4) | fraction) << 4) | lane), <u8>from);
    }
  }
}

// Factors of the three multiplications in `valueOf`. The first multiplication makes numbers of two digits, the second
// numbers of four digits, the third numbers of eight digits.
const factors = memory.data<u16>([
  2561, 2561, 2561, 2561, 2561, 2561, 2561, 2561,
  100, 1, 100, 1, 100, 1, 100, 1,
  10000, 1, 10000, 1, 10000, 1, 10000, 1,
], 16);

/** Returns the value of 16 decimal digits, one in each lane, the most significant first. */
// @ts-ignore: decorator
@inline
export function valueOf(digits: v128): u64 {
  // Two digits a and b form the 16-bit number a + 256 b. The lower 16 bits of this number times 2561 are 256 (10 a
  // + b) + a, so the upper byte is 10 a + b.
  const pairs = i16x8.shr_u(i16x8.mul(digits, v128.load(factors)), 8);
  const fours = i32x4.dot_i16x8_s(pairs, v128.load(factors, 16));
  const eights = i32x4.dot_i16x8_s(i16x8.narrow_i32x4_u(fours, fours), v128.load(factors, 32));
  const both = <u64>i64x2.extract_lane(eights, 0);
  return (both & 0xffffffff) * 100000000 + (both >> 32);
}

// The following functions read the digits before the address `end`. They always load a fixed number of bytes
// before `end` (4 or 16), even when the number has fewer digits.

/** Returns the value of the `count` digits (0 to 16) that end at the address `end`. */
// @ts-ignore: decorator
@inline
export function wholeBefore(end: usize, count: u32): u64 {
  return valueOf(v128.and(figuresAt(end - 16), v128.load(lasts + <usize>count)));
}

/**
 * Returns the value of the digits before `end` without their dot: `whole` digits before the dot and `fraction` after
 * it, at most 15 together.
 */
// @ts-ignore: decorator
@inline
export function dottedBefore(end: usize, whole: u32, fraction: u32): u64 {
  return valueOf(i8x16.swizzle(figuresAt(end - 16), v128.load(dotted + <usize>(((whole << 4) | fraction) << 4))));
}

/** Returns the value of the `count` digits (1 to 4) that end at the address `end`. */
// @ts-ignore: decorator
@inline
export function fourBefore(end: usize, count: u32): u32 {
  const figures = load<u32>(end - 4) & 0x0f0f0f0f & (-1 << (32 - (count << 3)));
  const pairs = (figures * 10 + (figures >> 8)) & 0x00ff00ff;
  return (pairs * 100 + (pairs >> 16)) & 0xffff;
}
