// Factors alternatives to make an expression smaller: alternatives with a common beginning become this beginning
// followed by alternatives, and alternatives of single characters become one set. RE2 does this for every
// expression; this engine does it only for expressions that would otherwise be too large.

import { normalize } from "./char-class.ts";
import type { Leaf, Node } from "./tree.ts";

/**
 * Returns a syntax tree with the same matches and captures, which is smaller when alternatives have a common beginning.
 */
export function factorPrefixes(node: Node): Node {
  switch (node.op) {
    case "capture":
    case "repeat":
      return { ...node, sub: factorPrefixes(node.sub) };
    case "concat":
      return { ...node, subs: node.subs.map(factorPrefixes) };
    case "alternate":
      return alternatives(
        node.subs.map((sub) => elementsOf(factorPrefixes(sub))),
        node.height,
      );
    default:
      return node;
  }
}

function elementsOf(node: Node): readonly Node[] {
  if (node.op === "empty") return [];
  return node.op === "concat" ? node.subs : [node];
}

function joined(elements: readonly Node[], height: number): Node {
  if (elements.length === 0) return { op: "empty", height: 1 };
  return elements.length === 1 ? (elements[0] as Node) : { op: "concat", subs: elements, height };
}

/**
 * Joins alternatives that have a common beginning. Only neighbouring alternatives are joined, because the order of
 * alternatives is their order of preference.
 */
function alternatives(subs: readonly (readonly Node[])[], height: number): Node {
  const result: Node[] = [];
  for (let from = 0; from < subs.length; ) {
    const first = subs[from] as readonly Node[];
    let common = first.length;
    let to = from + 1;
    for (; to < subs.length; to++) {
      const alike = commonLeaves(first, subs[to] as readonly Node[], common);
      if (alike === 0) break;
      common = alike;
    }
    if (to === from + 1) addAlternative(result, joined(first, height));
    else {
      const rests = subs.slice(from, to).map((sub) => sub.slice(common));
      result.push(joined([...first.slice(0, common), alternatives(rests, height)], height));
    }
    from = to;
  }
  return result.length === 1 ? (result[0] as Node) : { op: "alternate", subs: result, height };
}

/**
 * Adds an alternative to the list. A set of characters is joined with the last alternative if this is a set, too. An
 * empty alternative after another empty one is dropped, because it can never match.
 */
function addAlternative(result: Node[], node: Node): void {
  const last = result.at(-1);
  if (node.op === "empty" && last?.op === "empty") return;
  if (node.op === "class" && last?.op === "class")
    result[result.length - 1] = { ...last, ranges: normalize([...last.ranges, ...node.ranges]), to: node.to };
  else result.push(node);
}

/**
 * Returns the number of leading elements that two alternatives have in common; the count stops at an element that can
 * match in several ways.
 */
function commonLeaves(one: readonly Node[], other: readonly Node[], most: number): number {
  let count = 0;
  while (count < most && count < other.length && isAlike(one[count] as Node, other[count] as Node)) count++;
  return count;
}

function isAlike(one: Node, other: Node): boolean {
  if (one.op === "class" && other.op === "class") return one.ranges === other.ranges || sameRanges(one, other);
  return one.op === "assert" && other.op === "assert" && one.place === other.place;
}

function sameRanges(one: Leaf & { op: "class" }, other: Leaf & { op: "class" }): boolean {
  return one.ranges.length === other.ranges.length && one.ranges.every((bound, i) => bound === other.ranges[i]);
}
