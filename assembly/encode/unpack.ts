// Unpacks values that the tape (the decoded entries in memory) contains only as text of the body: base64 becomes
// bytes, and the text of an array becomes packed elements. The results are stored on the batch's heap. The
// decoder has already checked that the text is well formed.

import { numberBits, numberEnd, numberKind, scanNumber } from "../number/scan";
import { heapElements, heapTake } from "../tape/batch";
import {
  ELEMENT_SHIFT, ENTRY_SOURCE, E_FLAGS, E_KIND, E_LENGTH, E_NUMBER, E_TEXT, KIND_BINARY, KIND_BOOL, KIND_STRING,
} from "../tape/layout";
import { unpackText } from "../tape/unescape";
import { readBase64 } from "../text/base64";
import { closingQuote } from "../text/quote";

/** Unpacks the entry's value into a number, bytes or packed elements. Strings keep their escapes. */
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

/** Decodes a base64 text to bytes on the heap, and stores their address and length at the address `at`. */
function unpackBinary(batch: usize, text: usize, end: usize, at: usize): void {
  const bytes = heapTake(batch, <u32>(end - text));
  store<u32>(at, <u32>bytes);
  store<u32>(at, readBase64(text, end, bytes), 4);
}

/** Unpacks an array from its source text: the text between its brackets, from `p` to `end`. */
function unpackArray(batch: usize, p: usize, end: usize, entry: usize): void {
  // Upper bound for the number of elements in the text of an array: each element takes at least one byte and, except
  // the last, a comma.
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
