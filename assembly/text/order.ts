// Compares texts by their bytes.

/**
 * Returns the first eight bytes of a text as a big-endian number, so that comparing two such numbers compares
 * the bytes. A shorter text is filled with zeros. Unless the text is empty, reads eight bytes, perhaps also
 * bytes after its end.
 */
// @ts-ignore: decorator
@inline
export function beginningOf(text: usize, length: u32): u64 {
  if (!length) return 0;
  const beginning = bswap(load<u64>(text));
  return length < 8 ? beginning & ~((<u64>-1) >> (length << 3)) : beginning;
}

/**
 * Compares two texts by their bytes. Returns a negative number, 0 or a positive number. Reads up to 15 bytes past the
 * end of each text.
 */
export function compareTexts(textA: usize, lengthA: u32, textB: usize, lengthB: u32): i32 {
  const shared = min(lengthA, lengthB);
  for (let at: u32 = 0; at < shared; at += 16) {
    const differing = i8x16.bitmask(i8x16.ne(v128.load(textA + at), v128.load(textB + at)));
    if (!differing) continue;
    const first = at + <u32>ctz(differing);
    if (first >= shared) break;
    return <i32>load<u8>(textA + first) - <i32>load<u8>(textB + first);
  }
  return <i32>(lengthA - lengthB);
}
