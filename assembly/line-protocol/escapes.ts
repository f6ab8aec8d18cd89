// Removes the escapes from keys, tag values and measurements (docs/reference/points.md#tags-and-keys). Escapes are
// rare, so the string without escapes is simply copied to the batch's heap.

import { heapTake } from "../tape/batch";

export let cleanText: usize = 0;
export let cleanLength: u32 = 0;

/**
 * Stores the string without the escapes `\,`, `\ ` and `\=` in `cleanText` (its address) and `cleanLength`. When
 * `withQuote` is true, the escape `\"` is removed, too.
 */
export function unescape(batch: usize, text: usize, length: u32, withQuote: bool): void {
  cleanText = text;
  cleanLength = length;
  const end = text + length;
  let p = text;
  while (p < end && load<u8>(p) != 0x5c) p++;
  if (p == end) return;
  const clean = heapTake(batch, length);
  memory.copy(clean, text, p - text);
  let out = clean + (p - text);
  while (p < end) {
    let c = load<u8>(p++);
    if (c == 0x5c && p < end) {
      const next = load<u8>(p);
      if (next == 0x2c || next == 0x20 || next == 0x3d || (withQuote && next == 0x22)) {
        c = next;
        p++;
      }
    }
    store<u8>(out++, c);
  }
  cleanText = clean;
  cleanLength = <u32>(out - clean);
}
