// Converts a decimal number to the nearest double, ties to even. Uses Clinger's exact cases ("How to read
// floating point numbers accurately", 1990), then one or two multiplications by a 128-bit power of ten (Lemire,
// "Number parsing at a gigabyte per second", 2021; Mushtak and Lemire, "Fast number parsing without fallback",
// 2023). The first 19 digits of a longer number may not be enough to find the nearest double; big.ts then
// compares the number exactly with the middle between two doubles.

import { compareWithMiddle } from "./big";
import { highProduct } from "./multiply";
import { GREATEST_POWER, LEAST_POWER, powerOfTen } from "./powers";

const tens = memory.data<f64>([
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
]);

/** Returns the double 10^`exponent`, which is exact for exponents from 0 to 22. */
// @ts-ignore: decorator
@inline
export function tenTo(exponent: u32): f64 {
  return load<f64>(tens + (<usize>exponent << 3));
}

/** Bits of positive infinity. */
export const INFINITE: u64 = 0x7ff0000000000000;
const MOST_EXACT: u64 = 9007199254740992;

/** Returns the bits of the double nearest to `mantissa` * 10^`power`. */
export function nearestDouble(mantissa: u64, power: i32): u64 {
  if (mantissa <= MOST_EXACT && power >= -22 && power <= 22) {
    const exact = <f64><i64>mantissa;
    return reinterpret<u64>(power < 0 ? exact / tenTo(<u32>-power) : exact * tenTo(<u32>power));
  }
  return multipliedDouble(mantissa, power);
}

/** Returns floor(log2(10^power)) + 63. */
function binaryExponent(power: i32): i32 {
  return ((217706 * power) >> 16) + 63;
}

/**
 * Does the same as `nearestDouble`, but always multiplies by a power of ten. `nearestDouble` first tests whether a
 * faster way is possible. For a decimal with an exponent this test costs more than it saves, because the processor
 * cannot predict its result.
 */
// @ts-ignore: decorator
@inline
export function multipliedDouble(mantissa: u64, power: i32): u64 {
  if (!mantissa || power < LEAST_POWER) return 0;
  if (power > GREATEST_POWER) return INFINITE;
  const zeros = <i32>clz(mantissa);
  mantissa <<= zeros;
  const factor = powerOfTen(power);
  const upper = load<u64>(factor);
  let high = highProduct(mantissa, upper);
  let low = mantissa * upper;
  // Usually the upper 64 bits of the power of ten decide the result. The lower 64 bits of the power are needed, too,
  // when the low bits of the product, which the double drops, are all 1.
  if ((high & 0x1ff) == 0x1ff) {
    // The proof that 128 bits are enough (Mushtak and Lemire, cited at the beginning of this file) needs powers from
    // 10^-27 to 10^-1 that are rounded up, and powers with any other exponent that are rounded down. The table
    // rounds all powers up, so 1 is subtracted where needed.
    const carried = highProduct(mantissa, load<u64>(factor, 8) - <u64>(power < -27 || power > 55));
    low += carried;
    if (low < carried) high++;
  }
  const top = <i32>(high >> 63);
  // After the shift, 54 bits remain: one before the binary point, 52 after it, and one for rounding.
  let significand = high >> (top + 9);
  let exponent = binaryExponent(power) + top - zeros + 1023;
  if (exponent <= 0) {
    if (exponent <= -63) return 0;
    significand >>= 1 - exponent;
    significand += significand & 1;
    // Rounding up the greatest subnormal number results in the least normal number. The bits that are returned here
    // are the right ones for this number, too.
    return significand >> 1;
  }
  // The decimal can be halfway between two doubles only when the product is exact; the result is then rounded to even.
  if (low <= 1 && power >= -4 && power <= 23 && (significand & 3) == 1 && significand << (top + 9) == high) {
    significand &= ~1;
  }
  significand += significand & 1;
  significand >>= 1;
  if (significand >> 53) {
    significand = 1 << 52;
    exponent++;
  }
  if (exponent >= 0x7ff) return INFINITE;
  return (significand & 0xfffffffffffff) | (<u64>exponent << 52);
}

/**
 * Does the same as `nearestDouble` for a decimal of more than 19 digits. `mantissa` is the integer that the first 19
 * digits form; the decimal is about `mantissa` * 10^`power`. The later digits are not all 0. All digits, perhaps with a
 * dot, lie from `digits` to `end`; the first one is not 0.
 */
export function nearestOfMany(mantissa: u64, power: i32, digits: usize, end: usize): u64 {
  let bits = nearestDouble(mantissa, power);
  const upper = nearestDouble(mantissa + 1, power);
  if (bits == upper) return bits;
  // The result lies between the doubles with the bits `bits` and `upper`, which are at most a few doubles apart. The
  // loop goes to the next double while the decimal is nearer to it.
  while (bits != upper) {
    const order = compareWithMiddle(digits, end, power, bits);
    if (order < 0 || (order == 0 && !(bits & 1))) return bits;
    bits++;
  }
  return bits;
}
