// Encodes bytes as base64, standard alphabet with padding (docs/reference/points.md#field-values).

import { flush, limit, out, setOut } from "./output";

/** Returns the character of the base64 alphabet that stands for a 6-bit number. */
// @ts-ignore: decorator
@inline
function character(sextet: u32): u32 {
  return load<u8>(alphabet + sextet);
}

const alphabet = memory.data<u8>([
  65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 97, 98, 99, 100, 101, 102,
  103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 48, 49, 50, 51, 52, 53, 54, 55,
  56, 57, 43, 47,
]);

export function putBase64(p: usize, length: u32): void {
  let left = length;
  let o = out;
  while (left > 2) {
    if (o > limit) {
      setOut(o);
      flush();
      o = out;
    }
    const group = (<u32>load<u8>(p) << 16) | (<u32>load<u8>(p, 1) << 8) | load<u8>(p, 2);
    const upper = character(group >> 18) | (character((group >> 12) & 63) << 8);
    const lower = character((group >> 6) & 63) | (character(group & 63) << 8);
    store<u32>(o, upper | (lower << 16));
    p += 3;
    o += 4;
    left -= 3;
  }
  if (left) {
    const group = (<u32>load<u8>(p) << 16) | (left > 1 ? <u32>load<u8>(p, 1) << 8 : 0);
    const upper = character(group >> 18) | (character((group >> 12) & 63) << 8);
    const third: u32 = left > 1 ? character((group >> 6) & 63) : 0x3d;
    store<u32>(o, upper | (third << 16) | (0x3d << 24));
    o += 4;
  }
  setOut(o);
}
