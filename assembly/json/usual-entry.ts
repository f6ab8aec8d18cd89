// Reads the beginning of a PBJSON entry (a tag or field) in the two forms that encoders usually write, without
// white space: `{"key":"load","f":1.5}` or `{"key":"host","s":"web","is_tag":true}`. Comparing the text with
// these forms costs less than comparing the name of each member with all possible names. entries.ts reads every
// other entry.

import { at, length, moveTo, next, readString, text } from "./text";
import { isValueLetter, readValue } from "./values";

/** Result of `readUsualEntry`: the text is not JSON. */
export const NO_JSON: u32 = 0;
/** Result of `readUsualEntry`: nothing was read; the reading position is still at the opening brace of the entry. */
export const NOTHING: u32 = 1;
/**
 * Result of `readUsualEntry`: the key was read and, if `usualHasValue` is true, also the value. The reading position is
 * after the part that was read last.
 */
export const BEGINNING: u32 = 2;
/** Result of `readUsualEntry`: the whole entry (a tag or field of a point in PBJSON) was read. */
export const WHOLE: u32 = 3;

// The content of the PBJSON entry (a tag or field) that was read last: the address and the length of the key;
// whether the value was read (values.ts stores the value); and whether the member `is_tag` was read.
export let usualKey: usize = 0;
export let usualKeyLength: u32 = 0;
export let usualHasValue: bool = false;
export let usualIsTag: bool = false;

/**
 * Reads a PBJSON entry (a tag or field) up to the place where its form differs from the usual form. Returns a
 * code that says how much was read. The reading position must be at the entry's opening brace. `depth` is the
 * nesting depth of the entry's members.
 */
export function readUsualEntry(batch: usize, depth: u32): u32 {
  usualHasValue = usualIsTag = false;
  // Compares the next bytes of the body with `{"key":"`.
  if (load<u64>(at) != 0x223a2279656b227b) return NOTHING;
  moveTo(at + 7);
  if (!readString(batch)) return NO_JSON;
  usualKey = text;
  usualKeyLength = length;
  const word = load<u64>(at);
  const letter = <u32>(word >> 16) & 0xff;
  // Compares the next bytes of the body with `,"?":`, where `?` stands for the name of the member. A member with the
  // value null counts as absent and is left to entries.ts.
  if ((word & 0xffff00ffff) != 0x3a2200222c || !isValueLetter(letter) || load<u8>(at, 5) == 0x6e) return BEGINNING;
  moveTo(at + 5);
  if (!readValue(batch, letter, next(), depth)) return NO_JSON;
  usualHasValue = true;
  if (load<u8>(at) == 0x7d) {
    moveTo(at + 1);
    return WHOLE;
  }
  // Compares the next bytes of the body with `,"is_tag":true}`.
  if (load<u64>(at) != 0x6761745f7369222c || load<u64>(at, 7) != 0x7d657572743a2267) return BEGINNING;
  usualIsTag = true;
  moveTo(at + 15);
  return WHOLE;
}
