// Removes the escapes of strings that still have the text of the body. The strings without escapes are stored on
// the batch's heap. The decoder has already checked the strings.

import { unescape } from "../text/unescape";
import { heapKeep, heapTake } from "./batch";
import { ENTRY_ESCAPED, E_FLAGS, E_LENGTH, E_TEXT } from "./layout";

/**
 * Removes the escapes of a string, and stores the address and length of the result at the address `at`. A string
 * that has no escapes is not copied.
 */
export function unpackText(batch: usize, text: usize, length: u32, at: usize): void {
  // The added 64 bytes are needed because `unescape` may write up to 64 bytes after the copy.
  const copy = heapTake(batch, length + 64);
  const clean = <u32>(unescape(text, text + length, text + length, copy) - copy);
  const isAsBefore = clean == length;
  heapKeep(batch, copy, isAsBefore ? 0 : clean);
  store<u32>(at, <u32>(isAsBefore ? text : copy));
  store<u32>(at, clean, 4);
}

/** Removes the escapes `\"` and `\\` from an entry's string. A string that has no escapes is not copied. */
export function unescapeEntry(batch: usize, entry: usize): void {
  unpackText(batch, load<u32>(entry, E_TEXT), load<u32>(entry, E_LENGTH), entry + E_TEXT);
  store<u8>(entry, <u32>load<u8>(entry, E_FLAGS) & ~ENTRY_ESCAPED, E_FLAGS);
}
