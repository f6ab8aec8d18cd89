// How large an expression's program is, told before it is built: counts are multiplied out. Measure and bound are those of Go's
// regexp/syntax, so that what RE2 accepts is accepted and nothing takes all memory.

import { byteAutomaton } from "./byte-class.ts";
import { factored } from "./factor.ts";
import type { Node, Parsed, Ranges } from "./syntax.ts";
import { RegexSyntaxError } from "./syntax.ts";

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
  if (size(parsed.root, () => 1) <= most) return parsed;
  const root = factored(parsed.root);
  if (size(root, () => 1) > most) throw new RegexSyntaxError("expression too large", source, 0);
  return { ...parsed, root };
}

/** Whether a program of bytes would be too large for tables: such an expression runs character by character, in tier 0. */
export function isLarge(root: Node): boolean {
  const sizes = new Map<Ranges, number>();
  const expanded = (ranges: Ranges): number => {
    let its = sizes.get(ranges);
    if (its === undefined) {
      its = byteAutomaton(ranges, false).nodes.reduce((sum, steps) => sum + steps.length, 0);
      sizes.set(ranges, its);
    }
    return its;
  };
  return size(root, () => 1) > MAX_EXPANDED || size(root, expanded) > MAX_EXPANDED;
}

/** Instructions of a program where a set of characters takes as many as `ofSet` says. */
function size(node: Node, ofSet: (ranges: Ranges) => number): number {
  switch (node.op) {
    case "empty":
    case "assert":
      return 1;
    case "class":
      return ofSet(node.ranges);
    case "capture":
      return 2 + size(node.sub, ofSet);
    case "concat":
      return node.subs.reduce((sum, sub) => sum + size(sub, ofSet), 0);
    case "alternate":
      return node.subs.reduce((sum, sub) => sum + 1 + size(sub, ofSet), -1);
    case "repeat":
      return repeated(size(node.sub, ofSet), node.min, node.max);
  }
}

function repeated(sub: number, min: number, max: number): number {
  if (max < 0) return min === 0 ? 2 + sub : 1 + min * sub;
  return Math.max(1, min * sub + (max - min) * (sub + 1));
}
