// Base64 that was found to be well formed, line breaks inside it left out: how many bytes it means, and its first bytes.

/** Bytes that the text stands for. */
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

/** Writes the base64 of the first `count` bytes at `out`, (count + 2) / 3 * 4 characters; the text stands for more. */
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
  // The last character keeps the bits of the last byte only.
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
