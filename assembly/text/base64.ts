// Handles base64 in the standard alphabet with padding; line breaks inside it are ignored
// (docs/reference/points.md#field-values). The functions check whether a text is well formed, and decode,
// measure or shorten a well-formed text.

/**
 * Returns whether the text is standard base64 with padding. Line breaks (CR and LF) in the text are ignored; the unused
 * bits before the padding may have any value.
 */
export function isBase64(p: usize, end: usize): bool {
  let count: u32 = 0;
  let pads: u32 = 0;
  for (; p < end; p++) {
    const c = <u32>load<u8>(p);
    if (c == 0x0a || c == 0x0d) continue;
    if (c == 0x3d) pads++;
    else if (pads || !((c | 0x20) - 0x61 < 26 || c - 0x30 < 10 || c == 0x2b || c == 0x2f)) return false;
    count++;
  }
  return (count & 3) == 0 && pads <= 2;
}

/**
 * Decodes valid base64, skipping line breaks, and returns the number of decoded bytes: at most 3/4 of the text's
 * length.
 */
export function readBase64(p: usize, end: usize, to: usize): u32 {
  const start = to;
  let bits: u32 = 0;
  let held: u32 = 0;
  for (; p < end; p++) {
    const c = <u32>load<u8>(p);
    if (c == 0x0a || c == 0x0d) continue;
    if (c == 0x3d) break;
    const sextet = c - 0x41 < 26 ? c - 0x41 : c - 0x61 < 26 ? c - 0x47 : c - 0x30 < 10 ? c + 4 : c == 0x2b ? 62 : 63;
    bits = (bits << 6) | sextet;
    held += 6;
    if (held >= 8) {
      held -= 8;
      store<u8>(to++, bits >> held);
    }
  }
  return <u32>(to - start);
}

/** Returns the number of bytes to which a base64 text decodes. */
export function decodedLength(text: usize, length: u32): u32 {
  let count: u32 = 0;
  for (let i: u32 = 0; i < length; i++) count += <u32>isFigure(load<u8>(text + i));
  return (count * 3) >> 2;
}

// @ts-ignore: decorator
@inline
function isFigure(c: u8): bool {
  return c != 0x0a && c != 0x0d && c != 0x3d;
}

/**
 * Writes the base64 of the first `count` decoded bytes to `out`: (count + 2) / 3 * 4 characters. The text must decode
 * to more than `count` bytes.
 */
export function cutBase64(text: usize, out: usize, count: u32): void {
  const figures = (count * 8 + 5) / 6;
  let p = text;
  for (let i: u32 = 0; i < figures; p++) {
    const c = load<u8>(p);
    if (!isFigure(c)) continue;
    store<u8>(out + i, c);
    i++;
  }
  const over = count % 3;
  if (!over) return;
  // In the last base64 character, only the bits that belong to the last byte are kept; the other bits become 0.
  const last = out + figures - 1;
  store<u8>(last, figureOf(valueOf(load<u8>(last)) & (over == 1 ? 0x30 : 0x3c)));
  store<u8>(last, 0x3d, 1);
  if (over == 1) store<u8>(last, 0x3d, 2);
}

function valueOf(c: u8): u32 {
  if (c >= 0x61) return c - 0x61 + 26;
  if (c >= 0x41) return c - 0x41;
  if (c >= 0x30) return c - 0x30 + 52;
  return c == 0x2b ? 62 : 63;
}

function figureOf(value: u32): u8 {
  if (value < 26) return <u8>(value + 0x41);
  if (value < 52) return <u8>(value - 26 + 0x61);
  if (value < 62) return <u8>(value - 52 + 0x30);
  return value == 62 ? 0x2b : 0x2f;
}
