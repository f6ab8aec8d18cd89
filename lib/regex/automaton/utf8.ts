// Decodes UTF-8 as Go does: a byte that does not begin a valid sequence counts as one character, U+FFFD.

/** Returns the number of bytes of the valid UTF-8 character at `at`; 0 when there is none. */
export function characterWidth(bytes: Uint8Array, at: number, end: number): number {
  const lead = bytes[at] as number;
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const width = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (at + width > end) return 0;
  const second = bytes[at + 1] as number;
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  for (let i = 2; i < width; i++) if (((bytes[at + i] as number) & 0xc0) !== 0x80) return 0;
  return width;
}

/** Returns whether the whole text is valid UTF-8. */
export function isValidUtf8(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; ) {
    const width = characterWidth(bytes, at, end);
    if (width === 0) return false;
    at += width;
  }
  return true;
}

/**
 * Returns the code point of the character at `at`. `width` is the result of `characterWidth`; when it is 0,
 * returns U+FFFD.
 */
export function codePointAt(bytes: Uint8Array, at: number, width: number): number {
  if (width === 0) return 0xfffd;
  const lead = bytes[at] as number;
  if (width === 1) return lead;
  let code = lead & (0x7f >> width);
  for (let i = 1; i < width; i++) code = (code << 6) | ((bytes[at + i] as number) & 0x3f);
  return code;
}
