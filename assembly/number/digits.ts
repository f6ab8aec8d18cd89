// Decimal digits 16 at a time, without a branch on how many there are: bytes become lanes of 0 to 9, those that do not count become 0, three
// multiplications add them up.

import { lanesOf } from "../memory/lanes";

/** 16 bytes less `0`: digits are 0 to 9 now. */
// @ts-ignore: decorator
@inline
export function figuresAt(p: usize): v128 {
  return i8x16.sub(v128.load(p), lanesOf(0x30));
}

/** Which of the 16 bytes at `p` are no digits. As signed numbers, with 0x50 added, those are above `9`: the least work for a processor. */
// @ts-ignore: decorator
@inline
export function stopsAt(p: usize): u32 {
  return i8x16.bitmask(i8x16.gt_s(i8x16.add(v128.load(p), lanesOf(0x50)), lanesOf(0x89)));
}

// 16 zeros and 16 times 255: read from byte n on, they keep the last n lanes.
const lasts = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
]);

// Shuffles that leave out a dot, by the digits before it and behind it: 256 of 16 lanes.
const dotted = memory.data(4096, 16);

for (let whole: u32 = 0; whole < 16; whole++) {
  for (let fraction: u32 = 0; fraction < 16; fraction++) {
    for (let lane: u32 = 0; lane < 16; lane++) {
      // Counted from the end of the number.
      const back: u32 = 15 - lane;
      const from = back < fraction ? lane : back < whole + fraction && lane ? lane - 1 : <u32>255;
      store<u8>(dotted + <usize>((((whole << 4) | fraction) << 4) | lane), <u8>from);
    }
  }
}

// The factors of the three multiplications.
const factors = memory.data<u16>([
  2561, 2561, 2561, 2561, 2561, 2561, 2561, 2561,
  100, 1, 100, 1, 100, 1, 100, 1,
  10000, 1, 10000, 1, 10000, 1, 10000, 1,
], 16);

/** Value of 16 decimal digits, one a lane, the first the greatest. */
// @ts-ignore: decorator
@inline
export function valueOf(digits: v128): u64 {
  // Two digits are a + 256 b; 2561 times that is, within 16 bits, 256 (10 a + b) + a.
  const pairs = i16x8.shr_u(i16x8.mul(digits, v128.load(factors)), 8);
  const fours = i32x4.dot_i16x8_s(pairs, v128.load(factors, 16));
  const eights = i32x4.dot_i16x8_s(i16x8.narrow_i32x4_u(fours, fours), v128.load(factors, 32));
  const both = <u64>i64x2.extract_lane(eights, 0);
  return (both & 0xffffffff) * 100000000 + (both >> 32);
}

// The next two read the 16 bytes before `end`, of which the number may fill the last only.

/** Value of the `count` digits before `end`, 0 to 16. */
// @ts-ignore: decorator
@inline
export function wholeBefore(end: usize, count: u32): u64 {
  return valueOf(v128.and(figuresAt(end - 16), v128.load(lasts + <usize>count)));
}

/** Value of the digits before `end` with a dot among them: `whole` before it and `fraction` behind it, at most 15 together. */
// @ts-ignore: decorator
@inline
export function dottedBefore(end: usize, whole: u32, fraction: u32): u64 {
  return valueOf(i8x16.swizzle(figuresAt(end - 16), v128.load(dotted + <usize>(((whole << 4) | fraction) << 4))));
}
