// Writes the non-ASCII characters of JSON strings: valid characters unchanged, and U+FFFD for each maximal invalid
// sequence of bytes, as the Encoding Standard requires.

import { out, setOut } from "./output";

const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;

/**
 * Writes characters from the address `p` on, until an ASCII character follows or a few thousand bytes are written.
 * Returns the address of the first byte that was not read.
 */
export function putRunes(p: usize, end: usize): usize {
  const stop = min(end, p + 8192);
  let o = out;
  let plain = 0;
  while (p < stop) {
    // Loads four bytes, of which the last three may lie after the string. These bytes are readable, and the code below
    // uses them only when `p + 2 < end`.
    const word = load<u32>(p);
    if ((word & 0x80) == 0) {
      // The loop also writes runs of up to eight ASCII characters that lie between other characters. Leaving the loop
      // and entering it again for each such run would take more time.
      const c = word & 0x7f;
      if (++plain > 8 || c < 0x20 || c == QUOTE || c == BACKSLASH) break;
      store<u8>(o++, c);
      p++;
      continue;
    }
    plain = 0;
    if ((word & 0xc0c0f0) == 0x8080e0 && p + 2 < end) {
      // Three bytes with the bit pattern of a three-byte character are valid, unless they encode a surrogate or a
      // character that needs fewer bytes. The test below excludes both.
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

/** Whether the bytes that `sequence` examined last are a valid UTF-8 character. */
let isValid: bool = false;

/**
 * Returns the number of bytes of the character at `p`, whose first byte is above 0x7F. When the character is not valid,
 * returns the length of the longest valid beginning of a character at `p`, at least 1.
 */
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
