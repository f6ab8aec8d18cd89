// Decides how each slot (start or end offset of a group) is computed. A slot at a fixed distance from the start
// of the match, from its end or from another tag needs no capture tag of its own. For example, `(?P<a>\d+)
// (?P<b>\d+)$` needs one tag, for the end of group a. Fewer tags mean fewer registers and fewer moves between
// them.

import type { Node } from "../syntax/tree.ts";
import { fixedWidth } from "./byte-class.ts";

/**
 * Numbers of the positions from which a slot (start or end offset of a group) is computed. The number of capture
 * tag t is `FIRST_TAG + t`.
 */
export const NEVER = -1;
export const MATCH_END = 0;
export const MATCH_START = 1;
export const FIRST_TAG = 2;

export interface SlotSource {
  readonly base: number;
  readonly distance: number;
}

export interface SlotPlan {
  /** How each slot (offset of a group) is computed; slot 2g is the start of group g, slot 2g + 1 its end. */
  readonly sources: readonly SlotSource[];
  /** For each slot (offset of a group) that needs a capture tag: the number of the tag. */
  readonly tagOf: ReadonlyMap<number, number>;
  readonly tags: number;
}

const never: SlotSource = { base: NEVER, distance: 0 };
/**
 * Largest distance between a slot (start or end of a group) and the position from which it is counted. The state tables
 * have 16 bits for this distance.
 */
const MAX_DISTANCE = 0x7fff;

export function planSlots(root: Node, groups: number): SlotPlan {
  const sources: SlotSource[] = new Array<SlotSource>(groups * 2).fill(never);
  sources[0] = { base: MATCH_START, distance: 0 };
  sources[1] = { base: MATCH_END, distance: 0 };
  const tagOf = new Map<number, number>();

  /**
   * Decides how to compute each slot (start or end offset of a group) inside a node of the syntax tree. `left`
   * describes how to compute the position before the node, and `right` the position after it. Returns how to
   * compute the position after the node. Each of the three descriptions is null when it is not known.
   */
  function visit(node: Node, left: SlotSource | null, right: SlotSource | null): SlotSource | null {
    switch (node.op) {
      case "empty":
      case "assert":
        return left ?? right;
      case "class":
        return shift(left, fixedWidth(node.ranges));
      case "capture": {
        const start = left ?? shift(right, negative(width(node.sub))) ?? ownTag(node.index * 2);
        sources[node.index * 2] = start;
        const end = visit(node.sub, start, right) ?? right ?? ownTag(node.index * 2 + 1);
        sources[node.index * 2 + 1] = end;
        return end;
      }
      case "concat": {
        const rights: (SlotSource | null)[] = [];
        let behind = right;
        for (let i = node.subs.length - 1; i >= 0; i--) {
          rights[i] = behind;
          behind = shift(behind, negative(width(node.subs[i] as Node)));
        }
        let at = left;
        node.subs.forEach((sub, i) => {
          at = visit(sub, at, rights[i] as SlotSource | null);
        });
        return at;
      }
      case "alternate":
        for (const sub of node.subs) visit(sub, null, null);
        return shift(left, width(node));
      case "repeat":
        if (node.min === 1 && node.max === 1) return visit(node.sub, left, right);
        if (node.max !== 0) visit(node.sub, null, null);
        return shift(left, width(node));
    }
  }

  function ownTag(slot: number): SlotSource {
    tagOf.set(slot, tagOf.size);
    return { base: FIRST_TAG + tagOf.size - 1, distance: 0 };
  }

  visit(root, sources[0], sources[1]);
  return { sources, tagOf, tags: tagOf.size };
}

function negative(width: number | null): number | null {
  return width === null ? null : -width;
}

function shift(source: SlotSource | null, by: number | null): SlotSource | null {
  if (source === null || by === null) return null;
  const distance = source.distance + by;
  return Math.abs(distance) > MAX_DISTANCE ? null : { base: source.base, distance };
}

const widths = new WeakMap<Node, number | null>();

/** Returns the number of bytes that every match of the node has; null when the number varies. */
function width(node: Node): number | null {
  let answer = widths.get(node);
  if (answer === undefined) {
    answer = measure(node);
    widths.set(node, answer);
  }
  return answer;
}

function measure(node: Node): number | null {
  switch (node.op) {
    case "empty":
    case "assert":
      return 0;
    case "class":
      return fixedWidth(node.ranges);
    case "capture":
      return width(node.sub);
    case "concat": {
      let sum: number | null = 0;
      for (const sub of node.subs) {
        const its = width(sub);
        sum = sum === null || its === null ? null : sum + its;
      }
      return sum;
    }
    case "alternate": {
      const first = width(node.subs[0] as Node);
      return node.subs.every((sub) => width(sub) === first) ? first : null;
    }
    case "repeat": {
      if (node.max === 0) return 0;
      const its = width(node.sub);
      return node.min === node.max && its !== null ? its * node.min : null;
    }
  }
}
