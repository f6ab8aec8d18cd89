// Converts hexadecimal floats, such as `1.8p3` after the prefix `0x`, to the nearest double, ties to even (Go's
// strconv, atofHex).

import { INFINITE } from "../number/parse-float";
import { digitOf, exponent, exponentAt, REFUSED } from "./figures";

/** Returns the bits of the positive double that the text from `p` to `end` spells. The exponent is mandatory. */
export function hexadecimal(p: usize, end: usize): u64 {
  let mantissa: u64 = 0;
  let scale: i32 = 0;
  let any = false;
  let dot = false;
  // Whether the next character may be an underscore. This is so at the start, directly after the prefix `0x`, and after
  // each digit.
  let joins = true;
  for (; p < end; p++) {
    const c = <u32>load<u8>(p);
    const digit = digitOf(c);
    if (digit < 16) {
      any = true;
      joins = true;
      // When the 64 bits of the mantissa are used up, it is enough for rounding to know whether any of the further
      // digits is not 0.
      if (mantissa >> 60) {
        if (digit) mantissa |= 1;
        if (!dot) scale += 4;
      } else {
        mantissa = (mantissa << 4) | digit;
        if (dot) scale -= 4;
      }
    } else if (c == 0x5f) {
      if (!joins || p + 1 == end || digitOf(load<u8>(p, 1)) >= 16) return REFUSED;
    } else if (c == 0x2e && !dot) {
      dot = true;
      joins = false;
    } else break;
  }
  if (!any || p == end || (load<u8>(p) | 0x20) != 0x70 || !exponentAt(p + 1, end)) return REFUSED;
  if (!mantissa) return 0;
  const bits = rounded(mantissa, scale + exponent);
  return bits == INFINITE ? REFUSED : bits;
}

/** Returns the bits of the double nearest to `mantissa` * 2^`scale`; `mantissa` is not 0. */
function rounded(mantissa: u64, scale: i32): u64 {
  const zeros = <i32>clz(mantissa);
  mantissa <<= zeros;
  // `place` is the power of two of the number's highest bit. `kept` is the number of significant bits that a double of
  // this magnitude has.
  const place = scale + 63 - zeros;
  if (place > 1023) return INFINITE;
  const kept = place >= -1022 ? 53 : 53 - (-1022 - place);
  if (kept < 0) return 0;
  // A double stores only the upper `kept` bits of the 64-bit number, and rounding drops the lower ones. The result
  // is rounded up when the dropped bits are more than `half`, or are exactly `half` and the significand is odd.
  // When rounding drops all 64 bits, `half` is the highest of them.
  const half = <u64>1 << (63 - kept);
  const rest = kept == 0 ? mantissa : mantissa & ((half << 1) - 1);
  let significand: u64 = kept == 0 ? 0 : mantissa >> (64 - kept);
  if (rest > half || (rest == half && significand & 1)) significand++;
  // Rounding up may overflow the significand (the digits of the double). The carry then adds 1 to the exponent,
  // and the result is the right double.
  return kept < 53 ? significand : (<u64>(place + 1022) << 52) + significand;
}
