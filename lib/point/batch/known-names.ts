// Returns names and short values that lie in WebAssembly memory as JavaScript strings. The lines of a log
// contain the same names and values again and again. So a string that was read before is remembered: it is only
// compared with the bytes, and no new string is made.

import type { Batch } from "./batch.ts";

const tableSize = 512;

/** Strings that were read before. The function `placeOf` computes the index of a string from its bytes. */
const names: string[] = new Array(tableSize).fill("");
const values: string[] = new Array(tableSize).fill("");

const longestName = 64;
/**
 * Length in bytes of the longest value that is looked up. Longer values, such as addresses and times, seldom
 * occur a second time.
 */
const longestValue = 12;

function placeOf(u8: Uint8Array, address: number, length: number): number {
  const last = address + length - 1;
  return (length * 67 + u8[address]! * 5 + u8[last]! * 11 + u8[(address + last) >>> 1]! * 23) & (tableSize - 1);
}

function isAt(u8: Uint8Array, address: number, text: string): boolean {
  let same = text.length;
  while (same > 0 && u8[address + same - 1] === text.charCodeAt(same - 1)) same--;
  return same === 0;
}

/** Returns the name of a key or of a member of a JSON object. */
export function nameAt(batch: Batch, address: number, length: number): string {
  return stringAt(batch, names, longestName, address, length);
}

/** Returns the string of a value. */
export function valueTextAt(batch: Batch, address: number, length: number): string {
  batch.requireLive();
  return length <= longestValue
    ? stringAt(batch, values, longestValue, address, length)
    : batch.decode(address, length);
}

function stringAt(batch: Batch, table: string[], longest: number, address: number, length: number): string {
  const { u8 } = batch.module;
  if (length === 0) return "";
  const place = placeOf(u8, address, length);
  const known = table[place]!;
  if (known.length === length && isAt(u8, address, known)) return known;
  const text = batch.decode(address, length);
  if (text.length === length && length <= longest) table[place] = text;
  return text;
}
