// Removes the escapes from strings of line protocol for output as protobuf. In protobuf a length precedes its content,
// so the strings of a point are measured first: they are written without escapes into a region of fixed size, and
// copied to the output from there later. When a string does not fit into the region, its escapes are removed twice: to
// measure the string and to write it.

import { givePages, takePages } from "../memory/pages";
import { E_LENGTH, E_NUMBER, E_TEXT } from "../tape/layout";
import { requireMemory } from "../tape/scan-memory";
import { endOfRead, unescape, unescapedLength } from "../text/unescape";
import { out, putBytes, room, setOut } from "./output";

/**
 * Size of the memory for strings without escapes, in pages of 64 KB. The last SLACK bytes of this memory stay free,
 * because strings are written in whole blocks.
 */
const PAGES: u32 = 2;
const SLACK: usize = 64;
let region: usize = 0;
let free: usize = 0;

export function startTexts(): void {
  region = requireMemory(takePages(PAGES));
}

export function stopTexts(): void {
  if (region) givePages(region, PAGES);
  region = 0;
}

/** Empties the memory for strings without escapes, so that the strings of the next point can be measured. */
export function nextTexts(): void {
  free = region;
}

/**
 * Removes the escapes of a string and stores two numbers in its entry: at E_NUMBER the length without escapes, and in
 * the next 4 bytes the address of the copy without escapes, or 0 when the memory for such copies is full. Entries of
 * strings use E_NUMBER for nothing else.
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

/** The escapes of a long string are removed part by part; each part has this number of bytes. */
const PIECE: usize = 16384;

/** Writes a string without its escapes. `measureText` must have measured the string before. */
export function putMeasured(entry: usize): void {
  const resolved = <usize>load<u32>(entry, E_NUMBER + 4);
  if (resolved) return putBytes(resolved, load<u32>(entry, E_NUMBER));
  let text = <usize>load<u32>(entry, E_TEXT);
  for (const end = text + load<u32>(entry, E_LENGTH); text < end; text = endOfRead) {
    room();
    setOut(unescape(text, text + min(PIECE, end - text), end, out));
  }
}
