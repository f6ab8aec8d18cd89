// Computes how large an expression's program will be before it is built, with counted repetitions multiplied out.
// Measure and bound are those of Go's regexp/syntax, so that the same expressions are accepted as by RE2, and no
// expression takes all memory.

import { factored } from "../syntax/factor.ts";
import type { Node, Parsed, Ranges } from "../syntax/tree.ts";
import { RegexSyntaxError } from "../syntax/tree.ts";
import { byteAutomaton } from "./byte-class.ts";

/** Most instructions of a program: 128 MB of instructions of 40 bytes. */
const MAX_SIZE = Math.floor((128 << 20) / 40);

/** Most byte ranges for which tables are made. */
const MAX_EXPANDED = 1 << 18;

/**
 * Returns the expression unchanged when it is within bounds, or with its alternatives factored when only this brings it
 * within bounds, as in RE2. Throws RegexSyntaxError for an expression that is too large. An expression without counted
 * repetitions is never larger than its source allows.
 */
export function bounded(parsed: Parsed, source: string): Parsed {
  const most = Math.max(MAX_SIZE, 3 * source.length);
  if (size(parsed.root, oneStep) <= most) return parsed;
  const root = factored(parsed.root);
  if (size(root, oneStep) > most) throw new RegexSyntaxError("expression too large", source, 0);
  return { ...parsed, root };
}

/**
 * Returns whether a program of bytes would be too large for tables. Such an expression runs character by character, in
 * tier 0.
 */
export function isLarge(root: Node): boolean {
  if (size(root, oneStep) > MAX_EXPANDED) return true;
  return size(root, mostSteps) > MAX_EXPANDED && size(root, steps) > MAX_EXPANDED;
}

/**
 * A measure of size: the number of instructions that a set of characters takes, and the known sizes of nodes, because
 * expressions share some nodes.
 */
interface Measure {
  readonly ofSet: (ranges: Ranges) => number;
  readonly known: WeakMap<Node, number>;
}

const measure = (ofSet: Measure["ofSet"]): Measure => ({ ofSet, known: new WeakMap() });

const oneStep = measure(() => 1);

const steps = measure((ranges) => byteAutomaton(ranges, false).nodes.reduce((sum, its) => sum + its.length, 0));

/**
 * Measures an upper bound of `steps` from the range bounds alone: UTF-8 splits a range into at most 21 pieces of at
 * most four bytes.
 */
const mostSteps = measure((ranges) => {
  let sum = 0;
  for (let i = 1; i < ranges.length; i += 2) sum += (ranges[i] as number) < 0x80 ? 1 : 84;
  return sum;
});

/** Below this height, measuring a node is faster than a look-up. */
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
