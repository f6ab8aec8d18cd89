// Finds literals that every match contains: a byte sequence anywhere in the match, and a text at the start of the
// input. An input without the byte sequence is rejected before any other work.

import type { Node, Ranges } from "./tree.ts";

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
        const character = literalOf(node.ranges);
        if (character !== "") run += character;
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
        // The repeated part occurs at least once, directly after the bytes collected so far. So the bytes of the
        // repeated part continue the collected sequence.
        visit(node.sub);
        if (node.max !== 1) end();
        return;
    }
  };
  visit(root);
  end();
  return encoder.encode(best);
}

/**
 * Returns the character of a set that has exactly one character. Returns the empty string for any other set, and
 * when the character has no fixed UTF-8 bytes.
 */
function literalOf(ranges: Ranges): string {
  const [lo, hi] = ranges;
  // U+FFFD is not a fixed byte sequence, because it also matches an invalid byte.
  if (ranges.length !== 2 || lo !== hi || lo === 0xfffd || lo === undefined || isSurrogate(lo)) return "";
  return String.fromCodePoint(lo);
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

/** Returns the text at the beginning of every input that has a match; may be empty. */
export function requiredStart(root: Node): string {
  const { text, isAnchored } = startOf(root, false);
  return isAnchored ? text : "";
}

/** Returns the bytes with which all matches begin; may be empty. */
export function matchStart(root: Node): Uint8Array {
  return encoder.encode(startOf(root, true).text);
}

/** The text with which all matches of a node of the syntax tree begin. */
interface Start {
  readonly text: string;
  /** Whether the matches must begin at the start of the input, so that every input with a match begins with `text`. */
  readonly isAnchored: boolean;
  /** Whether all matches of the node consist of `text` and nothing else. */
  readonly isWhole: boolean;
}

function startOf(node: Node, isAnchored: boolean): Start {
  const nothing = { text: "", isAnchored, isWhole: false };
  switch (node.op) {
    case "empty":
      return { ...nothing, isWhole: true };
    case "assert":
      return { text: "", isAnchored: isAnchored || node.place === "textStart", isWhole: true };
    case "class": {
      const text = isAnchored ? literalOf(node.ranges) : "";
      return { text, isAnchored, isWhole: text !== "" };
    }
    case "capture":
      return startOf(node.sub, isAnchored);
    case "concat": {
      let all: Start = { ...nothing, isWhole: true };
      for (const sub of node.subs) {
        const next = startOf(sub, all.isAnchored);
        all = { text: all.text + next.text, isAnchored: next.isAnchored, isWhole: next.isWhole };
        if (!next.isWhole) break;
      }
      return all;
    }
    case "alternate": {
      const starts = node.subs.map((sub) => startOf(sub, isAnchored));
      const text = starts.map((start) => start.text).reduce(commonStart);
      return { text, isAnchored: starts.every((start) => start.isAnchored), isWhole: false };
    }
    case "repeat": {
      if (node.min === 0) return nothing;
      const first = startOf(node.sub, isAnchored);
      return { ...first, isWhole: first.isWhole && node.max === 1 };
    }
  }
}

function commonStart(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return one.slice(0, length);
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
