// Reads numbers of 16 to 20 digits, and numbers with an exponent, 16 digits at a time.

import { ENTRY_CANONICAL, KIND_FLOAT, KIND_INT, KIND_UINT } from "../tape/layout";
import { dottedBefore, figuresAt, fourBefore, stopsAt, valueOf, wholeBefore } from "./digits";
import { INFINITE, multipliedDouble, nearestDouble } from "./parse-float";

// Results of `readLong`: the type and flags of the number; the bits of the number; the length of its text
// without a suffix; and whether some decoders of line protocol may read the number as another value.
export let longKind: u32 = 0;
export let longBits: u64 = 0;
export let longLength: u32 = 0;
export let longIsOdd: bool = false;

/**
 * Buffer for the digits of a number without their dot. Its first 16 bytes contain no digits. They are needed
 * because the code that reads the digits also loads bytes before them.
 */
const scratch = memory.data(64, 16);

/** Returns the value of the last `count` (17 to 20) digits before `end`. */
function joined(end: usize, count: u32): u64 {
  return wholeBefore(end - 16, count - 16) * 10000000000000000 + valueOf(figuresAt(end - 16));
}

/** Largest number of digits that `wholeOf` converts to an integer. */
export const MOST_WHOLE: usize = 19;

/** Returns the value of the 1 to 19 digits before `end`. Reads up to 32 bytes before `end`. */
export function wholeOf(end: usize, count: u32): u64 {
  return count > 16 ? joined(end, count) : wholeBefore(end, count);
}

/** Returns whether the 1 to 32 bytes from `p` to `end` are digits. Reads up to 15 bytes after `end`. */
export function areDigits(p: usize, end: usize): bool {
  const length = end - p;
  const stops = stopsAt(p);
  return length > 16 ? !(stops | stopsAt(end - 16)) : (stops & ((1 << <u32>length) - 1)) == 0;
}

/**
 * Returns the value of `digits` (16 to 20) digits from `first` on without their dot, which comes after the first
 * `whole` digits.
 */
function joinedAroundDot(first: usize, whole: u32, digits: u32): u64 {
  v128.store(scratch, v128.load(first), 16);
  v128.store(scratch, v128.load(first, 16), 32);
  v128.store(scratch + 16 + whole, v128.load(first + whole + 1));
  if (digits - whole > 16) v128.store(scratch + 32 + whole, v128.load(first + whole + 17));
  const end = scratch + 16 + digits;
  return digits == 16 ? wholeBefore(end, 16) : joined(end, digits);
}

/** Largest number of digits of an exponent that `readLong` reads. */
const MOST_POWER: u32 = 4;

/**
 * Reads the exponent at the address `p` of its `e`. Stores the bits of `mantissa` * 10^`scale` * 10^exponent in
 * `longBits`. Returns the address after the exponent; 0 when scanNumber has to read the number.
 */
// @ts-ignore: decorator
@inline
export function readScaled(p: usize, mantissa: u64, scale: i32, negative: u32): usize {
  // The sign of the exponent is applied without a branch, because the processor cannot predict this sign.
  const sign = <u32>load<u8>(p, 1);
  const isBelow = <i32>(sign == 0x2d);
  const figures = p + 1 + <usize>(isBelow | <i32>(sign == 0x2b));
  const count = <u32>ctz(stopsAt(figures));
  if (count - 1 >= MOST_POWER) return 0;
  const end = figures + count;
  const power = <i32>fourBefore(end, count);
  const bits = multipliedDouble(mantissa, scale + ((power ^ -isBelow) + isBelow));
  if (bits == INFINITE) return 0;
  longBits = bits | (<u64>negative << 63);
  return end;
}

/**
 * Reads the number at `start`. The caller has found that it has at least 16 digits, an exponent, or no digit at
 * all. Returns the address after the number and its suffix, or 0 when `scanNumber` has to read the number. The
 * caller checks whether a value may end at this address. Loads 16 bytes before `start` and up to 48 after it.
 */
export function readLong(start: usize): usize {
  const negative = <u32>(load<u8>(start) == 0x2d);
  const first = start + negative;
  const stops = stopsAt(first) | (stopsAt(first + 16) << 16);
  const whole = <u32>ctz(stops);
  if (whole > 20 || !whole) return 0;
  const lead = <u32>load<u8>(first);
  const needless = whole > 1 && lead == 0x30;
  const c = <u32>load<u8>(first + whole);
  let end = first + whole;
  let digits = whole;
  let value: u64 = 0;
  if (c == 0x2e) {
    const rest = stops & (stops - 1);
    digits = <u32>ctz(rest) - 1;
    if (!rest || digits > 19 + <u32>(lead == 0x30)) return 0;
    end = first + digits + 1;
    value = digits < 16 ? dottedBefore(end, whole, digits - whole) : joinedAroundDot(first, whole, digits);
  } else {
    if (whole > 19) return 0;
    value = whole > 16 ? joined(end, whole) : wholeBefore(end, whole);
  }
  if ((load<u8>(end) | 0x20) == 0x65) {
    const next = readScaled(end, value, whole - digits, negative);
    longKind = KIND_FLOAT;
    longLength = <u32>(next - start);
    longIsOdd = true;
    return next;
  }
  if (digits < 16) return 0;
  if (c == 0x2e) {
    longBits = nearestDouble(value, whole - digits) | (<u64>negative << 63);
    longKind = KIND_FLOAT;
    longLength = digits + 1 + negative;
    longIsOdd = needless || digits == whole;
    return end;
  }
  longLength = whole + negative;
  longIsOdd = needless;
  if (c == 0x69) {
    if (value > 0x7fffffffffffffff + <u64>negative) return 0;
    longKind = KIND_INT | (needless ? 0 : ENTRY_CANONICAL << 8);
    longBits = negative ? 0 - value : value;
    return end + 1;
  }
  if (c == 0x75) {
    if (negative) return 0;
    longKind = KIND_UINT | (needless ? 0 : ENTRY_CANONICAL << 8);
    longBits = value;
    return end + 1;
  }
  longKind = KIND_FLOAT;
  longBits = nearestDouble(value, 0) | (<u64>negative << 63);
  return end;
}
