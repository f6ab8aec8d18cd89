// Turns a set of code points into a deterministic automaton over the bytes of their UTF-8 encoding. The automaton can
// be made for reading forward (to match) or backward (to find where matches start). Surrogates have no UTF-8 encoding
// and are left out.

import type { Ranges } from "../syntax/tree.ts";

/** A transition: the bytes from lo to hi lead to node `to`, or end the character when `to` is -1. */
export interface ByteRange {
  readonly lo: number;
  readonly hi: number;
  readonly to: number;
}

export interface ByteAutomaton {
  /** The nodes of the automaton; node 0 is the start. The byte ranges of a node are sorted and disjoint. */
  readonly nodes: readonly (readonly ByteRange[])[];
  /** A number for each byte. Two bytes have the same number when they lead to the same node from every node. */
  readonly partition: Uint8Array;
}

/**
 * A sequence of byte ranges, which describes UTF-8 characters: the range of the first byte (`lo` to `hi`), then the
 * sequence of the other bytes (`rest`). Equal sequences are the same object.
 */
interface Sequence {
  readonly id: number;
  readonly lo: number;
  readonly hi: number;
  readonly rest: Sequence | null;
}

const LENGTH_ENDS = [0x7f, 0x7ff, 0xffff, 0x10ffff];

/**
 * Cache of recently made automata. It helps because the same character classes occur again within an expression and in
 * other expressions.
 */
const kept = new Map<string, ByteAutomaton>();
const KEPT = 500;

export function byteAutomaton(ranges: Ranges, backward: boolean): ByteAutomaton {
  const key = `${backward};${ranges.join()}`;
  let automaton = kept.get(key);
  if (automaton === undefined) {
    automaton = make(ranges, backward);
    if (kept.size >= KEPT) kept.clear();
    kept.set(key, automaton);
  }
  return automaton;
}

function make(ranges: Ranges, backward: boolean): ByteAutomaton {
  const nodes = determinize(utf8Sequences(ranges, backward));
  return { nodes, partition: partitionOf(nodes) };
}

function partitionOf(nodes: ByteAutomaton["nodes"]): Uint8Array {
  const targets = new Int32Array(256);
  let partition: Uint8Array = new Uint8Array(256);
  for (const node of nodes) {
    targets.fill(-2);
    for (const { lo, hi, to } of node) targets.fill(to, lo, hi + 1);
    partition = refine(partition, targets);
  }
  return partition;
}

/**
 * Combines two numberings of the 256 bytes. In the result two bytes have the same number when both inputs give them the
 * same number.
 */
export function refine(one: ArrayLike<number>, other: ArrayLike<number>): Uint8Array {
  const known = new Map<number, number>();
  const result = new Uint8Array(256);
  for (let byte = 0; byte < 256; byte++) {
    // Most bytes have the same two numbers as the previous byte. For them the result of the previous byte is used
    // again, so few pairs of numbers are looked up.
    if (byte > 0 && one[byte] === one[byte - 1] && other[byte] === other[byte - 1]) {
      result[byte] = result[byte - 1] as number;
      continue;
    }
    const pair = (one[byte] as number) * 0x1000000 + (other[byte] as number);
    let index = known.get(pair);
    if (index === undefined) {
      index = known.size;
      known.set(pair, index);
    }
    result[byte] = index;
  }
  return result;
}

/**
 * Returns the number of UTF-8 bytes that every character of the set has. Returns null when characters differ in length.
 * Also returns null when the set contains U+FFFD, because a single invalid byte counts as this character, which
 * otherwise has three bytes.
 */
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

function utf8Sequences(ranges: Ranges, backward: boolean): Sequence[] {
  const known = new Map<string, Sequence>();
  const result: Sequence[] = [];
  const add = (bounds: readonly number[]): void => {
    const step = backward ? 2 : -2;
    let sequence: Sequence | null = null;
    for (let i = backward ? 0 : bounds.length - 2; i >= 0 && i < bounds.length; i += step) {
      const [lo, hi] = [bounds[i] as number, bounds[i + 1] as number];
      const key: string = `${lo},${hi},${sequence?.id}`;
      const rest: Sequence | null = sequence;
      sequence = known.get(key) ?? { id: known.size, lo, hi, rest };
      known.set(key, sequence);
    }
    if (sequence !== null) result.push(sequence);
  };
  for (let i = 0; i < ranges.length; i += 2) {
    const [lo, hi] = [ranges[i] as number, ranges[i + 1] as number];
    if (lo < 0xd800) split(lo, Math.min(hi, 0xd7ff), add);
    if (hi > 0xdfff) split(Math.max(lo, 0xe000), hi, add);
  }
  return result;
}

/**
 * Splits the code points lo..hi into ranges in which each byte of the UTF-8 encoding varies independently of the
 * others.
 */
function split(lo: number, hi: number, add: (bounds: readonly number[]) => void): void {
  for (const end of LENGTH_ENDS) {
    if (lo <= end && hi > end) {
      split(lo, end, add);
      split(end + 1, hi, add);
      return;
    }
  }
  const width = widthOf(lo);
  for (let i = 1; i < width; i++) {
    const low = (1 << (6 * i)) - 1;
    if ((lo & ~low) === (hi & ~low)) continue;
    if ((lo & low) !== 0) {
      split(lo, lo | low, add);
      split((lo | low) + 1, hi, add);
      return;
    }
    if ((hi & low) !== low) {
      split(lo, (hi & ~low) - 1, add);
      split(hi & ~low, hi, add);
      return;
    }
  }
  const [from, to] = [encode(lo, width), encode(hi, width)];
  add(from.flatMap((byte, i) => [byte, to[i] as number]));
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

/**
 * Makes the deterministic automaton by subset construction: a node is the set of the byte sequences that may follow,
 * and equal sets share a node.
 */
function determinize(sequences: readonly Sequence[]): ByteAutomaton["nodes"] {
  const nodes: ByteRange[][] = [];
  const known = new Map<string, number>();

  function nodeOf(tails: readonly Sequence[]): number {
    const key = tails.map((tail) => tail.id).join();
    const old = known.get(key);
    if (old !== undefined) return old;
    const index = nodes.push([]) - 1;
    known.set(key, index);
    const bounds = new Set<number>();
    for (const { lo, hi } of tails) bounds.add(lo).add(hi + 1);
    const sorted = [...bounds].sort((a, b) => a - b);
    const ranges: ByteRange[] = [];
    // Splits the bytes into ranges. Each byte sequence of the node can begin with all bytes of a range or with none of
    // them. The nested loops are cheap, because few byte sequences share a byte.
    for (let i = 0; i + 1 < sorted.length; i++) {
      const [lo, hi] = [sorted[i] as number, (sorted[i + 1] as number) - 1];
      const rest = new Set<Sequence | null>();
      for (const tail of tails) if (tail.lo <= lo && hi <= tail.hi) rest.add(tail.rest);
      if (rest.size === 0) continue;
      // After a byte, either all byte sequences of the node end or none does, because no UTF-8 character begins with
      // all bytes of another one.
      const to = rest.has(null) ? -1 : nodeOf([...rest] as Sequence[]);
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

/** Returns whether the byte is an ASCII letter, an ASCII digit or an underscore. */
export function isWordByte(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5a) || byte === 0x5f || (byte >= 0x61 && byte <= 0x7a)
  );
}
