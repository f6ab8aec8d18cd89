// Trims white space around captures: Unicode's White_Space, with U+0085 and without U+FEFF
// (docs/reference/grok.md#trimming).

/** Returns the number of bytes of the white space character at the address `at`, 0 when there is none. */
function spaceAt(at: usize, end: usize): usize {
  const first = <u32>load<u8>(at);
  if (first < 0x80) return <usize>(first == 0x20 || first - 0x09 < 5);
  if (first == 0xc2) {
    if (end - at < 2) return 0;
    const second = <u32>load<u8>(at, 1);
    return second == 0x85 || second == 0xa0 ? 2 : 0;
  }
  if (first - 0xe1 > 2 || end - at < 3) return 0;
  return isWide((first << 16) | (<u32>load<u8>(at, 1) << 8) | <u32>load<u8>(at, 2)) ? 3 : 0;
}

/**
 * Returns whether the three bytes are the UTF-8 form of a white space character: U+1680, U+2000 to U+200A,
 * U+2028, U+2029, U+202F, U+205F or U+3000.
 */
function isWide(bytes: u32): bool {
  return (
    bytes - 0xe28080 < 11 || bytes - 0xe280a8 < 2 || bytes == 0xe280af || bytes == 0xe2819f || bytes == 0xe38080 || bytes == 0xe19a80
  );
}

/** Returns the address of the first byte that is not white space, searching from `at` to `end`. */
export function skipSpace(at: usize, end: usize): usize {
  while (at < end) {
    const width = spaceAt(at, end);
    if (!width) break;
    at += width;
  }
  return at;
}

/** Returns the end of the text from `start` to `at` without its trailing white space. */
export function dropSpace(start: usize, at: usize): usize {
  while (at > start) {
    const last = <u32>load<u8>(at - 1);
    if (last < 0x80) {
      if (last != 0x20 && last - 0x09 >= 5) break;
      at--;
    } else if (at - start >= 2 && spaceAt(at - 2, at) == 2) at -= 2;
    else if (at - start >= 3 && spaceAt(at - 3, at) == 3) at -= 3;
    else break;
  }
  return at;
}
