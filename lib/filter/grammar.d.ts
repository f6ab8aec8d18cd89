// The types of the parser that peggy makes from grammar.peggy.

import type { Expression } from "./ast.ts";
import type { Tree } from "./tree.ts";

/** Parses letters. Throws SyntaxError at the furthest letter that the parser reached. */
export function parse(letters: string, options: { readonly tree: Tree }): Expression;

declare class GrammarError extends Error {
  readonly location: { readonly start: { readonly offset: number } };
}

export { GrammarError as SyntaxError };
