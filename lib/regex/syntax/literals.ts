// Finds a byte sequence that every match contains. A text without this sequence is rejected before any other work.

import type { Node } from "./tree.ts";

const encoder = new TextEncoder();

/** Returns the longest byte sequence that every match contains; empty when there is none. */
export function requiredLiteral(root: Node): Uint8Array {
  let best = "";
  let run = "";
  const end = (): void => {
    if (run.length > best.length) best = run;
    run = "";
  };
  const visit = (node: Node): void => {
    switch (node.op) {
      case "empty":
      case "assert":
        return;
      case "class": {
        const [lo, hi] = node.ranges;
        // U+FFFD is not a fixed byte sequence, because it also matches an invalid byte.
        if (node.ranges.length === 2 && lo === hi && lo !== 0xfffd && lo !== undefined && !isSurrogate(lo))
          run += String.fromCodePoint(lo);
        else end();
        return;
      }
      case "capture":
        visit(node.sub);
        return;
      case "concat":
        for (const sub of node.subs) visit(sub);
        return;
      case "alternate":
        end();
        return;
      case "repeat":
        if (node.min === 0) {
          end();
          return;
        }
        // The first repetition follows directly on the byte sequence before it, so it extends that sequence.
        visit(node.sub);
        if (node.max !== 1) end();
        return;
    }
  };
  visit(root);
  end();
  return encoder.encode(best);
}

function isSurrogate(codePoint: number): boolean {
  return codePoint >= 0xd800 && codePoint <= 0xdfff;
}

/** Returns whether a match can start only at the start of the text. */
export function startsAtEdge(node: Node): boolean {
  switch (node.op) {
    case "assert":
      return node.place === "textStart";
    case "capture":
      return startsAtEdge(node.sub);
    case "concat":
      return node.subs.length > 0 && startsAtEdge(node.subs[0] as Node);
    case "alternate":
      return node.subs.every(startsAtEdge);
    case "repeat":
      return node.min > 0 && startsAtEdge(node.sub);
    default:
      return false;
  }
}

/** Returns the index of the first occurrence of `literal` in `bytes[from, end)`; -1 when there is none. */
export function indexOfBytes(bytes: Uint8Array, literal: Uint8Array, from: number, end: number): number {
  const [first] = literal;
  const last = end - literal.length;
  if (first === undefined) return from;
  for (let at = bytes.indexOf(first, from); at >= 0 && at <= last; at = bytes.indexOf(first, at + 1)) {
    let i = 1;
    while (i < literal.length && bytes[at + i] === literal[i]) i++;
    if (i === literal.length) return at;
  }
  return -1;
}
