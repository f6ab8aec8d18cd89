// Converts JSON numbers exactly. The caller has checked that the text is a number, and passes the start and end
// address of the digits. The functions store the result in `numberBits`, a variable of assembly/number/scan.ts.

import { areDigits, longBits, MOST_WHOLE, readLong, wholeOf } from "../number/long";
import { readDecimal, readDigits, scanFloat, setFloat, setNumber, toSigned } from "../number/scan";
import { OK } from "../tape/reasons";
import { dotAt, hasExponent, isFollowed } from "./number-text";
import { at, numberAt } from "./text";

/**
 * Length in bytes of the longest integer that the WebAssembly module reads. The JavaScript reader handles integers with
 * more digits than 64 bits need.
 */
const MAX_INTEGER: usize = 20;

/** Converts the number that was read last to a double. Returns false when it exceeds the greatest double. */
export function isFloat(): bool {
  if (!hasExponent && readDecimal(numberAt, at, dotAt)) return true;
  if (isFollowed && readLong(numberAt) == at) {
    setFloat(longBits);
    return true;
  }
  return scanFloat(numberAt, at, hasExponent) == OK;
}

/** Returns whether the number that was read last has neither dot nor exponent. */
export function isWhole(): bool {
  return !hasExponent && !dotAt;
}

/**
 * Reads an optional minus sign and digits into `numberBits` (of assembly/number/scan.ts). Returns false when the text
 * is not a signed 64-bit integer.
 */
export function isInt(p: usize, stop: usize): bool {
  const isNegative = p < stop && load<u8>(p) == 0x2d;
  const first = p + <usize>isNegative;
  const length = stop - first;
  if (length - 1 >= MAX_INTEGER || !areDigits(first, stop)) return false;
  // Integers of 20 digits are read by `readDigits`, which checks whether they fit 64 bits.
  if (length > MOST_WHOLE) {
    if (!readDigits(first, stop)) return false;
  } else setNumber(wholeOf(stop, <u32>length));
  return toSigned(isNegative);
}

/**
 * Reads digits into `numberBits` (of assembly/number/scan.ts). Returns false when the text is not an unsigned 64-bit
 * integer.
 */
export function isUint(p: usize, stop: usize): bool {
  const length = stop - p;
  if (length - 1 >= MAX_INTEGER || !areDigits(p, stop)) return false;
  if (length > MOST_WHOLE) return readDigits(p, stop);
  setNumber(wholeOf(stop, <u32>length));
  return true;
}
