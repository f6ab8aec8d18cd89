// Makes the inner nodes of a syntax tree. Each node stores its height. Also limits nested repetitions with counts, such
// as `(a{10}){10}`.

import type { Node } from "./tree.ts";

export function concat(items: readonly Node[]): Node {
  const [first] = items;
  if (first === undefined) return { op: "empty", height: 1 };
  return items.length === 1 ? first : { op: "concat", subs: items, height: 1 + highest(items) };
}

export function alternate(subs: readonly Node[]): Node {
  return { op: "alternate", subs, height: 1 + highest(subs) };
}

export function capture(index: number, sub: Node): Node {
  return { op: "capture", index, sub, height: sub.height + 1 };
}

export function repeated(sub: Node, min: number, max: number, greedy: boolean): Node {
  return { op: "repeat", min, max, greedy, sub, height: sub.height + 1 };
}

function highest(nodes: readonly Node[]): number {
  let height = 0;
  for (const node of nodes) height = Math.max(height, node.height);
  return height;
}

/** Returns whether the product of nested repetition counts, as in `(a{10}){10}`, is at most `bound`. */
export function repeatFits(node: Node, bound: number): boolean {
  let left = bound;
  if (node.op === "repeat" && (node.min > 1 || node.max > 1)) {
    const count = node.max < 0 ? node.min : node.max;
    if (count > left) return false;
    if (count > 0) left = Math.floor(left / count);
  }
  if (node.op === "concat" || node.op === "alternate") return node.subs.every((sub) => repeatFits(sub, left));
  if (node.op === "repeat" && node.max === 0) return true;
  return node.op === "repeat" || node.op === "capture" ? repeatFits(node.sub, left) : true;
}
