// Finds the end of a line that has escapes, quotes or brackets. docs/reference/points.md#lines says which
// newlines end a line.

/**
 * Returns the address of the newline that ends the line starting at `p`; `end` when the body ends before such a
 * newline. Must not be called for comments, which end at their first newline.
 */
export function lineEnd(p: usize, end: usize): usize {
  let fields = false;
  let quoted = false;
  let inArray = false;
  let equals: u32 = 0;
  let commas: u32 = 0;
  while (p < end) {
    const c = load<u8>(p);
    if (c == 0x5c) {
      if (p + 2 < end) p++;
    } else if (c == 0x0a) {
      if (!quoted) return p;
    } else if (c == 0x20) fields = true;
    else if (fields) {
      if (c == 0x22) {
        if (equals > commas) quoted = !quoted;
      } else if (!quoted) {
        if (c == 0x3d) {
          equals++;
          if (p + 1 < end && load<u8>(p + 1) == 0x5b) {
            inArray = true;
            p++;
          }
        } else if (c == 0x5d) inArray = false;
        else if (c == 0x2c && !inArray) commas++;
      }
    }
    p++;
  }
  return end;
}
