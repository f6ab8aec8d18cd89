// Text with the escapes of each form, 16 bytes at a time. Line protocol keeps every byte; JSON gets U+FFFD for each maximal part of what is not
// UTF-8, as the encoding standard replaces it.

import { flush, limit, out, setOut } from "./output";

const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;

/**
 * The inside of a quoted text of line protocol: `"` and `\` get a backslash. `isEscaped`: in the source `\"` and `\\` stand for one byte
 * each, so they stay as they are.
 */
export function putQuotable(p: usize, length: u32, isEscaped: bool): void {
  const end = p + length;
  let o = out;
  while (p < end) {
    if (o > limit) {
      setOut(o);
      flush();
      o = out;
    }
    while (p + 64 <= end && o <= limit) {
      const a = v128.load(p);
      const b = v128.load(p, 16);
      const c = v128.load(p, 32);
      const d = v128.load(p, 48);
      v128.store(o, a);
      v128.store(o, b, 16);
      v128.store(o, c, 32);
      v128.store(o, d, 48);
      if (v128.any_true(v128.or(v128.or(isQuotable(a), isQuotable(b)), v128.or(isQuotable(c), isQuotable(d))))) break;
      p += 64;
      o += 64;
    }
    const v = v128.load(p);
    v128.store(o, v);
    const found = i8x16.bitmask(isQuotable(v));
    const clean = min<usize>(found ? <usize>ctz(found) : 16, end - p);
    p += clean;
    o += clean;
    if (!found || p >= end) continue;
    let c = <u32>load<u8>(p++);
    if (isEscaped && c == BACKSLASH && p < end) {
      const next = <u32>load<u8>(p);
      if (next == QUOTE || next == BACKSLASH) {
        c = next;
        p++;
      }
    }
    store<u16>(o, BACKSLASH | (c << 8));
    o += 2;
  }
  setOut(o);
}

// @ts-ignore: decorator
@inline
function isQuotable(v: v128): v128 {
  return v128.or(i8x16.eq(v, i8x16.splat(0x22)), i8x16.eq(v, i8x16.splat(0x5c)));
}

/** The bytes that `\"` and `\\` stand for. */
export function putUnescaped(p: usize, length: u32): void {
  const end = p + length;
  let o = out;
  while (p < end) {
    if (o > limit) {
      setOut(o);
      flush();
      o = out;
    }
    const v = v128.load(p);
    v128.store(o, v);
    const found = i8x16.bitmask(i8x16.eq(v, i8x16.splat(0x5c)));
    const clean = min<usize>(found ? <usize>ctz(found) : 16, end - p);
    p += clean;
    o += clean;
    if (!found || p >= end) continue;
    let c = <u32>load<u8>(p++);
    if (p < end) {
      const next = <u32>load<u8>(p);
      if (next == QUOTE || next == BACKSLASH) {
        c = next;
        p++;
      }
    }
    store<u8>(o++, c);
  }
  setOut(o);
}

/** How many bytes `putUnescaped` writes. */
export function unescapedLength(p: usize, length: u32): u32 {
  const end = p + length;
  let pairs: u32 = 0;
  while (p < end) {
    const found = i8x16.bitmask(i8x16.eq(v128.load(p), i8x16.splat(0x5c)));
    if (!found) {
      p += 16;
      continue;
    }
    p += ctz(found) + 1;
    if (p >= end) break;
    const next = <u32>load<u8>(p);
    if (next == QUOTE || next == BACKSLASH) {
      pairs++;
      p++;
    }
  }
  return length - pairs;
}

/** A key or tag value of line protocol: comma, space and `fourth` (`=`, or a comma again for none) get a backslash, `fifth` too. */
export function putToken(p: usize, length: u32, fourth: u32, fifth: u32): void {
  const end = p + length;
  let o = out;
  while (p < end) {
    if (o > limit) {
      setOut(o);
      flush();
      o = out;
    }
    const v = v128.load(p);
    v128.store(o, v);
    const found = i8x16.bitmask(
      v128.or(
        v128.or(i8x16.eq(v, i8x16.splat(0x2c)), i8x16.eq(v, i8x16.splat(0x20))),
        v128.or(i8x16.eq(v, i8x16.splat(<i8>fourth)), i8x16.eq(v, i8x16.splat(<i8>fifth))),
      ),
    );
    const clean = min<usize>(found ? <usize>ctz(found) : 16, end - p);
    p += clean;
    o += clean;
    if (!found || p >= end) continue;
    store<u16>(o, BACKSLASH | (<u32>load<u8>(p++) << 8));
    o += 2;
  }
  setOut(o);
}

/** A measurement: comma and space get a backslash unless they have one. */
export function putMeasurement(p: usize, length: u32): void {
  const end = p + length;
  let from = p;
  for (let at = p; at < end; at++) {
    const c = load<u8>(at);
    if ((c == 0x2c || c == 0x20) && at > from && load<u8>(at - 1) == BACKSLASH) {
      putToken(from, <u32>(at - 1 - from), 0x2c, 0x2c);
      store<u16>(out, BACKSLASH | (<u32>c << 8));
      setOut(out + 2);
      from = at + 1;
    }
  }
  putToken(from, <u32>(end - from), 0x2c, 0x2c);
}

/** The inside of a JSON string. `isEscaped` as in `putQuotable`: JSON has the same two escapes. */
export function putJson(p: usize, length: u32, isEscaped: bool): void {
  const end = p + length;
  let o = out;
  while (p < end) {
    if (o > limit) {
      setOut(o);
      flush();
      o = out;
    }
    while (p + 64 <= end && o <= limit) {
      const a = v128.load(p);
      const b = v128.load(p, 16);
      const c = v128.load(p, 32);
      const d = v128.load(p, 48);
      v128.store(o, a);
      v128.store(o, b, 16);
      v128.store(o, c, 32);
      v128.store(o, d, 48);
      if (i8x16.bitmask(v128.or(v128.or(isSpecial(a), isSpecial(b)), v128.or(isSpecial(c), isSpecial(d))))) break;
      p += 64;
      o += 64;
    }
    const v = v128.load(p);
    v128.store(o, v);
    const found = i8x16.bitmask(isSpecial(v));
    const clean = min<usize>(found ? <usize>ctz(found) : 16, end - p);
    p += clean;
    o += clean;
    if (!found || p >= end) continue;
    let c = <u32>load<u8>(p);
    if (c >= 0x80) {
      // At most 16 KB between two looks at the limit.
      const stop = min(end, p + 4096);
      do {
        const known = sequence(p, end);
        if (isValid) {
          store<u32>(o, load<u32>(p));
          o += known;
        } else {
          store<u32>(o, 0xbdbfef);
          o += 3;
        }
        p += known;
      } while (p < stop && load<u8>(p) >= 0x80);
      continue;
    }
    p++;
    if (c >= 0x20) {
      if (isEscaped && c == BACKSLASH && p < end) {
        const next = <u32>load<u8>(p);
        if (next == QUOTE || next == BACKSLASH) {
          c = next;
          p++;
        }
      }
      store<u16>(o, BACKSLASH | (c << 8));
      o += 2;
      continue;
    }
    const letter = load<u8>(letters + c);
    if (letter) {
      store<u16>(o, BACKSLASH | (<u32>letter << 8));
      o += 2;
    } else {
      store<u32>(o, 0x3030755c);
      store<u8>(o, 0x30 + (c >> 4), 4);
      const low = c & 15;
      store<u8>(o, low + (low < 10 ? 0x30 : 0x57), 5);
      o += 6;
    }
  }
  setOut(o);
}

/** Quotes, backslashes, control characters and what is not ASCII: their highest bit is set. */
// @ts-ignore: decorator
@inline
function isSpecial(v: v128): v128 {
  return v128.or(v128.or(v, i8x16.lt_u(v, i8x16.splat(0x20))), isQuotable(v));
}

/** Letters of the short escapes, by control character: \b \t \n \f \r. */
const letters = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 0x62, 0x74, 0x6e, 0, 0x66, 0x72, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
]);

/** Is what the last `sequence` found a character? */
let isValid: bool = false;

/** Bytes of the character at `p`, whose first byte is above 0x7F; else of the longest beginning of one, at least 1. */
function sequence(p: usize, end: usize): u32 {
  const lead = <u32>load<u8>(p);
  isValid = false;
  if (lead < 0xc2 || lead > 0xf4 || p + 1 >= end) return 1;
  const second = <u32>load<u8>(p + 1);
  if ((second & 0xc0) != 0x80) return 1;
  if (lead < 0xe0) {
    isValid = true;
    return 2;
  }
  if (lead == 0xe0 ? second < 0xa0 : lead == 0xed ? second > 0x9f : lead == 0xf0 ? second < 0x90 : lead == 0xf4 && second > 0x8f) return 1;
  if (p + 2 >= end || (<u32>load<u8>(p + 2) & 0xc0) != 0x80) return 2;
  if (lead < 0xf0) {
    isValid = true;
    return 3;
  }
  if (p + 3 >= end || (<u32>load<u8>(p + 3) & 0xc0) != 0x80) return 3;
  isValid = true;
  return 4;
}
