// Multiplies two 64-bit integers to 128 bits, for which WebAssembly has no instruction.

export let productHigh: u64 = 0;
export let productLow: u64 = 0;

/** Returns the upper 64 bits of a * b. */
// @ts-ignore: decorator
@inline
export function highProduct(a: u64, b: u64): u64 {
  const aLow = a & 0xffffffff;
  const aHigh = a >> 32;
  const bLow = b & 0xffffffff;
  const bHigh = b >> 32;
  const low = aLow * bLow;
  const middle = aHigh * bLow + (low >> 32);
  const other = aLow * bHigh + (middle & 0xffffffff);
  return aHigh * bHigh + (middle >> 32) + (other >> 32);
}

/** Stores the 128 bits of a * b in `productHigh` and `productLow`. */
export function multiply(a: u64, b: u64): void {
  productHigh = highProduct(a, b);
  productLow = a * b;
}
