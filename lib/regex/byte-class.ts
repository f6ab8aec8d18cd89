// A set of code points as a deterministic automaton over the bytes of their UTF-8 form. Read forward for matching, backward
// for finding where matches start. Surrogates have no UTF-8 form and fall out.

import type { Ranges } from "./syntax.ts";

/** One step: bytes lo to hi lead to node `to`, or end the character when `to` is -1. */
export interface ByteRange {
  readonly lo: number;
  readonly hi: number;
  readonly to: number;
}

/** Node 0 begins. The ranges of a node are sorted and disjoint. */
export type ByteAutomaton = readonly (readonly ByteRange[])[];

/** A run of byte ranges that one character is made of, as lo, hi, lo, hi, ... */
type Sequence = readonly number[];

const LENGTH_ENDS = [0x7f, 0x7ff, 0xffff, 0x10ffff];

export function byteAutomaton(ranges: Ranges, backward: boolean): ByteAutomaton {
  const sequences = utf8Sequences(ranges);
  return determinize(backward ? sequences.map(reversed) : sequences);
}

/** Bytes that every character of the set has, null when they differ or when a single invalid byte may stand for U+FFFD. */
export function fixedWidth(ranges: Ranges): number | null {
  if (ranges.length === 0) return null;
  const width = widthOf(ranges[0] as number);
  for (let i = 0; i < ranges.length; i += 2) {
    const [lo, hi] = [ranges[i] as number, ranges[i + 1] as number];
    if (widthOf(lo) !== width || widthOf(hi) !== width || (lo <= 0xfffd && hi >= 0xfffd)) return null;
  }
  return width;
}

function widthOf(codePoint: number): number {
  return LENGTH_ENDS.findIndex((end) => codePoint <= end) + 1;
}

function reversed(sequence: Sequence): Sequence {
  const result: number[] = [];
  for (let i = sequence.length - 2; i >= 0; i -= 2) result.push(sequence[i] as number, sequence[i + 1] as number);
  return result;
}

function utf8Sequences(ranges: Ranges): Sequence[] {
  const result: Sequence[] = [];
  for (let i = 0; i < ranges.length; i += 2) {
    const [lo, hi] = [ranges[i] as number, ranges[i + 1] as number];
    if (lo < 0xd800) split(lo, Math.min(hi, 0xd7ff), result);
    if (hi > 0xdfff) split(Math.max(lo, 0xe000), hi, result);
  }
  return result;
}

/** Cuts lo..hi into pieces whose bytes vary independently of each other. */
function split(lo: number, hi: number, result: Sequence[]): void {
  for (const end of LENGTH_ENDS) {
    if (lo <= end && hi > end) {
      split(lo, end, result);
      split(end + 1, hi, result);
      return;
    }
  }
  const width = widthOf(lo);
  for (let i = 1; i < width; i++) {
    const low = (1 << (6 * i)) - 1;
    if ((lo & ~low) === (hi & ~low)) continue;
    if ((lo & low) !== 0) {
      split(lo, lo | low, result);
      split((lo | low) + 1, hi, result);
      return;
    }
    if ((hi & low) !== low) {
      split(lo, (hi & ~low) - 1, result);
      split(hi & ~low, hi, result);
      return;
    }
  }
  const [from, to] = [encode(lo, width), encode(hi, width)];
  result.push(from.flatMap((byte, i) => [byte, to[i] as number]));
}

function encode(codePoint: number, width: number): number[] {
  if (width === 1) return [codePoint];
  const bytes: number[] = [];
  let rest = codePoint;
  for (let i = 1; i < width; i++) {
    bytes.unshift(0x80 | (rest & 0x3f));
    rest >>= 6;
  }
  bytes.unshift(((0xf00 >> width) & 0xff) | rest);
  return bytes;
}

/** Subset construction; equal sets of tails share a node. */
function determinize(sequences: readonly Sequence[]): ByteAutomaton {
  const nodes: ByteRange[][] = [];
  const known = new Map<string, number>();

  function nodeOf(tails: readonly Sequence[]): number {
    const key = tails.map((tail) => tail.join()).join(";");
    const old = known.get(key);
    if (old !== undefined) return old;
    const index = nodes.push([]) - 1;
    known.set(key, index);
    const bounds = new Set<number>();
    for (const tail of tails) bounds.add(tail[0] as number).add((tail[1] as number) + 1);
    const sorted = [...bounds].sort((a, b) => a - b);
    const ranges: ByteRange[] = [];
    // The ranges of a backward node overlap, those of a forward node are equal or apart: few tails share a byte.
    for (let i = 0; i + 1 < sorted.length; i++) {
      const [lo, hi] = [sorted[i] as number, (sorted[i + 1] as number) - 1];
      const here = tails.filter((tail) => (tail[0] as number) <= lo && hi <= (tail[1] as number));
      if (here.length === 0) continue;
      const rest = here.map((tail) => tail.slice(2)).filter((tail) => tail.length > 0);
      const to = rest.length === 0 ? -1 : nodeOf(rest);
      const last = ranges.at(-1);
      if (last !== undefined && last.to === to && last.hi === lo - 1)
        ranges[ranges.length - 1] = { lo: last.lo, hi, to };
      else ranges.push({ lo, hi, to });
    }
    nodes[index] = ranges;
    return index;
  }

  nodeOf(sequences);
  return nodes;
}
