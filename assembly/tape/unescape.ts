// Texts that still stand as in the body, made into what they mean, on the batch's heap. The body was found well formed before.

import { unescape } from "../text/unescape";
import { heapKeep, heapTake } from "./batch";
import { ENTRY_ESCAPED, E_FLAGS, E_LENGTH, E_TEXT } from "./layout";

/** Puts address and length of the text without escapes at `at`; a text without any stays where it is. */
export function unpackText(batch: usize, text: usize, length: u32, at: usize): void {
  // Up to 64 bytes are written behind the copy.
  const copy = heapTake(batch, length + 64);
  const clean = <u32>(unescape(text, text + length, text + length, copy) - copy);
  const isAsBefore = clean == length;
  heapKeep(batch, copy, isAsBefore ? 0 : clean);
  store<u32>(at, <u32>(isAsBefore ? text : copy));
  store<u32>(at, clean, 4);
}

/** Resolves `\"` and `\\` of a text; it stays where it is when it has none. */
export function unescapeEntry(batch: usize, entry: usize): void {
  unpackText(batch, load<u32>(entry, E_TEXT), load<u32>(entry, E_LENGTH), entry + E_TEXT);
  store<u8>(entry, <u32>load<u8>(entry, E_FLAGS) & ~ENTRY_ESCAPED, E_FLAGS);
}
