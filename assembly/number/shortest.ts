// Finds the shortest decimal number that is parsed as the given double; of several such decimals, the nearest
// one. Implements Schubfach (Raffaello Giulietti, "The Schubfach way to render doubles", 2020), as arranged in
// Alexander Bolz' Drachennest. The result is exact for every double; tests compare it with JavaScript.

import { highProduct } from "./multiply";
import { powerOfTen } from "./powers";

/** The result of the last call of `shortest`: the decimal is digits * 10^exponent. The digits may end in zeros. */
export let digits: u64 = 0;
export let exponent: i32 = 0;

const HIDDEN: u64 = 1 << 52;
const BIAS: i32 = 1075;

/** Computes the shortest decimal of a double; `bits` must belong to a positive finite double that is not zero. */
export function shortest(bits: u64): void {
  const fraction = bits & (HIDDEN - 1);
  const biased = <i32>(bits >> 52);
  let c = fraction;
  let q = 1 - BIAS;
  if (biased) {
    c |= HIDDEN;
    q = biased - BIAS;
    // The shortest decimal of an integer below 2^53 is this integer itself.
    if (q <= 0 && q > -53 && (c & (((<u64>1) << -q) - 1)) == 0) {
      digits = c >> -q;
      exponent = 0;
      return;
    }
  }
  const odd = c & 1;
  const closer = !fraction && biased > 1;
  // The double is c * 2^q. k is floor(log10(2^q)), or floor(log10(3/4 * 2^q)) when the next lower double is closer than
  // the next higher one.
  const k = (q * 1262611 - (closer ? 524031 : 0)) >> 22;
  const power = powerOfTen(-k);
  const high = load<u64>(power);
  const low = load<u64>(power, 8);
  const h = q + ((-k * 1741647) >> 19) + 1;

  // Computes three numbers: the value of the double, and the two borders of its rounding interval. Each number is
  // multiplied by 4 and is in units of 10^k. Each product has 192 bits, of which the code keeps the upper 64. It sets
  // the lowest of these bits when the following 64 bits, as a number, are greater than 1.
  const cb = c << (2 + h);
  const p0 = low * cb;
  let p1 = high * cb;
  const x1 = highProduct(low, cb);
  p1 += x1;
  const p2 = highProduct(high, cb) + <u64>(p1 < x1);
  const vb = p2 | <u64>(p1 > 1);

  const up = h + 1;
  const d0 = low << up;
  const d1 = (high << up) | (low >> (64 - up));
  const d2 = high >> (64 - up);
  const r0 = p0 + d0;
  let r1 = p1 + d1;
  let carry = <u64>(r1 < d1);
  const c0 = <u64>(r0 < d0);
  r1 += c0;
  carry += <u64>(r1 < c0);
  const upper = ((p2 + d2 + carry) | <u64>(r1 > 1)) - odd;

  const down = up - <i32>closer;
  const e0 = low << down;
  const e1 = (high << down) | (low >> (64 - down));
  const e2 = high >> (64 - down);
  let borrow = <u64>(p1 < e1);
  let l1 = p1 - e1;
  const b0 = <u64>(p0 < e0);
  borrow += <u64>(l1 < b0);
  l1 -= b0;
  const lower = ((p2 - e2 - borrow) | <u64>(l1 > 1)) + odd;

  const s = vb >> 2;
  if (s >= 10) {
    const tens = s / 10;
    const isBelowInside = lower <= 40 * tens;
    const isAboveInside = 40 * tens + 40 <= upper;
    if (isBelowInside != isAboveInside) {
      digits = tens + <u64>isAboveInside;
      exponent = k + 1;
      return;
    }
  }
  const isBelowInside = lower <= 4 * s;
  const isAboveInside = 4 * s + 4 <= upper;
  exponent = k;
  if (isBelowInside != isAboveInside) {
    digits = s + <u64>isAboveInside;
    return;
  }
  const middle = 4 * s + 2;
  digits = s + <u64>(vb > middle || (vb == middle && (s & 1) != 0));
}
