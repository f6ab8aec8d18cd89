// String changes that the corrections make: newlines are replaced, and backslashes at the end are removed. Each changed
// string is a new string on the batch's heap.

import { heapTake } from "../tape/batch";

/** Address and length in bytes of the string that the last call of a function in this file made. */
export let changedText: usize = 0;
export let changedLength: u32 = 0;

/** Returns whether the string has a newline, or a backslash at its end. Reads up to 15 bytes past the string. */
export function hasNewlineOrTail(text: usize, length: u32): bool {
  if (length && load<u8>(text + length - 1) == 0x5c) return true;
  for (let i: u32 = 0; i < length; i += 16) {
    const newlines = i8x16.bitmask(i8x16.eq(v128.load(text + i), i8x16.splat(0x0a)));
    if (newlines && i + <u32>ctz(newlines) < length) return true;
  }
  return false;
}

/** Makes a copy of the string with a space for each newline and without backslashes at its end. */
export function withoutNewlines(batch: usize, text: usize, length: u32): void {
  while (length && load<u8>(text + length - 1) == 0x5c) length--;
  copyWith(batch, text, length, 0x0a, 0x20);
}

/** Makes a copy of the string in which the byte `to` replaces each byte `from`. */
export function copyWith(batch: usize, text: usize, length: u32, from: u8, to: u8): void {
  const copy = heapTake(batch, length);
  for (let i: u32 = 0; i < length; i++) {
    const c = load<u8>(text + i);
    store<u8>(copy + i, c == from ? to : c);
  }
  changedText = copy;
  changedLength = length;
}
