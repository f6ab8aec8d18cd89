// Checks whether bytes are valid UTF-8, and finds where a string may be cut.

/**
 * Returns the number of bytes of the UTF-8 character that starts at `p`; 0 when no valid character ends before `end`.
 */
function sequenceLength(p: usize, end: usize): u32 {
  const lead = <u32>load<u8>(p);
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const length: u32 = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (p + length > end) return 0;
  const next = <u32>load<u8>(p, 1);
  for (let i: u32 = 1; i < length; i++) if ((load<u8>(p + i) & 0xc0) != 0x80) return 0;
  if ((lead == 0xe0 && next < 0xa0) || (lead == 0xed && next >= 0xa0)) return 0;
  if ((lead == 0xf0 && next < 0x90) || (lead == 0xf4 && next >= 0x90)) return 0;
  return length;
}

/** Returns whether all bytes from `p` to `end` are valid UTF-8. The 16 bytes after `end` must be ASCII. */
export function isUtf8(p: usize, end: usize): bool {
  while (p < end) {
    const high = i8x16.bitmask(v128.load(p));
    if (!high) {
      p += 16;
      continue;
    }
    p += ctz(high);
    const length = sequenceLength(p, end);
    if (!length) return false;
    p += length;
  }
  return true;
}

/**
 * Returns the greatest length up to `most` that ends between two characters, where the string may be cut. A byte that
 * is not UTF-8 counts as a character.
 */
export function cutLength(text: usize, length: u32, most: u32): u32 {
  if (length <= most) return length;
  for (let back: u32 = 1; back < 4 && back <= most; back++) {
    const start = most - back;
    if ((load<u8>(text + start) & 0xc0) != 0x80) {
      return start + sequenceLength(text + start, text + length) > most ? start : most;
    }
  }
  return most;
}
