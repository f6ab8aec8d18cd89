// Converts tokens to letters (one character for each kind of token) and replaces each bracket, together with its
// content, by a single letter (see token.ts). There is no recursion, so only memory limits the depth of brackets.

import type { Letter, Token } from "./token.ts";

/**
 * The tokens of a bracket's content and of its closing bracket, or of the whole script, as a string with one letter for
 * each token.
 */
export interface Group {
  /**
   * One letter for each token after the opening bracket, up to and including the closing bracket; for the whole script,
   * one letter for each token. An inner bracket, together with its content, is a single letter. For example, the group
   * of the round bracket in `f(a, [1, 2])` has the letters `i,B)`.
   */
  letters: string;
  /**
   * For each letter of `letters`, the index in the script of the token that belongs to the letter; for an inner
   * bracket, the index of its opening token. One more element follows: the index of the token after the last token
   * of the group.
   */
  readonly tokens: number[];
  readonly opener: Letter;
  depth: number;
}

export interface Groups {
  readonly script: Group;
  /** The contents of all brackets of the script, by the index of the token that opens the bracket. */
  readonly inner: ReadonlyMap<number, Group>;
}

const closers: Readonly<Record<Letter, Letter>> = { "(": ")", "[": "]", "{": "}" };
const folded: Readonly<Record<Letter, Letter>> = { "(": "P", "[": "B", "{": "C" };

/**
 * Replaces each bracket, together with its content, by a single letter. Stops at the first closing bracket that does
 * not match, because no valid script continues from there.
 */
export function foldBrackets(tokens: readonly Token[]): Groups {
  const script: Group = { letters: "", tokens: [], opener: "", depth: 0 };
  const inner = new Map<number, Group>();
  const open: Group[] = [script];
  let at = 0;
  for (; at < tokens.length; at++) {
    const { letter } = tokens[at]!;
    const top = open.at(-1)!;
    if (closers[letter] !== undefined) {
      const group: Group = { letters: "", tokens: [], opener: letter, depth: open.length };
      inner.set(at, group);
      top.tokens.push(at);
      open.push(group);
      continue;
    }
    top.letters += letter;
    top.tokens.push(at);
    if (letter !== ")" && letter !== "]" && letter !== "}") continue;
    if (closers[top.opener] !== letter) {
      at++;
      break;
    }
    close(open, at + 1);
  }
  while (open.length > 1) close(open, at);
  script.tokens.push(at);
  return { script, inner };
}

function close(open: Group[], next: number): void {
  const group = open.pop()!;
  group.tokens.push(next);
  const isSlice = group.opener === "[" && group.letters.includes(":");
  open.at(-1)!.letters += isSlice ? "S" : folded[group.opener]!;
}
