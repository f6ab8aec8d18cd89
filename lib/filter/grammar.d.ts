// Types of the parser that peggy generates from grammar.peggy.

import type { Expression } from "./ast.ts";
import type { Tree } from "./tree.ts";

/**
 * Parses a string that has one character for each token (token.ts). Throws SyntaxError at the furthest character that
 * the parser reached.
 */
export function parse(letters: string, options: { readonly tree: Tree }): Expression;

declare class GrammarError extends Error {
  readonly location: { readonly start: { readonly offset: number } };
}

export { GrammarError as SyntaxError };
