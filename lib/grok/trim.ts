// Trims white space around captured text. White space is Unicode's White_Space: U+0085 belongs to it and U+FEFF does
// not, unlike in JavaScript's trim() (docs/reference/grok.md#trimming).

const SPACE = "[\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+";
const LEADING = new RegExp(`^${SPACE}`);
const TRAILING = new RegExp(`${SPACE}$`);

export function trimSpace(text: string): string {
  const first = text.charCodeAt(0);
  const last = text.charCodeAt(text.length - 1);
  // Nearly all texts begin and end with a visible ASCII character. Such a text is returned at once, without a search.
  if (first > 0x20 && first < 0x80 && last > 0x20 && last < 0x80) return text;
  const start = LEADING.exec(text)?.[0].length ?? 0;
  let end = text.length;
  while (end > start && TRAILING.test(text[end - 1] as string)) end--;
  return text.slice(start, end);
}

/** Returns the offset at which the text `bytes[start, end)` begins after its leading white space. */
export function skipSpace(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  for (let width = 1; at < end && width > 0; at += width) width = spaceAt(bytes, at, end);
  return at;
}

/** Returns the offset at which the text `bytes[start, end)` ends before its trailing white space. */
export function dropSpace(bytes: Uint8Array, start: number, end: number): number {
  let at = end;
  for (let found = true; found; ) {
    found = false;
    for (let width = 1; width <= 3 && at - width >= start; width++) {
      if (spaceAt(bytes, at - width, at) !== width) continue;
      at -= width;
      found = true;
      break;
    }
  }
  return at;
}

/** Returns the length in bytes of the white space character that begins at `at`; 0 when there is none. */
function spaceAt(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return first === 0x20 || (first >= 0x09 && first <= 0x0d) ? 1 : 0;
  const second = at + 1 < end ? (bytes[at + 1] as number) : 0;
  if (first === 0xc2) return second === 0x85 || second === 0xa0 ? 2 : 0;
  const third = at + 2 < end ? (bytes[at + 2] as number) : 0;
  const code = ((first & 0x0f) << 12) | ((second & 0x3f) << 6) | (third & 0x3f);
  const whole = (first & 0xf0) === 0xe0 && (second & 0xc0) === 0x80 && (third & 0xc0) === 0x80;
  return whole && WIDE_SPACES.has(code) ? 3 : 0;
}

const WIDE_SPACES: ReadonlySet<number> = new Set([
  0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x2028, 0x2029,
  0x202f, 0x205f, 0x3000,
]);
