// Text with the escapes of each form, 16 bytes at a time. Line protocol keeps every byte; JSON gets U+FFFD for each maximal part of what is not
// UTF-8, as the encoding standard replaces it.

import { flush, flushFrom, limit, out, setOut } from "./output";

const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;

// What a text becomes.
const LINE: u32 = 0;
const JSON: u32 = 1;
const RAW: u32 = 2;

/**
 * The inside of a quoted text of line protocol: `"` and `\` get a backslash. `isEscaped`: in the source `\"` and `\\` stand for one byte
 * each, so they stay as they are.
 */
export function putQuotable(p: usize, length: u32, isEscaped: bool): void {
  putText(p, length, isEscaped, LINE);
}

/** The inside of a JSON string. `isEscaped` as in `putQuotable`: JSON has the same two escapes. */
export function putJson(p: usize, length: u32, isEscaped: bool): void {
  putText(p, length, isEscaped, JSON);
}

/** The bytes that a source with `\"` and `\\` stands for. */
export function putUnescaped(p: usize, length: u32): void {
  putText(p, length, true, RAW);
}

/** A clean run of this length goes to the host from where it lies; shorter ones are not worth its call. */
const DIRECT: usize = 16384;

/** Bytes from `p` on, in whole blocks of 64, without any special one. */
// @ts-ignore: decorator
@inline
function cleanLength(p: usize, end: usize, as: u32): usize {
  const start = p;
  for (; p + 64 <= end; p += 64) {
    const first = v128.or(isSpecial(v128.load(p), as), isSpecial(v128.load(p, 16), as));
    const second = v128.or(isSpecial(v128.load(p, 32), as), isSpecial(v128.load(p, 48), as));
    if (v128.any_true(v128.or(first, second))) break;
  }
  return p - start;
}

// Blocks of 64 bytes are copied as they are. In one with special bytes the clean runs between them are copied once more, to their place;
// one with a byte that is not ASCII is left to `putRunes` from there on. Inlined three times, with `as` known.
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
      const clean = cleanLength(p, end, as);
      if (clean >= DIRECT) {
        setOut(o);
        flushFrom(p, <u32>clean);
        o = out;
      } else {
        memory.copy(o, p, clean);
        o += clean;
      }
      p += clean;
      next = p + 2 * DIRECT <= end ? p + DIRECT : end;
      continue;
    }
    // Reads up to 15 bytes past the text, so a block at its end is cut to what is left.
    const size = min<usize>(64, end - p);
    const a = v128.load(p);
    v128.store(o, a);
    let special = isSpecial(a, as);
    let found: u64;
    if (size == 64) {
      const b = v128.load(p, 16);
      const c = v128.load(p, 32);
      const d = v128.load(p, 48);
      v128.store(o, b, 16);
      v128.store(o, c, 32);
      v128.store(o, d, 48);
      const specialB = isSpecial(b, as);
      const specialC = isSpecial(c, as);
      const specialD = isSpecial(d, as);
      if (!v128.any_true(v128.or(v128.or(special, specialB), v128.or(specialC, specialD)))) {
        p += 64;
        o += 64;
        continue;
      }
      found =
        <u64>i8x16.bitmask(special) | (<u64>i8x16.bitmask(specialB) << 16) | (<u64>i8x16.bitmask(specialC) << 32) |
        (<u64>i8x16.bitmask(specialD) << 48);
    } else {
      found = i8x16.bitmask(special);
      if (size > 16) {
        for (let at: usize = 16; at < size; at += 16) {
          const v = v128.load(p + at);
          v128.store(o + at, v);
          found |= <u64>i8x16.bitmask(isSpecial(v, as)) << at;
        }
      }
      found &= ((<u64>1) << size) - 1;
      if (!found) {
        o += size;
        break;
      }
    }
    const block = p;
    let run = <usize>ctz(found);
    o += run;
    p += run;
    for (;;) {
      let c = <u32>load<u8>(p);
      if (as == JSON && c >= 0x80) {
        setOut(o);
        p = putRunes(p, end);
        o = out;
        break;
      }
      p++;
      if (isEscaped && c == BACKSLASH && p < end) {
        const next = <u32>load<u8>(p);
        if (next == QUOTE || next == BACKSLASH) {
          c = next;
          p++;
        }
      }
      if (as == RAW) store<u8>(o++, c);
      else if (as == JSON && c < 0x20) o = putControl(o, c);
      else {
        store<u16>(o, BACKSLASH | (c << 8));
        o += 2;
      }
      const done = p - block;
      found = done < 64 ? found & (~(<u64>0) << done) : 0;
      run = (found ? <usize>ctz(found) : max(size, done)) - done;
      for (let at: usize = 0; at < run; at += 16) v128.store(o + at, v128.load(p + at));
      o += run;
      p += run;
      if (!found) break;
    }
  }
  setOut(o);
}

/** Which bytes are special? For JSON quotes, backslashes, control characters and, below 0 as signed bytes, what is not ASCII. */
// @ts-ignore: decorator
@inline
function isSpecial(v: v128, as: u32): v128 {
  const isBackslash = i8x16.eq(v, i8x16.splat(0x5c));
  if (as == RAW) return isBackslash;
  const isQuotable = v128.or(isBackslash, i8x16.eq(v, i8x16.splat(0x22)));
  return as == LINE ? isQuotable : v128.or(isQuotable, i8x16.lt_s(v, i8x16.splat(0x20)));
}

/** A control character of JSON. */
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

/** Letters of the short escapes, by control character: \b \t \n \f \r. */
const letters = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 0x62, 0x74, 0x6e, 0, 0x66, 0x72, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
]);

/** Characters that are not ASCII, from `p` to the next that is, or some thousand of them; gives where it stopped. */
function putRunes(p: usize, end: usize): usize {
  const stop = min(end, p + 8192);
  let o = out;
  let plain = 0;
  while (p < stop) {
    // In bounds for all texts: bytes behind them are readable, and what is read there is looked at only when `p + 2 < end`.
    const word = load<u32>(p);
    if ((word & 0x80) == 0) {
      // A little ASCII between them is not worth leaving.
      const c = word & 0x7f;
      if (++plain > 8 || c < 0x20 || c == QUOTE || c == BACKSLASH) break;
      store<u8>(o++, c);
      p++;
      continue;
    }
    plain = 0;
    if ((word & 0xc0c0f0) == 0x8080e0 && p + 2 < end) {
      // Three bytes: neither overlong nor a surrogate.
      const high = ((word & 0xf) << 6) | ((word >> 8) & 0x3f);
      if (high >= 0x20 && (high & 0x3e0) != 0x360) {
        store<u32>(o, word);
        o += 3;
        p += 3;
        continue;
      }
    }
    const known = sequence(p, end);
    if (isValid) {
      store<u32>(o, word);
      o += known;
    } else {
      store<u32>(o, 0xbdbfef);
      o += 3;
    }
    p += known;
  }
  setOut(o);
  return p;
}

/** How many bytes `putUnescaped` writes. */
export function unescapedLength(p: usize, length: u32): u32 {
  const end = p + length;
  const backslash = i8x16.splat(0x5c);
  let pairs: u32 = 0;
  while (p < end) {
    let found = i8x16.bitmask(i8x16.eq(v128.load(p), backslash));
    const block = p;
    p += 16;
    if (!found) {
      while (p + 64 <= end) {
        const first = v128.or(i8x16.eq(v128.load(p), backslash), i8x16.eq(v128.load(p, 16), backslash));
        const second = v128.or(i8x16.eq(v128.load(p, 32), backslash), i8x16.eq(v128.load(p, 48), backslash));
        if (v128.any_true(v128.or(first, second))) break;
        p += 64;
      }
      continue;
    }
    do {
      const at = block + ctz(found);
      if (at + 1 >= end) return length - pairs;
      const next = <u32>load<u8>(at + 1);
      const isPair = next == QUOTE || next == BACKSLASH;
      pairs += <u32>isPair;
      // The second byte of a pair is no beginning of another.
      const done = at + 1 + <usize>isPair;
      p = max(p, done);
      found &= -1 << <i32>(done - block);
    } while (found && (found & 0xffff));
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
