// The syntax tree of a condition, as it was written. Compiling the tree checks that keys are keys and values are
// values, so that a syntax error anywhere is reported first.

import type { Float } from "../point/value.ts";
import type { Integer } from "../text/integer.ts";
import type { Offset } from "./token.ts";

export type Literal = string | Integer | Float | boolean | null;

/** The UTF-16 range of a node in the text. */
export interface Place {
  readonly at: Offset;
  readonly end: Offset;
}

export type Operand = Place &
  (
    | { readonly kind: "literal"; readonly value: Literal }
    /** A bare word, a backquoted word, or `identifier('...')`. */
    | { readonly kind: "name"; readonly name: string }
    /** An expression such as `a.b`, `a-b` or `a + 1`, which is neither a key nor a value. */
    | { readonly kind: "compound" }
    /** A regular expression `re('...')`; `at` is the offset of the expression. */
    | { readonly kind: "regex"; readonly source: string }
  );

export type CompareOp = "=" | "!=" | "<" | "<=" | ">" | ">=";

export interface Pattern extends Place {
  readonly source: string;
}

/** The part of a comparison behind its left side. */
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
