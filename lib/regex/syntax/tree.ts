// The syntax tree of a regular expression, and the error for an invalid expression
// (docs/reference/grok.md#regular-expressions).

/** A set of code points as a flat list of sorted, disjoint, inclusive ranges: lo, hi, lo, hi, ... */
export type Ranges = readonly number[];

/**
 * An assertion: a condition on a position. `word` is `\b` and `notWord` is `\B`; for them only ASCII letters, digits
 * and the underscore belong to words.
 */
export type Place = "textStart" | "textEnd" | "lineStart" | "lineEnd" | "word" | "notWord";

/** A leaf of the tree, with its position in the source: UTF-16 indexes `[at, to)`. */
export type Leaf =
  | {
      readonly op: "class";
      readonly ranges: Ranges;
      readonly height: number;
      readonly at: number;
      readonly to: number;
    }
  | {
      readonly op: "assert";
      readonly place: Place;
      readonly height: number;
      readonly at: number;
      readonly to: number;
    };

export type Node =
  | { readonly op: "empty"; readonly height: number }
  | Leaf
  | { readonly op: "capture"; readonly index: number; readonly sub: Node; readonly height: number }
  | { readonly op: "concat"; readonly subs: readonly Node[]; readonly height: number }
  | { readonly op: "alternate"; readonly subs: readonly Node[]; readonly height: number }
  | {
      readonly op: "repeat";
      readonly min: number;
      /** Largest number of repetitions; -1 means no limit. */
      readonly max: number;
      readonly greedy: boolean;
      readonly sub: Node;
      readonly height: number;
    };

/**
 * A parsed expression. `names[i]` is the name of group i, or null for a group without a name; group 0 is the whole
 * match.
 */
export interface Parsed {
  readonly root: Node;
  readonly names: readonly (string | null)[];
}

/** A syntax error in an expression. The message is complete: ``error parsing regexp: <reason>: `<fragment>` ``. */
export class RegexSyntaxError extends Error {
  /** RE2's message about the error, for example `missing closing ]`. */
  readonly reason: string;
  /**
   * The part of the expression that the message quotes; for an error about parentheses this is the whole expression.
   */
  readonly fragment: string;
  /** UTF-16 index of the error in the expression. */
  readonly offset: number;

  constructor(reason: string, fragment: string, offset: number) {
    super(`error parsing regexp: ${reason}: \`${fragment}\``);
    this.name = "RegexSyntaxError";
    this.reason = reason;
    this.fragment = fragment;
    this.offset = offset;
  }
}
