// Translates a regular expression of this library to a RegExp of the JavaScript engine (the host), and finds out
// where this RegExp would find other matches than the library. In contrast to the library, RegExp forgets
// captures on every repetition of a loop, has a rule of its own for empty loop bodies, and backtracks
// (docs/reference/grok.md#regular-expressions).

import { nullable } from "../../lib/regex/automaton/program.ts";
import type { Node, Place, Ranges } from "../../lib/regex/syntax/tree.ts";

const PLACES: Readonly<Record<Place, string>> = {
  textStart: "^",
  textEnd: "$",
  lineStart: "(?<![^\\n])",
  lineEnd: "(?![^\\n])",
  word: "\\b",
  notWord: "\\B",
};

/**
 * Returns the source of an equivalent RegExp, which must be used with the flag `u` only. The flag `i` is not needed:
 * where case is ignored, character classes list both cases.
 */
export function hostSource(node: Node): string {
  switch (node.op) {
    case "empty":
      return "(?:)";
    case "class":
      return hostClass(node.ranges);
    case "assert":
      return PLACES[node.place];
    case "capture":
      return `(${hostSource(node.sub)})`;
    case "concat":
      return node.subs.map((sub) => (sub.op === "alternate" ? `(?:${hostSource(sub)})` : hostSource(sub))).join("");
    case "alternate":
      return node.subs.map(hostSource).join("|");
    case "repeat": {
      const sub = node.sub.op === "class" ? hostClass(node.sub.ranges) : `(?:${hostSource(node.sub)})`;
      return sub + hostCount(node.min, node.max) + (node.greedy ? "" : "?");
    }
  }
}

function hostCount(min: number, max: number): string {
  if (max < 0) return min === 0 ? "*" : min === 1 ? "+" : `{${min},}`;
  return min === 0 && max === 1 ? "?" : min === max ? `{${min}}` : `{${min},${max}}`;
}

function hostCharacter(code: number): string {
  const c = String.fromCodePoint(code);
  return /[0-9A-Za-z]/.test(c) ? c : `\\u{${code.toString(16)}}`;
}

function hostClass(ranges: Ranges): string {
  if (ranges.length === 2 && ranges[0] === ranges[1]) return hostCharacter(ranges[0] as number);
  let text = "[";
  for (let i = 0; i < ranges.length; i += 2) {
    const [lo, hi] = [ranges[i] as number, ranges[i + 1] as number];
    text += lo === hi ? hostCharacter(lo) : `${hostCharacter(lo)}-${hostCharacter(hi)}`;
  }
  return `${text}]`;
}

/**
 * Returns whether the RegExp of JavaScript finds, for this expression, the same match and captures as the library, and
 * does not need exponential time.
 */
export function hostAgrees(node: Node): boolean {
  switch (node.op) {
    case "capture":
      return hostAgrees(node.sub);
    case "concat":
    case "alternate":
      return node.subs.every(hostAgrees);
    case "repeat": {
      const { sub, max } = node;
      if (!hostAgrees(sub)) return false;
      if (max === 0) return true;
      if (max === 1) return !nullable(sub) || isPlain(sub);
      return !nullable(sub) && setsAllCaptures(sub, true) && (max > 0 || isUnambiguous(sub));
    }
    default:
      return true;
  }
}

/**
 * Returns whether the body of a quantifier contains no capture groups, no alternatives and no lazy quantifiers. For
 * such a body, a repetition that matches the empty string gives the same result as no repetition.
 */
function isPlain(node: Node): boolean {
  switch (node.op) {
    case "capture":
    case "alternate":
      return false;
    case "concat":
      return node.subs.every(isPlain);
    case "repeat":
      return node.greedy && isPlain(node.sub);
    default:
      return true;
  }
}

/** Returns whether every match of a node of the syntax tree sets all captures inside the node. */
function setsAllCaptures(node: Node, always: boolean): boolean {
  switch (node.op) {
    case "capture":
      return always && setsAllCaptures(node.sub, always);
    case "concat":
      return node.subs.every((sub) => setsAllCaptures(sub, always));
    case "alternate":
      return node.subs.every((sub) => setsAllCaptures(sub, false));
    case "repeat":
      return setsAllCaptures(node.sub, always && node.min > 0);
    default:
      return true;
  }
}

/**
 * Returns true only if no string can be divided into repetitions of `body` in more than one way. `body` is the
 * body of a loop such as `(...)*`. When the function cannot decide this, it returns false, and the tests then do
 * not compare the expression with RegExp.
 */
function isUnambiguous(body: Node): boolean {
  return !intersects(first(body), tail(body)) && choicesDiffer(body);
}

function choicesDiffer(node: Node): boolean {
  switch (node.op) {
    case "capture":
    case "repeat":
      return choicesDiffer(node.sub);
    case "concat":
      return node.subs.every(choicesDiffer);
    case "alternate":
      return node.subs.every(
        (sub, i) =>
          choicesDiffer(sub) && node.subs.slice(i + 1).every((other) => !intersects(first(sub), first(other))),
      );
    default:
      return true;
  }
}

/** Returns the characters that a match of a syntax node can begin with, as unordered ranges. */
function first(node: Node): Ranges {
  switch (node.op) {
    case "class":
      return node.ranges;
    case "capture":
    case "repeat":
      return first(node.sub);
    case "alternate":
      return node.subs.flatMap(first);
    case "concat": {
      const stop = node.subs.findIndex((sub) => !nullable(sub));
      return (stop < 0 ? node.subs : node.subs.slice(0, stop + 1)).flatMap(first);
    }
    default:
      return [];
  }
}

/** Returns the characters by which a match of a syntax node can become longer: for `ab*`, the character `b`. */
function tail(node: Node): Ranges {
  switch (node.op) {
    case "capture":
      return tail(node.sub);
    case "repeat":
      return node.min === node.max ? tail(node.sub) : [...first(node.sub), ...tail(node.sub)];
    case "alternate":
      return node.subs.flatMap(tail);
    case "concat": {
      let stop = node.subs.length - 1;
      while (stop > 0 && nullable(node.subs[stop] as Node)) stop--;
      return node.subs.slice(stop).flatMap(tail);
    }
    default:
      return [];
  }
}

function intersects(a: Ranges, b: Ranges): boolean {
  for (let i = 0; i < a.length; i += 2)
    for (let j = 0; j < b.length; j += 2)
      if ((a[i] as number) <= (b[j + 1] as number) && (b[j] as number) <= (a[i + 1] as number)) return true;
  return false;
}
