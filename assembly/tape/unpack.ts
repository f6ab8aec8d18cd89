// Values that still stand as in the body, made into what they mean: base64 into bytes, the text of an array into packed elements, a text with
// escapes into one without, each on the batch's heap. The body was found well formed before.

import { readBase64 } from "../encode/base64";
import { unescape } from "../encode/unescape";
import { numberBits, numberEnd, numberKind, scanNumber } from "../number/scan";
import { closingQuote } from "../line-protocol/values";
import { heapElements, heapKeep, heapTake } from "./batch";
import {
  ELEMENT_SHIFT, ENTRY_ESCAPED, ENTRY_SOURCE, E_FLAGS, E_KIND, E_LENGTH, E_NUMBER, E_TEXT, KIND_BINARY, KIND_BOOL,
  KIND_STRING,
} from "./layout";

/** Makes the entry's value plain: number, bytes or packed elements. Texts keep their escapes. */
export function unpack(batch: usize, entry: usize): void {
  const flags = <u32>load<u8>(entry, E_FLAGS);
  const text = <usize>load<u32>(entry, E_TEXT);
  const length = load<u32>(entry, E_LENGTH);
  if (flags & ENTRY_SOURCE) {
    if (load<u8>(entry, E_KIND) == KIND_BINARY) unpackBinary(batch, text, text + length, entry + E_TEXT);
    else unpackArray(batch, text + 1, text + length - 1, entry);
  }
  store<u8>(entry, flags & ~ENTRY_SOURCE, E_FLAGS);
}

/** Puts address and length of the bytes at `at`. */
function unpackBinary(batch: usize, text: usize, end: usize, at: usize): void {
  const bytes = heapTake(batch, <u32>(end - text));
  store<u32>(at, <u32>bytes);
  store<u32>(at, readBase64(text, end, bytes), 4);
}

/** Puts address and length of the text without escapes at `at`; a text without any stays where it is. */
function unpackText(batch: usize, text: usize, length: u32, at: usize): void {
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

/** `p` to `end` is what stands between the brackets. */
function unpackArray(batch: usize, p: usize, end: usize, entry: usize): void {
  // An element needs a byte and, but for the last, a comma.
  const elements = heapElements(batch, <u32>((end - p + 1) >> 1));
  let count: u32 = 0;
  let kind: u32 = 0;
  for (;;) {
    while (p < end && (load<u8>(p) == 0x20 || load<u8>(p) == 0x2c)) p++;
    if (p >= end) break;
    const at = elements + (<usize>count << ELEMENT_SHIFT);
    count++;
    const c = <u32>load<u8>(p);
    if (c == 0x22) {
      const close = closingQuote(p + 1, end);
      kind = KIND_STRING;
      if (close + 1 < end && load<u8>(close + 1) == 0x62) {
        kind = KIND_BINARY;
        unpackBinary(batch, p + 1, close, at);
        p = close + 2;
      } else {
        unpackText(batch, p + 1, <u32>(close - p - 1), at);
        p = close + 1;
      }
    } else if (c - 0x30 < 10 || c == 0x2d || c == 0x2e) {
      scanNumber(p, end, true);
      kind = numberKind;
      store<u64>(at, numberBits);
      p = numberEnd;
    } else {
      kind = KIND_BOOL;
      store<u64>(at, (c | 0x20) == 0x74 ? 1 : 0);
      while (p < end && load<u8>(p) != 0x2c && load<u8>(p) != 0x20) p++;
    }
  }
  store<u32>(entry, <u32>elements, E_TEXT);
  store<u32>(entry, count, E_LENGTH);
  store<u32>(entry, kind, E_NUMBER);
}
