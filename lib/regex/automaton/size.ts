// How large an expression's program is, told before it is built: counts are multiplied out. Measure and bound are those of Go's
// regexp/syntax, so that what RE2 accepts is accepted and nothing takes all memory.

import { factored } from "../syntax/factor.ts";
import type { Node, Parsed, Ranges } from "../syntax/tree.ts";
import { RegexSyntaxError } from "../syntax/tree.ts";
import { byteAutomaton } from "./byte-class.ts";

/** 128 MB of instructions of 40 bytes. */
const MAX_SIZE = Math.floor((128 << 20) / 40);

/** Ranges of bytes that tables are made for. */
const MAX_EXPANDED = 1 << 18;

/**
 * The expression within bounds: as it is, or with its alternatives factored when that is what RE2 accepts it for. Throws
 * RegexSyntaxError for one that is too large. Without counts none is larger than its source.
 */
export function bounded(parsed: Parsed, source: string): Parsed {
  const most = Math.max(MAX_SIZE, 3 * source.length);
  if (size(parsed.root, oneStep) <= most) return parsed;
  const root = factored(parsed.root);
  if (size(root, oneStep) > most) throw new RegexSyntaxError("expression too large", source, 0);
  return { ...parsed, root };
}

/** Whether a program of bytes would be too large for tables: such an expression runs character by character, in tier 0. */
export function isLarge(root: Node): boolean {
  if (size(root, oneStep) > MAX_EXPANDED) return true;
  return size(root, mostSteps) > MAX_EXPANDED && size(root, steps) > MAX_EXPANDED;
}

/** How many instructions a set of characters takes; the sizes of nodes are kept, since expressions share some. */
interface Measure {
  readonly ofSet: (ranges: Ranges) => number;
  readonly known: WeakMap<Node, number>;
}

const measure = (ofSet: Measure["ofSet"]): Measure => ({ ofSet, known: new WeakMap() });

const oneStep = measure(() => 1);

const steps = measure((ranges) => byteAutomaton(ranges, false).nodes.reduce((sum, its) => sum + its.length, 0));

/** Never fewer than `steps` and told from the bounds alone: UTF-8 cuts a range into 21 pieces of at most four bytes. */
const mostSteps = measure((ranges) => {
  let sum = 0;
  for (let i = 1; i < ranges.length; i += 2) sum += (ranges[i] as number) < 0x80 ? 1 : 84;
  return sum;
});

/** Below this height nodes are measured faster than looked up. */
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
