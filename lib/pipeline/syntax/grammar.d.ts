// The types of the parser that the tool peggy generates from grammar.peggy.

import type { Tree } from "./tree.ts";

/**
 * Parses letters (one character for each token) by the start rule `Start`. Throws SyntaxError at the furthest letter
 * that the parser reached.
 */
export function parse(letters: string, options: { readonly tree: Tree }): unknown;

declare class GrammarError extends Error {
  readonly location: { readonly start: { readonly offset: number } };
}

export { GrammarError as SyntaxError };
