// Powers of ten as 128-bit numbers: 10^k = power / 2^127 * 2^floor(log2(10^k)), with the highest bit set,
// rounded up. Floats are printed and parsed with these powers. The table is computed at its first use, in about
// 20 microseconds. As data of the WebAssembly module it would take 10 KB that cannot be compressed.

/**
 * The lowest and the highest exponent of ten that parsing floats needs. Printing floats needs the exponents from
 * -292 to 324.
 */
export const LEAST_POWER: i32 = -342;
export const GREATEST_POWER: i32 = 308;
const HIGHEST: i32 = 324;

/** Table of 10^k for k from LEAST_POWER to HIGHEST: for each power the high 64 bits, then the low 64 bits. */
const table = memory.data(667 * 16, 16);
let ready = false;

// The power of ten that the computation of the table has reached, as a number of 256 bits whose highest bit is set:
// 32-bit limbs, the most significant one last.
const LIMBS: i32 = 8;
const limbs = memory.data(8 * 4, 16);

/**
 * Returns the address of 10^k in the table: 8 bytes with the high half, then 8 bytes with the low half. 10^0 to 10^55
 * are exact; the low half of the other powers is never 0.
 */
// @ts-ignore: decorator
@inline
export function powerOfTen(k: i32): usize {
  if (!ready) compute();
  return table + (<usize>(k - LEAST_POWER) << 4);
}

// Computes the table. Each step loses less than one unit in the last of the 256 bits, so the upper 128 bits stay right.
function compute(): void {
  one();
  keep(0, false);
  // 5^55 is the greatest power of five that fits 128 bits.
  for (let k: i32 = 1; k <= HIGHEST; k++) {
    timesFive();
    keep(k, k > 55);
  }
  one();
  for (let k: i32 = -1; k >= LEAST_POWER; k--) {
    overFive();
    keep(k, true);
  }
  ready = true;
}

function one(): void {
  memory.fill(limbs, 0, LIMBS << 2);
  store<u32>(limbs, 0x80000000, (LIMBS - 1) << 2);
}

function keep(k: i32, roundUp: bool): void {
  let high = load<u64>(limbs, (LIMBS - 2) << 2);
  let low = load<u64>(limbs, (LIMBS - 4) << 2);
  if (roundUp && ++low == 0) high++;
  const at = table + (<usize>(k - LEAST_POWER) << 4);
  store<u64>(at, high);
  store<u64>(at, low, 8);
}

/** Multiplies the current power by 5, and divides it by 4 or 8, so that its highest bit stays set. */
function timesFive(): void {
  let carry: u64 = 0;
  for (let i = 0; i < LIMBS; i++) {
    carry += <u64>load<u32>(limbs + (<usize>i << 2)) * 5;
    store<u32>(limbs + (<usize>i << 2), <u32>carry);
    carry >>= 32;
  }
  // After the multiplication by 5, the carry out of the highest limb (32-bit part) is 2 to 4, so it has two or three
  // bits.
  const shift = 32 - clz<u32>(<u32>carry);
  for (let i = LIMBS - 1; i >= 0; i--) {
    const at = limbs + (<usize>i << 2);
    const limb = load<u32>(at);
    store<u32>(at, (<u32>carry << (32 - shift)) | (limb >> shift));
    carry = limb;
  }
}

/** Divides the current power by 5, and multiplies it by 4 or 8, so that its highest bit stays set. */
function overFive(): void {
  let rest: u64 = 0;
  for (let i = LIMBS - 1; i >= 0; i--) {
    const at = limbs + (<usize>i << 2);
    rest = (rest << 32) | load<u32>(at);
    store<u32>(at, <u32>(rest / 5));
    rest %= 5;
  }
  const shift = clz<u32>(load<u32>(limbs, (LIMBS - 1) << 2));
  for (let i = LIMBS - 1; i >= 0; i--) {
    const at = limbs + (<usize>i << 2);
    const below = i ? load<u32>(at - 4) : <u32>((rest << 32) / 5);
    store<u32>(at, (load<u32>(at) << shift) | (below >> (32 - shift)));
  }
}
