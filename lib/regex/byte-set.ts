// Code that looks at 16 bytes at once for the first one that is not in a set. Sets of few ranges, or all ASCII but few ranges,
// are compared range by range; others by two look-ups per byte, one by its low half and one by its high half (Langdale and
// Lemire, simdjson).

import { code, type FunctionWriter, simd } from "./wasm-writer.ts";

export interface ByteRange {
  readonly lo: number;
  readonly hi: number;
}

/** A set of ASCII bytes as ranges in order. */
export function rangesOf(set: Uint8Array): ByteRange[] {
  const ranges: { lo: number; hi: number }[] = [];
  set.forEach((has, byte) => {
    if (has === 0) return;
    const last = ranges.at(-1);
    if (last?.hi === byte - 1) last.hi = byte;
    else ranges.push({ lo: byte, hi: byte });
  });
  return ranges;
}

/** Puts 16 bytes where the code may load them, gives the address. */
export type Keep = (bytes: Uint8Array) => number;

/** Instructions for a set's ranges. */
function cost(ranges: readonly ByteRange[]): number {
  return ranges.reduce((sum, { lo, hi }) => sum + (lo === hi ? 2 : 4), 0);
}

/** Instructions of the two look-ups. */
const LOOK_UPS = 9;

/**
 * Leaves on the stack a mask with a bit for each of the 16 bytes at the address in local `at` that is not of the set, which holds
 * ASCII only. `vector` is a local for the bytes.
 */
export function stopMask(out: FunctionWriter, set: Uint8Array, at: number, vector: number, keep: Keep): void {
  const inside = rangesOf(set);
  const outside = rangesOf(set.subarray(0, 0x80).map((has) => 1 - has));
  const [within, without] = [cost(inside) + 1, cost(outside)];
  out.get(at).loadVector().set(vector);
  if (Math.min(within, without) >= LOOK_UPS) {
    lookUp(out, set, vector, keep);
    out.simd(simd.bitmask);
  } else if (without <= within) {
    // The highest bit of a byte that is not ASCII counts by itself.
    out.get(vector);
    for (const range of outside) {
      compare(out, range, vector, keep);
      out.simd(simd.or);
    }
    out.simd(simd.bitmask);
  } else {
    inside.forEach((range, number) => {
      compare(out, range, vector, keep);
      if (number > 0) out.simd(simd.or);
    });
    out.simd(simd.bitmask).const(0xffff).put(code.xor);
  }
}

function compare(out: FunctionWriter, { lo, hi }: ByteRange, vector: number, keep: Keep): void {
  out.get(vector).vectorAt(keep(new Uint8Array(16).fill(lo)));
  if (lo === hi) out.simd(simd.eq);
  else
    out
      .simd(simd.sub)
      .vectorAt(keep(new Uint8Array(16).fill(hi - lo)))
      .simd(simd.leU);
}

/** Byte i of the first table tells by its bits which bytes with low half i are of the set: bit h for high half h. */
function lookUp(out: FunctionWriter, set: Uint8Array, vector: number, keep: Keep): void {
  const low = new Uint8Array(16);
  for (let byte = 0; byte < 0x80; byte++) {
    const at = byte & 15;
    if (set[byte] === 1) low[at] = (low[at] as number) | (1 << (byte >> 4));
  }
  const high = Uint8Array.from({ length: 16 }, (_, half) => (half < 8 ? 1 << half : 0));
  out.vectorAt(keep(low)).get(vector);
  out
    .vectorAt(keep(new Uint8Array(16).fill(15)))
    .simd(simd.and)
    .simd(simd.swizzle);
  out.vectorAt(keep(high)).get(vector).const(4).simd(simd.shrU).simd(simd.swizzle);
  out
    .simd(simd.and)
    .vectorAt(keep(new Uint8Array(16)))
    .simd(simd.eq);
}
