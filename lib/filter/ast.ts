// The syntax tree of a filter condition, as its author wrote it. The parser accepts any word as a key or a
// value; only the compiler of the tree checks whether the word is allowed there. So when a condition has both a
// misplaced word and a syntax error, the syntax error is reported.

import type { Float } from "../point/value.ts";
import type { Integer } from "../text/integer.ts";
import type { Offset } from "./token.ts";

export type Literal = string | Integer | Float | boolean | null;

/** The range of a syntax tree node in the condition, as UTF-16 offsets. */
export interface Place {
  readonly at: Offset;
  readonly end: Offset;
}

export type Operand = Place &
  (
    | { readonly kind: "literal"; readonly value: Literal }
    /** A word without quotes, a word in backquotes, or `identifier('...')`. */
    | { readonly kind: "name"; readonly name: string }
    /**
     * An expression such as `a.b`, `a-b` or `a + 1`. It parses, but it is neither a key nor a value, so compiling it
     * fails.
     */
    | { readonly kind: "compound" }
    /**
     * A regular expression `re('...')`. The range of the node covers only the string with its quotes, without `re(` and
     * `)`.
     */
    | { readonly kind: "regex"; readonly source: string }
  );

export type CompareOp = "=" | "!=" | "<" | "<=" | ">" | ">=";

export interface Pattern extends Place {
  readonly source: string;
}

/** The operator and the right side of a comparison, without its left side. */
export type Test =
  | { readonly op: CompareOp; readonly right: Operand }
  | { readonly op: "in" | "notin"; readonly items: readonly Operand[] }
  | { readonly op: "match" | "notmatch"; readonly wildcard: Pattern }
  | { readonly op: "match" | "notmatch"; readonly regexes: readonly Pattern[] };

export interface Comparison extends Place {
  readonly op: "compare";
  readonly left: Operand;
  readonly test: Test;
}

export type Expression = Comparison | { readonly op: "and" | "or"; readonly terms: readonly Expression[] };
