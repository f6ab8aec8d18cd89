// Removes the escapes `\"` and `\\` from strings of line protocol.

import { bits, isBackslash, isQuotable, secondsOf } from "./blocks";

const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;

/** Address after the bytes that the last call of `unescape` read. */
export let endOfRead: usize = 0;

/**
 * Copies a string from `p` on and resolves the escapes `\"` and `\\`. Returns the address after the copy; up to 64
 * bytes after it are overwritten. Reads up to `stop`, or one byte more when an escape crosses `stop`. `end` is the end
 * of the whole string.
 */
export function unescape(p: usize, stop: usize, end: usize, to: usize): usize {
  while (p < stop) {
    let found: u64 = 0;
    for (; p + 64 <= stop; p += 64, to += 64) {
      const a = v128.load(p);
      const b = v128.load(p, 16);
      const c = v128.load(p, 32);
      const d = v128.load(p, 48);
      v128.store(to, a);
      v128.store(to, b, 16);
      v128.store(to, c, 32);
      v128.store(to, d, 48);
      const isA = isBackslash(a);
      const isB = isBackslash(b);
      const isC = isBackslash(c);
      const isD = isBackslash(d);
      if (!v128.any_true(v128.or(v128.or(isA, isB), v128.or(isC, isD)))) continue;
      found = bits(isA, isB, isC, isD);
      break;
    }
    if (!found) {
      const size = stop - p;
      // Up to 15 bytes after the string are loaded, too; these bytes must be readable.
      for (let at: usize = 0; at < size; at += 16) {
        const v = v128.load(p + at);
        v128.store(to + at, v);
        found |= (<u64>i8x16.bitmask(isBackslash(v))) << at;
      }
      found &= ((<u64>1) << size) - 1;
      if (!found) {
        to += size;
        p = stop;
        break;
      }
    }
    // The loop below handles all backslashes among the next 16 bytes, because loading a new block of 16 bytes after
    // each backslash would take more time.
    for (;;) {
      const run = <usize>ctz(found);
      p += run;
      to += run;
      let c = BACKSLASH;
      let took: u64 = 1;
      if (p + 1 < end) {
        const second = <u32>load<u8>(p, 1);
        if (second == QUOTE || second == BACKSLASH) {
          c = second;
          took = 2;
        }
      }
      store<u8>(to++, c);
      p += <usize>took;
      found = (found >> run) >> took;
      if (!(found & 0xffff)) break;
      v128.store(to, v128.load(p));
    }
  }
  endOfRead = p;
  return to;
}

/** Returns the length that a string has after its escapes `\"` and `\\` are resolved. */
export function unescapedLength(p: usize, length: u32): u32 {
  const end = p + length;
  let seconds: u32 = 0;
  while (p + 64 <= end) {
    const a = v128.load(p);
    const b = v128.load(p, 16);
    const c = v128.load(p, 32);
    const d = v128.load(p, 48);
    const isA = isBackslash(a);
    const isB = isBackslash(b);
    const isC = isBackslash(c);
    const isD = isBackslash(d);
    p += 64;
    if (!v128.any_true(v128.or(v128.or(isA, isB), v128.or(isC, isD)))) continue;
    const backslashes = bits(isA, isB, isC, isD);
    const behind = secondsOf(backslashes);
    seconds += <u32>popcnt(behind & bits(isQuotable(a), isQuotable(b), isQuotable(c), isQuotable(d)));
    // When a block ends with a backslash that begins an escape, the next block starts with this backslash, so that
    // the whole escape is in one block.
    p -= <usize>((backslashes & ~behind) >> 63);
  }
  let backslashes: u64 = 0;
  let quotable: u64 = 0;
  for (let at: usize = 0; at < end - p; at += 16) {
    const v = v128.load(p + at);
    backslashes |= (<u64>i8x16.bitmask(isBackslash(v))) << at;
    quotable |= (<u64>i8x16.bitmask(isQuotable(v))) << at;
  }
  const inside = ((<u64>1) << (end - p)) - 1;
  return length - seconds - <u32>popcnt(secondsOf(backslashes & inside) & quotable & inside);
}
