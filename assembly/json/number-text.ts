// Finds the end of a JSON number, 32 bytes at a time. A bit mask of the bytes that are not digits shows where
// the integer part and the fraction end, without a loop over the digits.

import { stopsAt } from "../number/digits";

const DOT: u32 = 0x2e;

/** Address of the dot in the number that `passNumber` read last; 0 when the number has no dot. */
export let dotAt: usize = 0;
export let hasExponent: bool = false;
/**
 * Whether at least 48 bytes can be read from the start of the number that `passNumber` read last. The function
 * `readLong` may be called only when this is true.
 */
export let isFollowed: bool = false;

// @ts-ignore: decorator
@inline
function isDigit(p: usize): bool {
  return <u32>load<u8>(p) - 0x30 < 10;
}

/**
 * Returns the address after the number at `p`, 0 when there is no number. The text ends at `end`. The 16 bytes from
 * `end` on must be readable, and the first of them must be a byte that cannot continue a number.
 */
export function passNumber(p: usize, end: usize): usize {
  const first = p + <usize>(load<u8>(p) == 0x2d);
  dotAt = 0;
  hasExponent = false;
  isFollowed = p + 32 <= end;
  if (!isFollowed) return passDigits(first);
  const stops = stopsAt(first) | (stopsAt(first + 16) << 16);
  const whole = <u32>ctz(stops);
  if (!whole) return 0;
  if (whole > 30) return passDigits(first);
  if (whole > 1 && load<u8>(first) == 0x30) return first + 1;
  let behind = first + whole;
  let c = <u32>load<u8>(behind);
  if (c == DOT) {
    const rest = stops & (stops - 1);
    const place = <u32>ctz(rest);
    if (!rest) return passDigits(first);
    if (place == whole + 1) return 0;
    dotAt = behind;
    behind = first + place;
    c = <u32>load<u8>(behind);
  }
  return (c | 0x20) == 0x65 ? passExponent(behind + 1) : behind;
}

/**
 * Returns the address after a number, as `passNumber` does, but one byte at a time. `p` is the address after the sign.
 */
function passDigits(p: usize): usize {
  if (load<u8>(p) == 0x30) p++;
  else {
    if (!isDigit(p)) return 0;
    while (isDigit(p)) p++;
  }
  if (load<u8>(p) == DOT) {
    dotAt = p;
    if (!isDigit(++p)) return 0;
    while (isDigit(p)) p++;
  }
  return (load<u8>(p) | 0x20) == 0x65 ? passExponent(p + 1) : p;
}

function passExponent(p: usize): usize {
  hasExponent = true;
  if (load<u8>(p) == 0x2b || load<u8>(p) == 0x2d) p++;
  if (!isDigit(p)) return 0;
  while (isDigit(p)) p++;
  return p;
}
