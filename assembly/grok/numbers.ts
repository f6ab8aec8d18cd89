// Converts captured texts to numbers and booleans, as Go's strconv does (docs/reference/grok.md#types). The
// result is 0 for a text that strconv refuses and for a number out of range.

import { INFINITE, nearestDouble, nearestOfMany } from "../number/parse-float";
import { digitOf, exponent, exponentAt, REFUSED } from "./figures";
import { hexadecimal } from "./hexadecimal";

/**
 * Returns the int64 of a text, which may have a sign, a base prefix and underscores between digits. A fraction that
 * consists only of zeros, such as `.00`, is ignored.
 */
export function integerOf(p: usize, end: usize): i64 {
  let zeros = end;
  while (zeros > p && load<u8>(zeros - 1) == 0x30) zeros--;
  if (zeros < end && zeros > p && load<u8>(zeros - 1) == 0x2e) end = zeros - 1;
  if (p == end) return 0;
  const sign = load<u8>(p);
  if (sign == 0x2d || sign == 0x2b) p++;
  if (p == end) return 0;
  let base: u32 = 10;
  // Whether the next character may be an underscore. This is so after a digit and after a base prefix such as `0x`.
  let joins = false;
  if (load<u8>(p) == 0x30) {
    joins = true;
    base = 8;
    p++;
    if (end - p >= 2) {
      const letter = load<u8>(p) | 0x20;
      base = letter == 0x78 ? 16 : letter == 0x62 ? 2 : 8;
      if (base != 8 || letter == 0x6f) p++;
    }
  }
  let value: u64 = 0;
  const most = u64.MAX_VALUE / base;
  for (; p < end; p++) {
    const c = <u32>load<u8>(p);
    if (c == 0x5f) {
      if (!joins) return 0;
      joins = false;
      continue;
    }
    const digit = digitOf(c);
    if (digit >= base || value > most) return 0;
    value *= base;
    if (value + digit < value) return 0;
    value += digit;
    joins = true;
  }
  if (!joins) return 0;
  if (sign == 0x2d) return value > 0x8000000000000000 ? 0 : <i64>(0 - value);
  return value > 0x7fffffffffffffff ? 0 : <i64>value;
}

/**
 * Returns the bits of the double that a text spells. The text is decimal, hexadecimal, `inf`, `infinity` or `nan`,
 * perhaps with underscores between digits.
 */
export function floatOf(p: usize, end: usize): u64 {
  if (p == end) return 0;
  const sign = <u32>load<u8>(p);
  if (sign == 0x2d || sign == 0x2b) p++;
  if (p == end) return 0;
  const first = <u32>load<u8>(p);
  let bits: u64;
  if (first > 0x39) bits = special(p, end, sign == 0x2d || sign == 0x2b);
  else if (first == 0x30 && end - p > 2 && (load<u8>(p, 1) | 0x20) == 0x78) bits = hexadecimal(p + 2, end);
  else bits = decimal(p, end);
  // For a text that is not a number the result is 0 without a sign. For a text that spells zero, the sign is kept.
  if (bits == REFUSED) return 0;
  return sign == 0x2d ? bits | 0x8000000000000000 : bits;
}

const NAN: u64 = 0x7ff8000000000000;

function special(p: usize, end: usize, signed: bool): u64 {
  const length = end - p;
  if (length != 3 && length != 8) return REFUSED;
  const three = ((<u32>load<u16>(p) | (<u32>load<u8>(p, 2) << 16)) & 0xffffff) | 0x202020;
  if (length == 3 && three == 0x6e616e) return signed ? REFUSED : NAN;
  if (three != 0x666e69) return REFUSED;
  if (length == 8 && (load<u64>(p) | 0x2020202020202020) != 0x7974696e69666e69) return REFUSED;
  return INFINITE;
}

function decimal(p: usize, end: usize): u64 {
  let mantissa: u64 = 0;
  let significant: u32 = 0;
  let scale: i32 = 0;
  let any = false;
  let dot = false;
  let joins = false;
  let firstFigure: usize = 0;
  for (; p < end; p++) {
    const c = <u32>load<u8>(p);
    const digit = c - 0x30;
    if (digit < 10) {
      any = true;
      joins = true;
      if (significant < 19) {
        mantissa = mantissa * 10 + digit;
        if (mantissa) {
          if (!significant) firstFigure = p;
          significant++;
        }
        if (dot) scale--;
      } else {
        significant++;
        if (!dot) scale++;
      }
    } else if (c == 0x5f) {
      if (!joins || p + 1 == end || <u32>load<u8>(p, 1) - 0x30 >= 10) return REFUSED;
    } else if (c == 0x2e && !dot) {
      dot = true;
      joins = false;
    } else break;
  }
  if (!any) return REFUSED;
  const digitsEnd = p;
  if (p < end) {
    if ((load<u8>(p) | 0x20) != 0x65) return REFUSED;
    if (!exponentAt(p + 1, end)) return REFUSED;
    scale += exponent;
  }
  if (!mantissa) return 0;
  const bits = significant <= 19 ? nearestDouble(mantissa, scale) : nearestOfMany(mantissa, scale, firstFigure, digitsEnd);
  return bits == INFINITE ? REFUSED : bits;
}

/** Returns the boolean of a text: true for `1 t T true TRUE True`, false for all other texts. */
export function boolOf(p: usize, end: usize): bool {
  const length = end - p;
  if (length == 1) {
    const c = load<u8>(p);
    return c == 0x31 || (c | 0x20) == 0x74;
  }
  if (length != 4) return false;
  const text = load<u32>(p);
  return text == 0x65757274 || text == 0x45555254 || text == 0x65757254;
}
