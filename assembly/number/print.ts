// Prints numbers as decimal text at an address that the caller gives. Every function returns the address after the text
// and may overwrite up to 16 bytes more.

import { digits, exponent, shortest } from "./shortest";

/**
 * Upper bound for the length of a printed number in bytes; the longest ones are doubles near 5e-324 without an
 * exponent.
 */
export const LONGEST_NUMBER: u32 = 344;

/**
 * Returns the eight decimal digits of `n` < 10^8 as bytes with the values 0 to 9, the first digit in the lowest byte
 * (after Paul Khuong, "How to print integers really fast").
 */
// @ts-ignore: decorator
@inline
function eight(n: u32): u64 {
  const upper = n / 10000;
  const fours = <u64>upper | (<u64>(n - upper * 10000) << 32);
  const hundreds = ((fours * 10486) >> 20) & 0x7f0000007f;
  const twos = ((fours - hundreds * 100) << 16) + hundreds;
  const tens = ((twos * 103) >> 10) & 0x000f000f000f000f;
  return ((twos - tens * 10) << 8) + tens;
}

const ZEROS: u64 = 0x3030303030303030;

/** Prints an integer of up to eight digits without leading zeros. */
// @ts-ignore: decorator
@inline
function printEight(out: usize, n: u32): usize {
  const text = eight(n);
  // The added bit makes the last digit different from 0 while leading zeros are counted. So the last digit is
  // printed even when all digits are 0.
  const skip = <u32>ctz(text | ((<u64>1) << 56)) & 0x38;
  store<u64>(out, (text | ZEROS) >> skip);
  return out + 8 - (skip >> 3);
}

export function printUint(out: usize, value: u64): usize {
  if (value < 100000000) return printEight(out, <u32>value);
  const upper = value / 100000000;
  if (value < 10000000000000000) out = printEight(out, <u32>upper);
  else {
    const first = upper / 100000000;
    out = printEight(out, <u32>first);
    store<u64>(out, eight(<u32>(upper - first * 100000000)) | ZEROS);
    out += 8;
  }
  store<u64>(out, eight(<u32>(value - upper * 100000000)) | ZEROS);
  return out + 8;
}

export function printInt(out: usize, value: i64): usize {
  if (value >= 0) return printUint(out, value);
  store<u8>(out, 0x2d);
  return printUint(out + 1, 0 - value);
}

/** Buffer for the digits of a float (at most 17), with room to load 32 bytes from each digit on. */
const buffer = memory.data(64, 16);

/**
 * Prints a finite double with the fewest digits that identify it. When `plain` is true, never writes an
 * exponent. Otherwise writes an exponent in the same cases as JavaScript: for numbers from 1e21 on, and for
 * numbers below 1e-6. Integers get no `.0`; negative zero is `-0`.
 */
export function printFloat(out: usize, value: f64, plain: bool): usize {
  const bits = reinterpret<u64>(value);
  if (<i64>bits < 0) store<u8>(out++, 0x2d);
  const magnitude = bits & 0x7fffffffffffffff;
  if (!magnitude) {
    store<u8>(out, 0x30);
    return out + 1;
  }
  shortest(magnitude);
  if (!exponent) return printUint(out, digits);
  const end = printUint(buffer, digits);
  // The digits in the buffer and `point` stand for the value 0.ddd * 10^point.
  const point = <i32>(end - buffer) + exponent;
  let count = <i32>(end - buffer);
  while (load<u8>(buffer + count - 1) == 0x30) count--;
  if (point > 0 && (plain || point <= 21)) {
    if (count <= point) {
      copyDigits(out, 0);
      memory.fill(out + count, 0x30, point - count);
      return out + point;
    }
    copyDigits(out, 0);
    store<u8>(out + point, 0x2e);
    copyDigits(out + point + 1, point);
    return out + count + 1;
  }
  if (point <= 0 && (plain || point > -6)) {
    store<u16>(out, 0x2e30);
    memory.fill(out + 2, 0x30, -point);
    copyDigits(out + 2 - point, 0);
    return out + 2 - point + count;
  }
  store<u8>(out, load<u8>(buffer));
  out++;
  if (count > 1) {
    store<u8>(out, 0x2e);
    copyDigits(out + 1, 1);
    out += count;
  }
  store<u16>(out, point > 0 ? 0x2b65 : 0x2d65);
  return printUint(out + 2, point > 0 ? point - 1 : 1 - point);
}

/**
 * Copies the digits in the buffer from index `from` on to `out`. Always copies 17 bytes; the bytes after the last digit
 * have no meaning.
 */
// @ts-ignore: decorator
@inline
function copyDigits(out: usize, from: i32): void {
  v128.store(out, v128.load(buffer + from));
  store<u8>(out, load<u8>(buffer + from + 16), 16);
}
