// Checks a text before an automaton reads it: whether it is valid UTF-8, and whether it contains a literal.

/** Returns whether the text from `at` to `end` is valid UTF-8. Reads up to 15 bytes after `end`. */
export function isValid(at: usize, end: usize): bool {
  for (;;) {
    if (at >= end) return true;
    const mask = i8x16.bitmask(v128.load(at));
    if (mask) {
      at += ctz(mask);
      break;
    }
    at += 16;
  }
  while (at < end) {
    const lead = <u32>load<u8>(at);
    if (lead < 0x80) {
      at++;
      continue;
    }
    if (lead < 0xc2 || lead > 0xf4) return false;
    const width: usize = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (at + width > end) return false;
    const second = <u32>load<u8>(at, 1);
    const low: u32 = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    const high: u32 = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (second < low || second > high) return false;
    for (let i: usize = 2; i < width; i++) if ((load<u8>(at + i) & 0xc0) != 0x80) return false;
    at += width;
  }
  return true;
}

/**
 * Returns the address of the first occurrence of a literal between `at` and `end`, or 0 when there is none. To
 * find it quickly, searches for the literal's first and last byte at the same time. Reads up to 15 bytes after
 * `end`.
 */
export function find(at: usize, end: usize, literal: usize, length: usize): usize {
  if (!length) return at;
  if (at + length > end) return 0;
  const first = i8x16.splat(load<u8>(literal));
  const last = i8x16.splat(load<u8>(literal + length - 1));
  const stop = end - length;
  for (; at <= stop; at += 16) {
    let mask = i8x16.bitmask(
      v128.and(i8x16.eq(v128.load(at), first), i8x16.eq(v128.load(at + length - 1), last)),
    );
    while (mask) {
      const found = at + ctz(mask);
      if (found > stop) return 0;
      if (memory.compare(found, literal, length) == 0) return found;
      mask &= mask - 1;
    }
  }
  return 0;
}
