// Integers of any size, with the operations that exact parsing of doubles needs: multiply by one limb (64 bits), shift,
// compare.

import { multiply, productHigh, productLow } from "./multiply";

/**
 * Number of digits that are compared. The middle between two doubles has at most 767 digits, so all later digits
 * together count as one more digit that is not 0.
 */
const MOST_DIGITS: i32 = 768;
/**
 * Number of 64-bit limbs that are reserved for a big number, the least significant limb first. A big number needs at
 * most 2830 bits.
 */
const LIMBS: u32 = 64;

const text = memory.data(512, 8);
const middle = memory.data(512, 8);

let textLength: u32 = 0;
let middleLength: u32 = 0;

/** Multiplies a big number by `by` and adds `add`, in place. Returns the new number of limbs (64-bit parts). */
function scale(number: usize, length: u32, by: u64, add: u64): u32 {
  let carry = add;
  for (let i: u32 = 0; i < length; i++) {
    const limb = number + (<usize>i << 3);
    multiply(load<u64>(limb), by);
    const low = productLow + carry;
    store<u64>(limb, low);
    carry = productHigh + <u64>(low < carry);
  }
  if (!carry) return length;
  if (length == LIMBS) unreachable();
  store<u64>(number + (<usize>length << 3), carry);
  return length + 1;
}

/** The power of five 5^27, the greatest one that fits a limb (64 bits). */
const FIVES: u64 = 7450580596923828125;

function scaleByFives(number: usize, length: u32, count: i32): u32 {
  for (; count >= 27; count -= 27) length = scale(number, length, FIVES, 0);
  let rest: u64 = 1;
  for (; count > 0; count--) rest *= 5;
  return scale(number, length, rest, 0);
}

function scaleByTwos(number: usize, length: u32, count: i32): u32 {
  const limbs = <u32>count >> 6;
  if (limbs && length) {
    if (length + limbs > LIMBS) unreachable();
    memory.copy(number + (<usize>limbs << 3), number, <usize>length << 3);
    memory.fill(number, 0, <usize>limbs << 3);
    length += limbs;
  }
  return scale(number, length, <u64>1 << (count & 63), 0);
}

/** Reads the digits from `p` to `end` into the big number `text`, skipping a dot. Returns the number of digits. */
function readText(p: usize, end: usize): i32 {
  textLength = 0;
  let count: i32 = 0;
  let part: u64 = 0;
  let unit: u64 = 1;
  for (; p < end; p++) {
    let digit = <u64>load<u8>(p) - 0x30;
    if (digit > 9) continue;
    if (count == MOST_DIGITS) {
      if (!digit) continue;
      digit = 1;
    }
    part = part * 10 + digit;
    unit *= 10;
    count++;
    if (unit == 10000000000000000000) {
      textLength = scale(text, textLength, unit, part);
      part = 0;
      unit = 1;
    }
    if (count > MOST_DIGITS) break;
  }
  textLength = scale(text, textLength, unit, part);
  return count;
}

/**
 * Compares a decimal number with the middle between two neighbouring doubles: the positive double with the given
 * bits, and the next greater one. Returns a negative number, 0 or a positive number. The digits of the decimal,
 * perhaps with a dot, lie from `digits` to `end`. The value of the decimal is about 10^`power` times the integer
 * that its first 19 digits form.
 */
export function compareWithMiddle(digits: usize, end: usize, power: i32, bits: u64): i32 {
  const tens = power + 19 - readText(digits, end);
  // Let s be the significand of the lower double. The significand of the middle between the two doubles is then 2
  // * s + 1, and the exponent of the middle is one less than the exponent of the lower double.
  const field = <i32>(bits >> 52);
  store<u64>(middle, ((bits & 0xfffffffffffff) | (field ? <u64>1 << 52 : 0)) * 2 + 1);
  middleLength = 1;
  const twos = (field ? field : 1) - 1076;
  // Compares text * 10^tens with middle * 2^twos, after scaling the two numbers to integers.
  if (tens >= 0) textLength = scaleByFives(text, textLength, tens);
  else middleLength = scaleByFives(middle, middleLength, -tens);
  const shift = tens - twos;
  if (shift >= 0) textLength = scaleByTwos(text, textLength, shift);
  else middleLength = scaleByTwos(middle, middleLength, -shift);
  if (textLength != middleLength) return textLength < middleLength ? -1 : 1;
  for (let i = textLength; i > 0; ) {
    i--;
    const a = load<u64>(text + (<usize>i << 3));
    const b = load<u64>(middle + (<usize>i << 3));
    if (a != b) return a < b ? -1 : 1;
  }
  return 0;
}
