// Decimal digits 16 at a time, without a branch on how many there are: bytes become lanes of 0 to 9, a shuffle moves those that count to
// the end, three multiplications add them up.

/** 16 bytes less `0`: digits are 0 to 9 now. */
// @ts-ignore: decorator
@inline
export function figuresAt(p: usize): v128 {
  return i8x16.sub(v128.load(p), i8x16.splat(0x30));
}

/** How many digits stand in front. */
// @ts-ignore: decorator
@inline
export function digitMask(figures: v128): u32 {
  return i8x16.bitmask(i8x16.le_u(figures, i8x16.splat(9)));
}

// Lane numbers behind 16 that are out of range: read from byte 16 - n on, they move what stands first n lanes up.
const ascending = memory.data<u8>([
  255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
]);

// The same with a dot left out, by the digits before it and behind it: 256 shuffles of 16 lanes.
const dotted = memory.data(4096, 16);

for (let whole: u32 = 0; whole < 16; whole++) {
  for (let fraction: u32 = 0; fraction < 16; fraction++) {
    for (let lane: u32 = 0; lane < 16; lane++) {
      // Counted from the end of the number.
      const back: u32 = 15 - lane;
      const from = back < fraction ? whole + fraction - back : back < whole + fraction ? whole + fraction - back - 1 : <u32>255;
      store<u8>(dotted + <usize>((((whole << 4) | fraction) << 4) | lane), <u8>from);
    }
  }
}

/** Value of 16 decimal digits, one a lane, the first the greatest. */
// @ts-ignore: decorator
@inline
function valueOf(digits: v128): u64 {
  const pairs = i16x8.add(i16x8.mul(v128.and(digits, i16x8.splat(0xff)), i16x8.splat(10)), i16x8.shr_u(digits, 8));
  const fours = i32x4.dot_i16x8_s(pairs, i16x8(100, 1, 100, 1, 100, 1, 100, 1));
  const eights = i32x4.dot_i16x8_s(i16x8.narrow_i32x4_u(fours, fours), i16x8(10000, 1, 10000, 1, 10000, 1, 10000, 1));
  const both = <u64>i64x2.extract_lane(eights, 0);
  return (both & 0xffffffff) * 100000000 + (both >> 32);
}

/** Value of the first `count` lanes, all digits; 0 to 16. */
// @ts-ignore: decorator
@inline
export function wholeValue(figures: v128, count: u32): u64 {
  return valueOf(i8x16.swizzle(figures, v128.load(ascending + <usize>count)));
}

/** Value of the digits among the first `whole` + 1 + `fraction` lanes, at most 16, without the dot behind the first `whole`. */
// @ts-ignore: decorator
@inline
export function dottedValue(figures: v128, whole: u32, fraction: u32): u64 {
  return valueOf(i8x16.swizzle(figures, v128.load(dotted + <usize>(((whole << 4) | fraction) << 4))));
}
