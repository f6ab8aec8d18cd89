// Texts of line protocol without their escapes. Protobuf has lengths before contents: the texts of a point are measured first, by resolving them
// into a region of fixed size, from which they are written later. What does not fit is resolved twice.

import { givePages, takePages } from "../memory/pages";
import { E_LENGTH, E_NUMBER, E_TEXT } from "../tape/layout";
import { need } from "../tape/scan-memory";
import { behindRead, unescape, unescapedLength } from "../text/unescape";
import { out, putBytes, room, setOut } from "./output";

/** Pages for the texts of a point; blocks are written over their end. */
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

/** The texts of another point are measured from here on. */
export function nextTexts(): void {
  free = region;
}

/** Notes the length of an escaped text at E_NUMBER, and behind it where it lies resolved, 0 when it does not: texts do not use that place. */
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

/** Writes a text that `measureText` was given. */
export function putMeasured(entry: usize): void {
  const resolved = <usize>load<u32>(entry, E_NUMBER + 4);
  if (resolved) return putBytes(resolved, load<u32>(entry, E_NUMBER));
  let text = <usize>load<u32>(entry, E_TEXT);
  for (const end = text + load<u32>(entry, E_LENGTH); text < end; text = behindRead) {
    room();
    setOut(unescape(text, text + min(PIECE, end - text), end, out));
  }
}
