// White space around captures: Unicode's White_Space (grok document, section 2.5). lib/grok/trim.ts says the same for JavaScript.

/** Where the text from `p` to `end` begins without white space in front of it. */
export function skipSpace(p: usize, end: usize): usize {
  while (p < end) {
    const width = spaceAt(p, end);
    if (!width) break;
    p += width;
  }
  return p;
}

/** Where the text from `start` to `p` ends without white space behind it. */
export function dropSpace(start: usize, p: usize): usize {
  while (p > start) {
    if (spaceAt(p - 1, p) == 1) p -= 1;
    else if (p - start >= 2 && spaceAt(p - 2, p) == 2) p -= 2;
    else if (p - start >= 3 && spaceAt(p - 3, p) == 3) p -= 3;
    else break;
  }
  return p;
}

/** Bytes of the white space that begins at `p`, 0 when there is none. */
function spaceAt(p: usize, end: usize): usize {
  const first = <u32>load<u8>(p);
  if (first < 0x80) return first == 0x20 || first - 9 < 5 ? 1 : 0;
  if (first < 0xc2 || first > 0xe3 || p + 1 >= end) return 0;
  const second = <u32>load<u8>(p, 1);
  if (first == 0xc2) return second == 0x85 || second == 0xa0 ? 2 : 0;
  if (first < 0xe1 || p + 2 >= end) return 0;
  const third = <u32>load<u8>(p, 2);
  if ((second & 0xc0) != 0x80 || (third & 0xc0) != 0x80) return 0;
  const code = ((first & 0x0f) << 12) | ((second & 0x3f) << 6) | (third & 0x3f);
  if (code - 0x2000 <= 0x0a) return 3;
  return code == 0x1680 || code == 0x2028 || code == 0x2029 || code == 0x202f || code == 0x205f || code == 0x3000 ? 3 : 0;
}
