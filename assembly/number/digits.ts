// Decimal digits 16 at a time, without a branch on how many there are.

/** Bit i: byte i of the 16 at `p` is a digit. */
// @ts-ignore: decorator
@inline
export function digitMask(v: v128): u32 {
  return i8x16.bitmask(i8x16.le_u(i8x16.sub(v, i8x16.splat(0x30)), i8x16.splat(9)));
}

/** Lanes moved up by `by`, zeros behind them. */
// @ts-ignore: decorator
@inline
function moved(v: v128, by: u32): v128 {
  return i8x16.swizzle(v, i8x16.sub(i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), i8x16.splat(<u8>by)));
}

/** Value of 16 decimal digits, one a byte, the first the greatest. */
// @ts-ignore: decorator
@inline
function valueOf(digits: v128): u64 {
  const pairs = i16x8.add(
    i16x8.mul(v128.and(digits, i16x8.splat(0xff)), i16x8.splat(10)),
    i16x8.shr_u(digits, 8),
  );
  const fours = i32x4.dot_i16x8_s(pairs, i16x8(100, 1, 100, 1, 100, 1, 100, 1));
  const eights = i32x4.dot_i16x8_s(i16x8.narrow_i32x4_u(fours, fours), i16x8(10000, 1, 10000, 1, 10000, 1, 10000, 1));
  const both = <u64>i64x2.extract_lane(eights, 0);
  return (both & 0xffffffff) * 100000000 + (both >> 32);
}

/** Value of the first `count` bytes, all digits; 0 to 16. */
// @ts-ignore: decorator
@inline
export function wholeValue(v: v128, count: u32): u64 {
  return valueOf(moved(i8x16.sub(v, i8x16.splat(0x30)), 16 - count));
}

/** Value of the digits among the first `whole` + 1 + `fraction` bytes, at most 16, without the dot behind the first `whole`. */
// @ts-ignore: decorator
@inline
export function dottedValue(v: v128, whole: u32, fraction: u32): u64 {
  const right = moved(i8x16.sub(v, i8x16.splat(0x30)), 15 - whole - fraction);
  // What stands before the dot moves over it.
  const over = i8x16.shuffle(i8x16.splat(0), right, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
  const isBefore = i8x16.lt_u(
    i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
    i8x16.splat(<u8>(16 - fraction)),
  );
  return valueOf(v128.bitselect(over, right, isBefore));
}
