// Types of the parser that peggy generates from grammar.peggy.

import type { isKeyword } from "./keywords.ts";
import type { bytesText, durationNs, numberOf, stringText } from "./literals.ts";

export interface ParseOptions {
  readonly startRule: "Start" | "Conditions" | "Expr";
  readonly words: {
    readonly bytesText: typeof bytesText;
    readonly durationNs: typeof durationNs;
    readonly isKeyword: typeof isKeyword;
    readonly numberOf: typeof numberOf;
    readonly stringText: typeof stringText;
  };
}

/** Parses a statement. Throws SyntaxError at the furthest character that the parser reached. */
export function parse(source: string, options: ParseOptions): unknown;

export type Expectation =
  | { readonly type: "class"; readonly parts: readonly (string | readonly [string, string])[] }
  | { readonly type: "literal" | "any" | "end" | "other" };

declare class GrammarError extends Error {
  readonly location: { readonly start: { readonly offset: number } };
  readonly expected: readonly Expectation[];
}

export { GrammarError as SyntaxError };
