// Reads digits and exponents of captured numbers, in every base.

/** Result for a text that is not a float: the bits of a NaN (not a number) that no valid text produces. */
export const REFUSED: u64 = 0xffffffffffffffff;

/** Returns the value of a digit (0 to 9) or letter (from 10 on), 255 for other bytes. */
// @ts-ignore: decorator
@inline
export function digitOf(c: u32): u32 {
  if (c - 0x30 < 10) return c - 0x30;
  const letter = (c | 0x20) - 0x61;
  return letter < 26 ? letter + 10 : 255;
}

/**
 * The exponent that `exponentAt` read last. Of an exponent with very many digits, the last digits are ignored,
 * because the number is beyond the range of doubles anyway.
 */
export let exponent: i32 = 0;

/**
 * Reads an exponent up to `end`: an optional sign and digits, which may have underscores between them. Returns false
 * for any other text.
 */
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
