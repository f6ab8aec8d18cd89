// Writes the content of quoted strings with the escapes of line protocol or of JSON, 64 bytes at a time. Line protocol
// keeps every byte; for JSON, runes.ts writes the characters that are not ASCII.

import { bits, isBackslash, isQuotable, secondsOf } from "../text/blocks";
import { flush, flushFrom, limit, out, setOut } from "./output";
import { putRunes } from "./runes";

const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;

// The two output formats whose strings this file writes: line protocol and JSON.
const LINE: u32 = 0;
const JSON: u32 = 1;

/**
 * Writes the content of a quoted string in line protocol: puts a backslash before `"` and `\`. `isEscaped` says that
 * the source already has the escapes `\"` and `\\`, so that these bytes are copied unchanged.
 */
export function putQuotable(p: usize, length: u32, isEscaped: bool): void {
  if (isEscaped) putText(p, length, true, LINE);
  else putText(p, length, false, LINE);
}

/**
 * Writes the content of a JSON string. `isEscaped` says that the source already has the escapes `\"` and `\\`, which
 * are the same in JSON.
 */
export function putJson(p: usize, length: u32, isEscaped: bool): void {
  if (isEscaped) putText(p, length, true, JSON);
  else putText(p, length, false, JSON);
}

/**
 * Smallest number of consecutive unchanged bytes that are passed to JavaScript directly. For fewer bytes, copying them
 * to the output buffer costs less than calling JavaScript.
 */
const DIRECT: usize = 16384;

/**
 * Returns how many bytes from the address `p` on need no escape, so that they are copied unchanged. Counts whole blocks
 * of 64 bytes only.
 */
// @ts-ignore: decorator
@inline
function cleanLength(p: usize, end: usize, isEscaped: bool, as: u32): usize {
  const start = p;
  for (; p + 64 <= end; p += 64) {
    const a = v128.load(p);
    const b = v128.load(p, 16);
    const c = v128.load(p, 32);
    const d = v128.load(p, 48);
    const specialA = isSpecial(a, as);
    const specialB = isSpecial(b, as);
    const specialC = isSpecial(c, as);
    const specialD = isSpecial(d, as);
    if (v128.any_true(v128.or(v128.or(specialA, specialB), v128.or(specialC, specialD)))) {
      if (!isEscaped) break;
      const found = bits(specialA, specialB, specialC, specialD);
      // Counting goes on after an escape whose two bytes lie in one block. It stops at an escape that begins in one
      // block and ends in the next: if counting went on there, the work on each block would have to wait for the
      // previous block, which is slow.
      if (found & ~pairs(a, b, c, d, found, as)) break;
    }
  }
  return p - start;
}

/** Copies the `clean` bytes from `p` on to the output unchanged. Returns the address after the written bytes. */
// @ts-ignore: decorator
@inline
function putClean(o: usize, p: usize, clean: usize): usize {
  if (clean < DIRECT) {
    memory.copy(o, p, clean);
    return o + clean;
  }
  setOut(o);
  flushFrom(p, <u32>clean);
  return out;
}

// Copies blocks of 64 bytes. At the first byte of a block that must change, writes the replacement and starts the next
// block after this byte. For JSON, `putRunes` continues at the first byte that is not ASCII. The compiler inlines this
// function four times, once for each constant combination of `isEscaped` and `as`.
// @ts-ignore: decorator
@inline
function putText(p: usize, length: u32, isEscaped: bool, as: u32): void {
  const end = p + length;
  let o = out;
  let next = p + DIRECT <= end ? p : end;
  while (p < end) {
    if (o > limit) {
      setOut(o);
      flush();
      o = out;
    }
    if (p >= next) {
      const clean = cleanLength(p, end, isEscaped, as);
      o = putClean(o, p, clean);
      p += clean;
      next = p + 2 * DIRECT <= end ? p + DIRECT : end;
      continue;
    }
    let found: u64 = 0;
    for (const whole = p + (min(end - p, limit + 64 - o) & ~63); p < whole; p += 64, o += 64) {
      const a = v128.load(p);
      const b = v128.load(p, 16);
      const c = v128.load(p, 32);
      const d = v128.load(p, 48);
      v128.store(o, a);
      v128.store(o, b, 16);
      v128.store(o, c, 32);
      v128.store(o, d, 48);
      const specialA = isSpecial(a, as);
      const specialB = isSpecial(b, as);
      const specialC = isSpecial(c, as);
      const specialD = isSpecial(d, as);
      if (!v128.any_true(v128.or(v128.or(specialA, specialB), v128.or(specialC, specialD)))) continue;
      found = bits(specialA, specialB, specialC, specialD);
      if (isEscaped) found &= ~pairs(a, b, c, d, found, as);
      if (found) break;
    }
    if (!found) {
      const size = end - p;
      if (size >= 64) continue;
      found = copyLast(o, p, size, isEscaped, as);
      if (!found) {
        o += size;
        break;
      }
    }
    // The loop below handles all bytes among the next 16 that must be escaped, because starting a new block after each
    // of them would take more time.
    for (;;) {
      const run = <usize>ctz(found);
      p += run;
      o += run;
      let c = <u32>load<u8>(p);
      if (as == JSON && c >= 0x80) {
        setOut(o);
        p = putRunes(p, end);
        o = out;
        break;
      }
      let took: u64 = 1;
      if (isEscaped && c == BACKSLASH && p + 1 < end) {
        const second = <u32>load<u8>(p, 1);
        if (second == QUOTE || second == BACKSLASH) {
          c = second;
          took = 2;
        }
      }
      p += <usize>took;
      if (as == JSON && c < 0x20) o = putControl(o, c);
      else {
        store<u16>(o, BACKSLASH | (c << 8));
        o += 2;
      }
      found = (found >> run) >> took;
      if (!(found & 0xffff)) break;
      v128.store(o, v128.load(p));
    }
  }
  setOut(o);
}

/**
 * Copies the last `size` bytes of a string, fewer than 64. Returns a bit set of the bytes that must change. Up to 15
 * bytes after the string are read, too, so they must be readable.
 */
// @ts-ignore: decorator
@inline
function copyLast(o: usize, p: usize, size: usize, isEscaped: bool, as: u32): u64 {
  let found: u64 = 0;
  let quotable: u64 = 0;
  let backslashes: u64 = 0;
  for (let at: usize = 0; at < size; at += 16) {
    const v = v128.load(p + at);
    v128.store(o + at, v);
    found |= <u64>i8x16.bitmask(isSpecial(v, as)) << at;
    if (isEscaped && as == JSON) quotable |= <u64>i8x16.bitmask(isQuotable(v)) << at;
    if (isEscaped) backslashes |= <u64>i8x16.bitmask(isBackslash(v)) << at;
  }
  const inside = ((<u64>1) << size) - 1;
  found &= inside;
  if (isEscaped) found &= ~pairsOf(backslashes & inside, (as == JSON ? quotable : found) & inside);
  return found;
}

/**
 * Returns a bit set of the bytes of a block that belong to an escape `\"` or `\\`. `found` is the bit set of the bytes
 * that cannot be copied to the output unchanged. An escape that continues in the next block is left out.
 */
// @ts-ignore: decorator
@inline
function pairs(a: v128, b: v128, c: v128, d: v128, found: u64, as: u32): u64 {
  const backslashes = bits(isBackslash(a), isBackslash(b), isBackslash(c), isBackslash(d));
  return pairsOf(backslashes, as == LINE ? found : bits(isQuotable(a), isQuotable(b), isQuotable(c), isQuotable(d)));
}

/**
 * Returns a bit set of the bytes of a block that belong to an escape `\"` or `\\`, one bit for each byte.
 * `backslashes` is the bit set of the backslashes. `quotable` is the bit set of the bytes that may follow the
 * backslash of an escape: `"` and `\`. The first byte of the block must not be the second byte of an escape.
 */
// @ts-ignore: decorator
@inline
function pairsOf(backslashes: u64, quotable: u64): u64 {
  const seconds = secondsOf(backslashes) & quotable;
  return seconds | (seconds >> 1);
}

/**
 * Returns a vector that marks the bytes that must change. For JSON these are quotes, backslashes, control characters,
 * and bytes that are not ASCII (below 0 as signed bytes).
 */
// @ts-ignore: decorator
@inline
function isSpecial(v: v128, as: u32): v128 {
  if (as == LINE) return isQuotable(v);
  // With bit 1 flipped, the quote (0x22) becomes 0x20, next to the control characters, and the space becomes 0x22. So
  // one comparison finds quotes and control characters.
  return v128.or(isBackslash(v), i8x16.lt_s(v128.xor(v, i8x16.splat(2)), i8x16.splat(0x21)));
}

/** Writes a control character with its JSON escape. */
function putControl(o: usize, c: u32): usize {
  const letter = load<u8>(letters + c);
  if (letter) {
    store<u16>(o, BACKSLASH | (<u32>letter << 8));
    return o + 2;
  }
  store<u32>(o, 0x3030755c);
  store<u8>(o, 0x30 + (c >> 4), 4);
  const low = c & 15;
  store<u8>(o, low + (low < 10 ? 0x30 : 0x57), 5);
  return o + 6;
}

/** Letters of the short JSON escapes (\b \t \n \f \r), indexed by control character. */
const letters = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 0x62, 0x74, 0x6e, 0, 0x66, 0x72, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
]);
