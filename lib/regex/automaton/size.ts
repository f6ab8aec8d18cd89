// Computes how large the program of an expression would be, before it is built. A counted repetition such as
// `a{100}` counts as 100 copies of its body. The measure and the limit are those of Go's regexp/syntax. So this
// library accepts the same expressions as RE2, and no expression uses up all memory.

import { factorPrefixes } from "../syntax/factor.ts";
import type { Node, Parsed, Ranges } from "../syntax/tree.ts";
import { RegexSyntaxError } from "../syntax/tree.ts";
import { byteAutomaton } from "./byte-class.ts";

/**
 * Largest number of instructions of a program: as many as fit in 128 MB when an instruction takes 40 bytes, as in Go.
 */
const MAX_SIZE = Math.floor((128 << 20) / 40);

/** Largest number of byte ranges in a program for which tables are made. */
const MAX_EXPANDED = 1 << 18;

/**
 * Returns the expression unchanged when its size is within the limit. Otherwise moves common beginnings of
 * alternatives in front of the alternatives, as RE2 does, and returns this smaller expression when its size is
 * within the limit. Throws RegexSyntaxError when it is still too large. Without counted repetitions no
 * expression is too large.
 */
export function bounded(parsed: Parsed, source: string): Parsed {
  const most = Math.max(MAX_SIZE, 3 * source.length);
  if (size(parsed.root, oneStep) <= most) return parsed;
  const root = factorPrefixes(parsed.root);
  if (size(root, oneStep) > most) throw new RegexSyntaxError("expression too large", source, 0);
  return { ...parsed, root };
}

/**
 * Returns whether a program over bytes would be too large for state tables. An expression with such a program is run
 * character by character in tier 0 (simulation).
 */
export function isLarge(root: Node): boolean {
  if (size(root, oneStep) > MAX_EXPANDED) return true;
  return size(root, mostSteps) > MAX_EXPANDED && size(root, steps) > MAX_EXPANDED;
}

/**
 * A measure of size: a function that counts the instructions for a set of characters, and a cache of the sizes of
 * nodes, because expressions share nodes.
 */
interface Measure {
  readonly ofSet: (ranges: Ranges) => number;
  readonly known: WeakMap<Node, number>;
}

const measure = (ofSet: Measure["ofSet"]): Measure => ({ ofSet, known: new WeakMap() });

const oneStep = measure(() => 1);

const steps = measure((ranges) => byteAutomaton(ranges, false).nodes.reduce((sum, its) => sum + its.length, 0));

/**
 * Measures an upper bound of the number of byte ranges: UTF-8 splits a range of code points into at most 21 sequences
 * of at most four bytes.
 */
const mostSteps = measure((ranges) => {
  let sum = 0;
  for (let i = 1; i < ranges.length; i += 2) sum += (ranges[i] as number) < 0x80 ? 1 : 84;
  return sum;
});

/** The sizes of nodes below this height are not cached, because computing them again is faster than a look-up. */
const KEPT_HEIGHT = 4;

function size(node: Node, measure: Measure): number {
  if (node.height < KEPT_HEIGHT) return sizeOf(node, measure);
  let its = measure.known.get(node);
  if (its === undefined) {
    its = sizeOf(node, measure);
    measure.known.set(node, its);
  }
  return its;
}

function sizeOf(node: Node, measure: Measure): number {
  switch (node.op) {
    case "empty":
    case "assert":
      return 1;
    case "class":
      return measure.ofSet(node.ranges);
    case "capture":
      return 2 + size(node.sub, measure);
    case "concat": {
      let sum = 0;
      for (const sub of node.subs) sum += size(sub, measure);
      return sum;
    }
    case "alternate": {
      let sum = node.subs.length - 1;
      for (const sub of node.subs) sum += size(sub, measure);
      return sum;
    }
    case "repeat":
      return repeated(size(node.sub, measure), node.min, node.max);
  }
}

function repeated(sub: number, min: number, max: number): number {
  if (max < 0) return min === 0 ? 2 + sub : 1 + min * sub;
  return Math.max(1, min * sub + (max - min) * (sub + 1));
}
