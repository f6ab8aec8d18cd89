// Digits and exponents, for numbers of every base.

/** Bits of a text that is no float. No double has these bits here: NaN is written with others. */
export const REFUSED: u64 = 0xffffffffffffffff;

/** Value of a digit or letter, 255 for other bytes. */
// @ts-ignore: decorator
@inline
export function digitOf(c: u32): u32 {
  if (c - 0x30 < 10) return c - 0x30;
  const letter = (c | 0x20) - 0x61;
  return letter < 26 ? letter + 10 : 255;
}

/** What `exponentAt` read; farther than any double when it is longer. */
export let exponent: i32 = 0;

/** Reads a sign or none and digits with underscores between them, to the end; false for anything else. */
export function exponentAt(p: usize, end: usize): bool {
  if (p == end) return false;
  const sign = load<u8>(p);
  if (sign == 0x2d || sign == 0x2b) p++;
  let power: i32 = 0;
  let joins = false;
  for (; p < end; p++) {
    const c = <u32>load<u8>(p);
    if (c == 0x5f) {
      if (!joins) return false;
      joins = false;
      continue;
    }
    if (c - 0x30 >= 10) return false;
    if (power < 100000000) power = power * 10 + (c - 0x30);
    joins = true;
  }
  exponent = sign == 0x2d ? -power : power;
  return joins;
}
