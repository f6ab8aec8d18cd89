// Bits of a DEFLATE stream (RFC 1951): the first goes to the lowest bit of a byte. They are gathered in a register and stored eight
// bytes at a time, of which the whole ones count.

let bits: u64 = 0;
let count: u64 = 0;
/** Where the next whole byte goes. */
let out: usize = 0;

export function startBits(): void {
  bits = 0;
  count = 0;
}

export function writeTo(address: usize): void {
  out = address;
}

/** Behind the last whole byte. */
export function written(): usize {
  return out;
}

/** At most 57 bits; those of `value` above them are 0. */
// @ts-ignore: decorator
@inline
export function put(value: u64, length: u64): void {
  bits |= value << count;
  count += length;
  store<u64>(out, bits);
  out += <usize>(count >> 3);
  bits >>= count & ~7;
  count &= 7;
}

/** Up to the next whole byte. */
export function alignBits(): void {
  if (count) put(0, 8 - count);
}
