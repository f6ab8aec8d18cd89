// Finds the closing quote of a quoted string in line protocol.

/** Whether the string that `closingQuote` skipped has a backslash that escapes the byte after it. */
export let stringEscaped: bool = false;

/**
 * Returns the address of the quote that closes the string whose text starts at `p`; 0 when there is none before `end`.
 */
export function closingQuote(p: usize, end: usize): usize {
  stringEscaped = false;
  while (p < end) {
    const c = load<u8>(p);
    if (c == 0x22) return p;
    if (c == 0x5c && p + 1 < end) {
      stringEscaped = true;
      p++;
    }
    p++;
  }
  return 0;
}
