// Names that lie in WebAssembly memory, as JavaScript strings.

import type { Batch } from "./batch.ts";

/**
 * Names that were read before. The function `placeOf` computes the index of a name in this list from the
 * bytes of the name.
 */
const names: string[] = new Array(512).fill("");

/**
 * Returns the name of a key or of a member of a JSON object. The lines of a log have the same names again and again, so a name that is still in the
 * table `names` is only compared with the bytes, and no new string is made.
 */
export function nameAt(batch: Batch, address: number, length: number): string {
  const { u8 } = batch.module;
  if (length === 0) return "";
  const last = address + length - 1;
  const place = (length * 67 + u8[address]! * 5 + u8[last]! * 11 + u8[(address + last) >>> 1]! * 23) & 511;
  const known = names[place]!;
  if (known.length === length) {
    let same = length;
    while (same > 0 && u8[address + same - 1] === known.charCodeAt(same - 1)) same--;
    if (same === 0) return known;
  }
  const name = batch.decode(address, length);
  if (name.length === length && length <= 64) names[place] = name;
  return name;
}
