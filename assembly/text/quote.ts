// The end of a text in quotes.

/** Did the text that `closingQuote` passed over have a backslash before another byte? */
export let stringEscaped: bool = false;

/** Address of the quote that closes the string whose text starts at `p`, 0 when there is none before `end`. */
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
