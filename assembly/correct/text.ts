// Texts as the corrections change them: newlines replaced, backslashes at the end left out. A changed text is a new one on the heap.

import { heapTake } from "../tape/batch";

/** Address and length of the last text that was made. */
export let madeText: usize = 0;
export let madeLength: u32 = 0;

/** Has the text a newline, or a backslash at its end? */
export function hasNewlineOrTail(text: usize, length: u32): bool {
  if (length && load<u8>(text + length - 1) == 0x5c) return true;
  for (let i: u32 = 0; i < length; i++) if (load<u8>(text + i) == 0x0a) return true;
  return false;
}

/** The text without backslashes at its end, then with a space for each newline. */
export function withoutNewlines(batch: usize, text: usize, length: u32): void {
  while (length && load<u8>(text + length - 1) == 0x5c) length--;
  copyWith(batch, text, length, 0x0a, 0x20);
}

/** A copy with one byte replaced by another. */
export function copyWith(batch: usize, text: usize, length: u32, from: u8, to: u8): void {
  const copy = heapTake(batch, length);
  for (let i: u32 = 0; i < length; i++) {
    const c = load<u8>(text + i);
    store<u8>(copy + i, c == from ? to : c);
  }
  madeText = copy;
  madeLength = length;
}
