// Encodes varints of protobuf: 7 bits per byte, the lowest bits first; the top bit of a byte is set when another byte
// follows.

import { out, put, setOut } from "../output";

/** Returns the number of bytes that a value takes as a varint. */
// @ts-ignore: decorator
@inline
export function varintSize(value: u64): u32 {
  return (<u32>(64 - clz(value | 1)) * 9 + 64) >> 6;
}

const GOES_ON: u64 = 0x8080808080808080;

/**
 * Writes a varint at `o` and returns the address after it. The function may overwrite up to 10 bytes, whatever the
 * varint's length.
 */
// @ts-ignore: decorator
@inline
export function varintAt(o: usize, value: u64): usize {
  // Splits the low 56 bits of the value into halves, then into quarters, then into eight groups of 7 bits, one for each
  // byte.
  let sevens = (value & 0x0fffffff) | ((value << 4) & 0x0fffffff00000000);
  sevens = (sevens & 0x00003fff00003fff) | ((sevens << 2) & 0x3fff00003fff0000);
  sevens = (sevens & 0x007f007f007f007f) | ((sevens << 1) & 0x7f007f007f007f00);
  const rest = value >> 56;
  if (!rest) {
    const last = (63 - clz(sevens | 1)) & 0x38;
    store<u64>(o, sevens | (GOES_ON & (((<u64>1) << last) - 1)));
    return o + <usize>(last >> 3) + 1;
  }
  store<u64>(o, sevens | GOES_ON);
  const tenth = rest >> 7;
  store<u16>(o, <u16>(rest | (tenth << 8)), 8);
  return o + 9 + <usize>tenth;
}

/** Writes a length whose varint has `bytes` bytes (at most 3), and overwrites no byte after it. */
// @ts-ignore: decorator
@inline
export function lengthAt(o: usize, length: u32, bytes: u32): void {
  if (bytes == 1) return store<u8>(o, length);
  store<u8>(o, length | 0x80);
  if (bytes == 2) return store<u8>(o, length >> 7, 1);
  store<u8>(o, (length >> 7) | 0x80, 1);
  store<u8>(o, length >> 14, 2);
}

/** Writes a varint. Numbers below 128 take a short path, because most lengths are below 128. */
export function putVarint(value: u64): void {
  if (value < 0x80) put(<u32>value);
  else setOut(varintAt(out, value));
}
