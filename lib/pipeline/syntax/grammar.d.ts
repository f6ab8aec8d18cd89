// The shape of the parser that peggy makes of grammar.peggy.

import type { Tree } from "./tree.ts";

/** Parses letters from `Start`; throws SyntaxError at the furthest letter that could be reached. */
export function parse(letters: string, options: { readonly tree: Tree }): unknown;

declare class GrammarError extends Error {
  readonly location: { readonly start: { readonly offset: number } };
}

export { GrammarError as SyntaxError };
