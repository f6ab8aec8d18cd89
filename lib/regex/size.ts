// A bound on what an expression may compile to, so that none takes all memory: counts are multiplied out before anything is
// built. Measure and bound are those of Go's regexp/syntax, but that a class counts by the byte ranges its characters are made of.

import { byteAutomaton } from "./byte-class.ts";
import type { Node, Parsed, Ranges } from "./syntax.ts";
import { RegexSyntaxError } from "./syntax.ts";

/** 128 MB of instructions of 40 bytes. */
const MAX_SIZE = Math.floor((128 << 20) / 40);

/** Throws RegexSyntaxError for an expression that is too large. */
export function checkSize({ root }: Parsed, source: string): void {
  const sizes = new Map<Ranges, number>();

  function size(node: Node): number {
    switch (node.op) {
      case "empty":
      case "assert":
        return 1;
      case "class": {
        let its = sizes.get(node.ranges);
        if (its === undefined) {
          its = byteAutomaton(node.ranges, false).nodes.reduce((sum, ranges) => sum + ranges.length, 0);
          sizes.set(node.ranges, its);
        }
        return its;
      }
      case "capture":
        return 2 + size(node.sub);
      case "concat":
        return node.subs.reduce((sum, sub) => sum + size(sub), 0);
      case "alternate":
        return node.subs.reduce((sum, sub) => sum + 1 + size(sub), -1);
      case "repeat":
        return repeated(size(node.sub), node.min, node.max);
    }
  }

  if (size(root) > MAX_SIZE) throw new RegexSyntaxError("expression too large", source, 0);
}

function repeated(sub: number, min: number, max: number): number {
  if (max < 0) return min === 0 ? 2 + sub : 1 + min * sub;
  return Math.max(1, min * sub + (max - min) * (sub + 1));
}
