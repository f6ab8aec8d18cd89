// The syntax tree of a condition, as it was written: that keys are keys and values are values is checked when it is
// compiled, so that a mistake of syntax anywhere is reported before.

import type { Float, Integer } from "../point/value.ts";
import type { Offset } from "./token.ts";

export type Literal = string | Integer | Float | boolean | null;

/** Where something stands in the text. */
export interface Place {
  readonly at: Offset;
  readonly end: Offset;
}

export type Operand = Place &
  (
    | { readonly kind: "literal"; readonly value: Literal }
    /** A bare word, a backquoted one, or `identifier('...')`. */
    | { readonly kind: "name"; readonly name: string }
    /** `a.b`, `a-b`, `a + 1`: neither a key nor a value. */
    | { readonly kind: "compound" }
    /** `re('...')`; `at` is that of the expression. */
    | { readonly kind: "regex"; readonly source: string }
  );

export type CompareOp = "=" | "!=" | "<" | "<=" | ">" | ">=";

export interface Pattern extends Place {
  readonly source: string;
}

/** What follows the left side of a comparison. */
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
