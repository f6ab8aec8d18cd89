// Finds all matches in a long text in linear time. A single search may read the whole remainder of the text to find
// where the next match starts, so many single searches would take quadratic time. Here one backward pass marks all
// positions where a match starts, and then only the matches are read forward. Texts that are not UTF-8, and texts in
// which reading a match often goes far beyond its end, are searched by tier 0 (simulation).

import type { Engine } from "./engine.ts";
import type { TableEngine } from "./table-engine.ts";

/**
 * Largest number of bytes, as a multiple of the text's length, that are read forward. Beyond it, tier 0 (simulation)
 * finds the remaining matches.
 */
const MAX_READS = 8;

export class Scan {
  private readonly bytes: Uint8Array;
  private readonly tables: TableEngine;
  private readonly simulation: () => Engine;
  /** One bit for each position of the text, set where a match starts; null when the tables cannot be used. */
  private starts: Uint8Array | null;
  private left: number;

  constructor(bytes: Uint8Array, tables: TableEngine, simulation: () => Engine) {
    this.bytes = bytes;
    this.tables = tables;
    this.simulation = simulation;
    this.starts = tables.starts(bytes);
    this.left = bytes.length * MAX_READS;
  }

  /**
   * Finds the leftmost match that starts at `from` or later, and writes its slots (start and end of each group), as
   * `Engine.exec` does.
   */
  exec(from: number, slots: Int32Array): boolean {
    const { bytes, tables, starts } = this;
    if (starts !== null) {
      const at = nextBit(starts, from, bytes.length);
      if (at < 0) return false;
      const read = this.left > 0 ? tables.matchAt(bytes, 0, bytes.length, at, slots) : "spent";
      this.left -= tables.stopped - at;
      if (read !== "spent") return read === "yes";
      this.starts = null;
    }
    return this.simulation().exec(bytes, 0, bytes.length, from, slots);
  }
}

/** Returns the index of the first bit in [from, last] that is set; -1 when none is. */
function nextBit(bits: Uint8Array, from: number, last: number): number {
  for (let at = from; at <= last; ) {
    const byte = (bits[at >> 3] as number) >> (at & 7);
    if (byte === 0) at = (at | 7) + 1;
    else return at + 31 - Math.clz32(byte & -byte);
  }
  return -1;
}
