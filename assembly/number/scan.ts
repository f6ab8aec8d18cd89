// Parses the numbers of line protocol exactly: 64-bit integers and the nearest doubles.
// docs/reference/points.md#field-values defines the syntax of numbers and the reasons for refusing one.

import { ENTRY_CANONICAL, KIND_FLOAT, KIND_INT, KIND_UINT } from "../tape/layout";
import { BAD_TIMESTAMP, failWith, INT_RANGE, INVALID_FLOAT, INVALID_NUMBER, OK, UINT_RANGE } from "../tape/reasons";
import { dottedBefore, wholeBefore } from "./digits";
import { INFINITE, nearestDouble, nearestOfMany, tenTo } from "./parse-float";

// The type and the flags of the number that the last call of `scanNumber` read.
export let numberKind: u32 = 0;
export let numberFlags: u32 = 0;
export let numberBits: u64 = 0;
/** Address after the number that was read last, including its suffix. */
export let numberEnd: usize = 0;
/** Length in bytes of the number that was read last, without its suffix. */
export let numberLength: u32 = 0;

/**
 * Largest number of digits of a decimal that one division converts to the nearest double. A decimal with at most this
 * many digits is also the shortest text of this double.
 */
export const SAFE_DIGITS: u32 = 15;

const CHECKED_FLOAT: u32 = 25;

// @ts-ignore: decorator
@inline
function isDigit(c: u32): bool {
  return c - 0x30 < 10;
}

/**
 * Reads the number that starts at `p`. The number ends at a comma, at a space, at `end`, or, when `inArray` is
 * true, at `]`. Returns OK or the reason of the failure.
 */
export function scanNumber(p: usize, end: usize, inArray: bool): u32 {
  const start = p;
  let suffix: u32 = 0;
  let dot = false;
  let exponent = false;
  if (load<u8>(p) == 0x2d) {
    p++;
    if (p == end) return failWith(INVALID_NUMBER);
  }
  for (; p < end; p++) {
    const c = <u32>load<u8>(p);
    if (c == 0x2c || c == 0x20 || (inArray && c == 0x5d)) break;
    if (isDigit(c)) continue;
    if ((c == 0x69 || c == 0x75) && p > start && !suffix) suffix = c;
    else if (c == 0x2e) {
      if (dot) return failWith(INVALID_NUMBER);
      dot = true;
    } else if (p > start && (c == 0x65 || c == 0x45)) exponent = true;
    else if ((c == 0x2b || c == 0x2d) && (load<u8>(p - 1) | 0x20) == 0x65) continue;
    else return failWith(INVALID_NUMBER);
  }
  numberEnd = p;
  if (suffix && (dot || exponent)) return failWith(INVALID_NUMBER);
  const negative = load<u8>(start) == 0x2d;
  let digits = <i32>(p - start);
  if (suffix == 0x69) digits--;
  if (dot) digits--;
  if (negative) digits--;
  if (digits == 0) return failWith(INVALID_NUMBER);
  if (!suffix) {
    numberLength = <u32>(p - start);
    return scanFloat(start, p, exponent);
  }
  if (<u32>load<u8>(p - 1) != suffix) return failWith(INVALID_NUMBER);
  const stop = p - 1;
  numberLength = <u32>(stop - start);
  if (suffix == 0x69) {
    numberKind = KIND_INT;
    numberFlags = isCanonicalInt(start, stop) ? ENTRY_CANONICAL : 0;
    if (!readInt(start, stop)) return failWith(INT_RANGE, start, stop - start);
    return OK;
  }
  if (negative) return failWith(INVALID_NUMBER);
  numberKind = KIND_UINT;
  numberFlags = isCanonicalInt(start, stop) ? ENTRY_CANONICAL : 0;
  if (!readDigits(start, stop)) return failWith(UINT_RANGE, start, stop - start);
  return OK;
}

function isCanonicalInt(p: usize, stop: usize): bool {
  if (load<u8>(p) == 0x2d) return load<u8>(p + 1) != 0x30;
  return load<u8>(p) != 0x30 || stop - p == 1;
}

/**
 * Reads a float without an exponent and stores its bits in `numberBits`. Needs at most one division, which is exact for
 * up to 15 digits. Returns false when the float has more digits. The caller has checked the digits and that there are
 * no needless leading zeros; `dotAt` is 0 when there is no dot.
 */
export function readDecimal(start: usize, stop: usize, dotAt: usize): bool {
  const negative = <u32>(load<u8>(start) == 0x2d);
  const length = <u32>(stop - start) - negative;
  let value: f64 = 0;
  if (dotAt) {
    if (length > SAFE_DIGITS + 1) return false;
    const fraction = <u32>(stop - dotAt) - 1;
    value = <f64><i64>dottedBefore(stop, length - fraction - 1, fraction) / tenTo(fraction);
    numberFlags = load<u8>(stop - 1) != 0x30 ? ENTRY_CANONICAL : 0;
  } else {
    if (length > SAFE_DIGITS) return false;
    value = <f64><i64>wholeBefore(stop, length);
    numberFlags = ENTRY_CANONICAL;
  }
  numberBits = reinterpret<u64>(value) | (<u64>negative << 63);
  return true;
}

/**
 * Reads decimal digits as an integer and stores it in `numberBits`. Returns false when the integer exceeds 2^64 - 1 or
 * has no digit.
 */
export function readDigits(p: usize, stop: usize): bool {
  if (p == stop) return false;
  let value: u64 = 0;
  for (; p < stop; p++) {
    const digit = <u64>(<u32>load<u8>(p) - 0x30);
    if (value > 1844674407370955161 || (value == 1844674407370955161 && digit > 5)) return false;
    value = value * 10 + digit;
  }
  numberBits = value;
  return true;
}

/**
 * Reads decimal digits with an optional minus sign as an integer and stores it in `numberBits`. Returns false when the
 * integer is outside -2^63 .. 2^63 - 1.
 */
export function readInt(p: usize, stop: usize): bool {
  const negative = load<u8>(p) == 0x2d;
  return readDigits(negative ? p + 1 : p, stop) && toSigned(negative);
}

/**
 * Applies the sign to the integer in `numberBits`, which was read without its sign: negates it when `negative` is true.
 * Returns false when the result is outside -2^63 .. 2^63 - 1.
 */
export function toSigned(negative: bool): bool {
  if (!negative) return numberBits <= 0x7fffffffffffffff;
  if (numberBits > 0x8000000000000000) return false;
  numberBits = 0 - numberBits;
  return true;
}

/** Stores in `numberBits` an integer that was read outside of this file, as if `scanNumber` had read it. */
export function setNumber(bits: u64): void {
  numberBits = bits;
}

/**
 * Stores a float that was read outside of this file, as if `scanNumber` had read it. The flags are 0, because the
 * encoder would print the float with another text than the one that was read.
 */
export function setFloat(bits: u64): void {
  numberBits = bits;
  numberKind = KIND_FLOAT;
  numberFlags = 0;
}

/**
 * Reads a float and stores its bits in `numberBits`. Returns OK or the reason of the failure. The text from `p`
 * to `stop` consists of digits, at most one dot and, when `exponent` is true, letters `e` and signs in any
 * order.
 */
export function scanFloat(p: usize, stop: usize, exponent: bool): u32 {
  const start = p;
  numberKind = KIND_FLOAT;
  numberFlags = 0;
  const negative = load<u8>(p) == 0x2d;
  if (negative) p++;
  const first = p;
  let mantissa: u64 = 0;
  let significant: u32 = 0;
  let scale: i32 = 0;
  let any = false;
  let dotAt: usize = 0;
  let firstFigure: usize = 0;
  for (; p < stop; p++) {
    const c = <u32>load<u8>(p);
    if (c == 0x2e) dotAt = p;
    else if (isDigit(c)) {
      any = true;
      if (significant < 19) {
        mantissa = mantissa * 10 + (c - 0x30);
        if (mantissa) {
          if (!significant) firstFigure = p;
          significant++;
        }
        if (dotAt) scale--;
      } else {
        significant++;
        if (!dotAt) scale++;
      }
    } else break;
  }
  if (!any) return failWith(exponent || stop - start >= CHECKED_FLOAT ? INVALID_FLOAT : INVALID_NUMBER);
  const digitsEnd = p;
  if (p < stop) {
    // An exponent is `e`, an optional sign, and digits to the end.
    p++;
    let below = false;
    if (p < stop && (load<u8>(p) == 0x2b || load<u8>(p) == 0x2d)) {
      below = load<u8>(p) == 0x2d;
      p++;
    }
    if (p == stop) return failWith(INVALID_FLOAT);
    let power: i32 = 0;
    for (; p < stop; p++) {
      const c = <u32>load<u8>(p);
      if (!isDigit(c)) return failWith(INVALID_FLOAT);
      if (power < 100000000) power = power * 10 + (c - 0x30);
    }
    scale += below ? -power : power;
  } else if (isCanonicalFloat(first, digitsEnd, dotAt)) numberFlags = ENTRY_CANONICAL;
  if (mantissa == 0) {
    numberBits = negative ? 0x8000000000000000 : 0;
    return OK;
  }
  const bits = significant <= 19 ? nearestDouble(mantissa, scale) : nearestOfMany(mantissa, scale, firstFigure, digitsEnd);
  if (bits == INFINITE) return failWith(INVALID_FLOAT);
  numberBits = negative ? bits | 0x8000000000000000 : bits;
  return OK;
}

/**
 * Returns whether the encoder would print the float with exactly the text that was read: the text has at most 15 digits
 * (then it is the shortest one for its double) and no needless zeros.
 */
function isCanonicalFloat(first: usize, stop: usize, dotAt: usize): bool {
  const whole = (dotAt ? dotAt : stop) - first;
  if (!whole || stop - first > (dotAt ? 16 : 15)) return false;
  if (whole > 1 && load<u8>(first) == 0x30) return false;
  return !dotAt || (stop - dotAt > 1 && load<u8>(stop - 1) != 0x30);
}

/**
 * Returns the end of the time that starts at `p`: an optional `-`, then digits, up to a space or `end`. When the text
 * is not a time, stores the reason for the error message, and returns 0.
 */
export function timeEnd(p: usize, end: usize): usize {
  const start = p;
  for (; p < end; p++) {
    const c = <u32>load<u8>(p);
    if (c == 0x20) break;
    if (!isDigit(c) && !(c == 0x2d && p == start)) {
      failWith(BAD_TIMESTAMP);
      return 0;
    }
  }
  return p;
}
