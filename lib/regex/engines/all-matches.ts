// Finds all matches in a long text in linear time. A single search may read the whole remainder of the text to find
// where the next match starts, so many single searches would take quadratic time. This scan tries to match at each
// position whose byte can begin a match. When the failed tries have read too much, one backward pass marks all
// positions where a match starts, and from then on only the matches are read forward. Texts that are not UTF-8, and
// texts in which reading a match often goes far beyond its end, are searched by tier 0 (simulation).

import type { Engine } from "./engine.ts";
import type { Outcome, TableEngine } from "./table-engine.ts";

/**
 * Largest number of bytes that are read forward, as a multiple of the text's length. After this number of bytes,
 * tier 0 (simulation) finds the remaining matches.
 */
const MAX_READS = 8;

/**
 * Largest number of bytes that failed tries may read forward, as a multiple of the text's length. When the
 * failed tries have read more, a backward pass marks the positions where matches start. A failed try counts as
 * at least TRY bytes.
 */
const MAX_TRIED = 1;
const TRY = 4;

export class Scan {
  private readonly bytes: Uint8Array;
  private readonly tables: TableEngine;
  private readonly simulation: () => Engine;
  /** Whether the state tables are used; if not, tier 0 (simulation) searches the text. */
  private tabled: boolean;
  /**
   * For each byte value, 1 when a match can start with this byte; null once failed tries have read more than their
   * limit.
   */
  private first: Uint8Array | null = null;
  /** One bit for each position of the text, set where a match starts; null before the backward pass. */
  private starts: Uint8Array | null = null;
  private left: number;
  private tries: number;

  /** Makes a scan of a text; `isValid` says whether the text is valid UTF-8. */
  constructor(bytes: Uint8Array, isValid: boolean, tables: TableEngine, simulation: () => Engine) {
    this.bytes = bytes;
    this.tables = tables;
    this.simulation = simulation;
    this.left = bytes.length * MAX_READS;
    this.tries = bytes.length * MAX_TRIED;
    this.tabled = isValid;
    if (!isValid) return;
    this.first = tables.firstBytes();
    if (this.first === null) this.tabled = false;
  }

  /**
   * Finds the leftmost match that starts at `from` or later, and writes its slots (start and end of each group), as
   * `Engine.exec` does.
   */
  exec(from: number, slots: Int32Array): boolean {
    if (this.tabled) {
      const outcome = this.first !== null ? this.tryForward(from, slots) : this.readMarked(from, slots);
      if (outcome !== "spent") return outcome === "yes";
      this.tabled = false;
    }
    return this.simulation().exec(this.bytes, 0, this.bytes.length, from, slots);
  }

  /** Tries to match at each position from `from` on. Skips a position when no match can start with the byte there. */
  private tryForward(from: number, slots: Int32Array): Outcome {
    const { bytes, tables } = this;
    const { length } = bytes;
    const first = this.first as Uint8Array;
    for (let at = from; ; at++) {
      while (at < length && first[bytes[at] as number] === 0) at++;
      const read = this.left > 0 ? tables.matchAt(bytes, 0, length, at, slots) : "spent";
      if (read !== "no") {
        this.left -= tables.stopped - at;
        return read;
      }
      if (at >= length) return "no";
      this.tries -= Math.max(TRY, tables.stopped - at);
      if (this.tries < 0) {
        this.first = null;
        return this.readMarked(at + 1, slots);
      }
    }
  }

  /** Reads the match at the next position that the backward pass has marked. */
  private readMarked(from: number, slots: Int32Array): Outcome {
    const { bytes, tables } = this;
    this.starts ??= tables.starts(bytes);
    if (this.starts === null) return "spent";
    const at = nextBit(this.starts, from, bytes.length);
    if (at < 0) return "no";
    const read = this.left > 0 ? tables.matchAt(bytes, 0, bytes.length, at, slots) : "spent";
    this.left -= tables.stopped - at;
    return read;
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
