// Searches for the bytes that end a measurement, a key, a tag value or a string, 16 or 64 bytes at a time. Each
// function has the name of the grammar rule that it implements. All functions may read up to 63 bytes past the
// end. A function without a parameter for the end stops at the newlines after the body.

import { lanesOf } from "../memory/lanes";

const COMMA: u8 = 0x2c;
const SPACE: u8 = 0x20;
const EQUALS: u8 = 0x3d;
const BACKSLASH: u8 = 0x5c;
const NEWLINE: u8 = 0x0a;
const QUOTE: u8 = 0x22;

// @ts-ignore: decorator
@inline
function among(v: v128, c: u8): v128 {
  return i8x16.eq(v, lanesOf(c));
}

// A lookup table for the characters space, newline, comma and `=`. Each of them is stored at the index that equals the
// low four bits of its code: the comma, 0x2c, at index 12. A byte is one of the four characters exactly when it equals
// the element at the index that equals its own low four bits. All other elements are 0. The byte 0 does not match
// either, because the element at index 0 is the space.
const stops = memory.data<u8>([0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0a, 0, 0x2c, 0x3d, 0, 0], 16);

/**
 * Returns the address of the first comma, space, `=`, backslash or newline: the end of a key, or of a value without
 * quotes.
 */
// @ts-ignore: decorator
@inline
export function stopOfToken(p: usize): usize {
  for (;;) {
    const v = v128.load(p);
    const mask = i8x16.bitmask(v128.or(i8x16.eq(i8x16.swizzle(v128.load(stops), v128.and(v, lanesOf(0x0f))), v), among(v, BACKSLASH)));
    if (mask) return p + ctz(mask);
    p += 16;
  }
  return p;
}

/** Returns the address of the first comma, space, backslash or newline: the end of a measurement. */
export function stopOfName(p: usize): usize {
  for (;;) {
    const v = v128.load(p);
    const mask = i8x16.bitmask(
      v128.or(v128.or(among(v, COMMA), among(v, SPACE)), v128.or(among(v, BACKSLASH), among(v, NEWLINE))),
    );
    if (mask) return p + ctz(mask);
    p += 16;
  }
  return p;
}

/**
 * Two facts about the string that `stringEnd` read last: whether it has a backslash, and whether it has a
 * backslash before a byte other than a quote or a backslash.
 */
export let hasBackslash: bool = false;
export let hasOddEscape: bool = false;

// @ts-ignore: decorator
@inline
function bitsOf(c: v128, p: usize): u64 {
  const low = <u32>i8x16.bitmask(i8x16.eq(v128.load(p), c)) | (<u32>i8x16.bitmask(i8x16.eq(v128.load(p, 16), c)) << 16);
  const high = <u32>i8x16.bitmask(i8x16.eq(v128.load(p, 32), c)) | (<u32>i8x16.bitmask(i8x16.eq(v128.load(p, 48), c)) << 16);
  return <u64>low | (<u64>high << 32);
}

// @ts-ignore: decorator
@inline
function escapedOfRuns(slashes: u64, escapedFirst: u64): u64 {
  const odd: u64 = 0xaaaaaaaaaaaaaaaa;
  const starts = slashes & ~escapedFirst;
  return (((starts << 1) | odd) - starts) ^ odd ^ (slashes | escapedFirst);
}

/**
 * Returns the address of the quote that closes the string whose text starts at `p`; when there is no such quote,
 * returns `end` or an address after it. Escaped bytes are found by arithmetic on runs of backslashes (Langdale and
 * Lemire, "Parsing gigabytes of JSON per second", 2019), so that a string full of `\"` costs no mispredicted branches.
 */
// @ts-ignore: decorator
@inline
export function stringEnd(p: usize, end: usize): usize {
  let escapedFirst: u64 = 0;
  let backslashes: u64 = 0;
  let odd: u64 = 0;
  hasBackslash = false;
  hasOddEscape = false;
  while (p < end) {
    const quotes = bitsOf(lanesOf(QUOTE), p);
    const slashes = bitsOf(lanesOf(BACKSLASH), p);
    // A single backslash escapes the byte after it; in a run of backslashes, every other backslash escapes the next
    // byte.
    let escaped = (slashes << 1) | escapedFirst;
    if (escaped & slashes) escaped = escapedOfRuns(slashes, escapedFirst);
    escapedFirst = (slashes & ~escaped) >> 63;
    const closing = quotes & ~escaped;
    if (closing) {
      const at = ctz(closing);
      const inside = (<u64>1 << at) - 1;
      hasBackslash = (backslashes | (slashes & inside)) != 0;
      hasOddEscape = (odd | (escaped & ~(quotes | slashes) & inside)) != 0;
      return p + <usize>at;
    }
    backslashes |= slashes;
    odd |= escaped & ~(quotes | slashes);
    p += 64;
  }
  return end;
}
