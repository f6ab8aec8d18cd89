// Texts of line protocol without their escapes. Protobuf has lengths before contents, so the texts of a point are
// measured first: they are resolved into a region of fixed size and written from there later. A text that does not fit
// into the region is resolved twice.

import { givePages, takePages } from "../memory/pages";
import { E_LENGTH, E_NUMBER, E_TEXT } from "../tape/layout";
import { need } from "../tape/scan-memory";
import { behindRead, unescape, unescapedLength } from "../text/unescape";
import { out, putBytes, room, setOut } from "./output";

/** Size of the region in pages. Block writes may run past its end, into the slack. */
const PAGES: u32 = 2;
const SLACK: usize = 64;
let region: usize = 0;
let free: usize = 0;

export function startTexts(): void {
  region = need(takePages(PAGES));
}

export function stopTexts(): void {
  if (region) givePages(region, PAGES);
  region = 0;
}

/** Starts measuring the texts of another point. */
export function nextTexts(): void {
  free = region;
}

/**
 * Stores the length of an escaped text at E_NUMBER and, 4 bytes behind, the address of the resolved text (0 when the
 * region had no room). Entries of texts do not use E_NUMBER otherwise.
 */
export function measureText(entry: usize): u32 {
  const text = <usize>load<u32>(entry, E_TEXT);
  const length = load<u32>(entry, E_LENGTH);
  if (<usize>length + SLACK > region + ((<usize>PAGES) << 16) - free) {
    const clean = unescapedLength(text, length);
    store<u64>(entry, clean, E_NUMBER);
    return clean;
  }
  const end = text + length;
  const behind = unescape(text, end, end, free);
  const clean = <u32>(behind - free);
  store<u64>(entry, clean | ((<u64>free) << 32), E_NUMBER);
  free = behind;
  return clean;
}

/** Bytes of a long text that are resolved at a time. */
const PIECE: usize = 16384;

/** Writes a text that `measureText` has measured. */
export function putMeasured(entry: usize): void {
  const resolved = <usize>load<u32>(entry, E_NUMBER + 4);
  if (resolved) return putBytes(resolved, load<u32>(entry, E_NUMBER));
  let text = <usize>load<u32>(entry, E_TEXT);
  for (const end = text + load<u32>(entry, E_LENGTH); text < end; text = behindRead) {
    room();
    setOut(unescape(text, text + min(PIECE, end - text), end, out));
  }
}
