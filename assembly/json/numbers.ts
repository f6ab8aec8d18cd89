// Converts JSON numbers exactly. The caller has checked the grammar and passes the start and end address of the digits;
// the result goes to `numberBits`.

import { readDecimal, readDigits, readInt, scanFloat } from "../number/scan";
import { OK } from "../tape/reasons";
import { at, dotAt, hasExponent, numberAt } from "./text";

/**
 * Longest integer that is read here, in bytes. The JavaScript reader handles integers with more digits than 64 bits
 * need.
 */
const MAX_INTEGER: usize = 20;

/** Converts the number that was read last to a double. Returns false when it exceeds the greatest double. */
export function isFloat(): bool {
  return (!hasExponent && readDecimal(numberAt, at, dotAt)) || scanFloat(numberAt, at, hasExponent) == OK;
}

/** Returns whether the number that was read last has neither dot nor exponent. */
export function isWhole(): bool {
  return !hasExponent && !dotAt;
}

/**
 * Reads an optional minus sign and digits into `numberBits`. Returns false when they are not a signed 64-bit integer.
 */
export function isInt(p: usize, stop: usize): bool {
  return areDigits(p < stop && load<u8>(p) == 0x2d ? p + 1 : p, stop) && readInt(p, stop);
}

/** Reads digits into `numberBits`. Returns false when they are not an unsigned 64-bit integer. */
export function isUint(p: usize, stop: usize): bool {
  return areDigits(p, stop) && readDigits(p, stop);
}

function areDigits(p: usize, stop: usize): bool {
  if (p == stop || stop - p > MAX_INTEGER) return false;
  for (; p < stop; p++) if (<u32>load<u8>(p) - 0x30 >= 10) return false;
  return true;
}
