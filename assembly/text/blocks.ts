// Handles blocks of 64 bytes as 64-bit masks, with the first byte in the lowest bit: marks quotes and backslashes, and
// finds which bytes are escaped.

/** Returns a mask with one bit for each byte of a block. */
// @ts-ignore: decorator
@inline
export function bits(a: v128, b: v128, c: v128, d: v128): u64 {
  return (
    <u64>i8x16.bitmask(a) | (<u64>i8x16.bitmask(b) << 16) | (<u64>i8x16.bitmask(c) << 32) | (<u64>i8x16.bitmask(d) << 48)
  );
}

const EVEN: u64 = 0x5555555555555555;

/**
 * Returns a mask of the escaped bytes: in each run of backslashes, the byte after the first backslash, after the third,
 * after the fifth and so on (Langdale and Lemire, "Parsing Gigabytes of JSON per Second", 2019, section 3.1.1).
 */
// @ts-ignore: decorator
@inline
export function secondsOf(backslashes: u64): u64 {
  const behind = backslashes << 1;
  const oddStarts = backslashes & ~EVEN & ~behind;
  return (EVEN ^ ((oddStarts + backslashes) << 1)) & behind;
}

// @ts-ignore: decorator
@inline
export function isBackslash(v: v128): v128 {
  return i8x16.eq(v, i8x16.splat(0x5c));
}

// @ts-ignore: decorator
@inline
export function isQuotable(v: v128): v128 {
  return v128.or(isBackslash(v), i8x16.eq(v, i8x16.splat(0x22)));
}
