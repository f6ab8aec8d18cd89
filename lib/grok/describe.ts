// Describes the parts of a regular expression in words for messages: which characters a class or an assertion expects.

import { negate } from "../regex/syntax/char-class.ts";
import type { Leaf, Place, Ranges } from "../regex/syntax/tree.ts";
import { quoteText as quote } from "../text/quote.ts";

const PLACES: Readonly<Record<Place, string>> = {
  textStart: "the start of the text",
  textEnd: "the end of the text",
  lineStart: "the start of a line",
  lineEnd: "the end of a line",
  word: "the edge of a word",
  notWord: "no edge of a word",
};

const CLASSES: ReadonlyMap<string, string> = new Map([
  ["30-39", "a digit"],
  ["31-39", "a digit from 1 to 9"],
  ["41-5a", "a capital letter"],
  ["61-7a", "a small letter"],
  ["41-5a 61-7a", "a letter"],
  ["30-39 41-5a 61-7a", "a letter or digit"],
  ["30-39 41-46 61-66", "a hexadecimal digit"],
  ["30-39 41-5a 5f-5f 61-7a", "a letter, digit or _"],
  ["0-2f 3a-40 5b-5e 60-60 7b-10ffff", "neither letter, digit nor _"],
  ["9-a c-d 20-20", "white space"],
  ["0-8 b-b e-1f 21-10ffff", "anything but white space"],
  ["0-2f 3a-10ffff", "anything but a digit"],
  ["0-10ffff", "any character"],
  ["0-9 b-10ffff", "any character but a line break"],
]);

/** Largest number of characters of a character class that a message lists one by one. */
const FEW = 6;

/**
 * Returns one or more descriptions of what a leaf (a character, class or assertion) expects; `source` is the expression
 * that contains the leaf.
 */
export function describeLeaf(leaf: Leaf, source: string): readonly string[] {
  if (leaf.op === "assert") return [PLACES[leaf.place]];
  const known = CLASSES.get(keyOf(leaf.ranges));
  if (known !== undefined) return [known];
  const few = characters(leaf.ranges);
  if (few !== null) return few.length === 0 ? ["nothing at all"] : few;
  const excluded = characters(negate(leaf.ranges));
  return [excluded === null ? `one of ${source.slice(leaf.at, leaf.to)}` : `anything but ${listed(excluded)}`];
}

function keyOf(ranges: Ranges): string {
  const parts: string[] = [];
  for (let i = 0; i < ranges.length; i += 2)
    parts.push(`${(ranges[i] as number).toString(16)}-${(ranges[i + 1] as number).toString(16)}`);
  return parts.join(" ");
}

/** Returns the characters of a small character set; null for a larger set. */
function characters(ranges: Ranges): string[] | null {
  const result: string[] = [];
  for (let i = 0; i < ranges.length; i += 2) {
    const [lo, hi] = [ranges[i] as number, ranges[i + 1] as number];
    if (result.length + hi - lo + 1 > FEW) return null;
    for (let code = lo; code <= hi; code++) result.push(quote(String.fromCodePoint(code)));
  }
  return result;
}

/** Joins words to a list in English: `a`, `a or b`, or `a, b or c`. */
export function listed(words: readonly string[]): string {
  return words.length === 1 ? (words[0] as string) : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
