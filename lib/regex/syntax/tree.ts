// The tree of a parsed expression, and the error for an expression that cannot be parsed (docs/reference/grok.md#regular-expressions).

/** Code points as sorted, disjoint, inclusive ranges in a flat list: lo, hi, lo, hi, ... */
export type Ranges = readonly number[];

/** A condition on a position. `word` and `notWord` only see ASCII word characters. */
export type Place = "textStart" | "textEnd" | "lineStart" | "lineEnd" | "word" | "notWord";

/** A leaf of the tree, with its place in the source: UTF-16 indexes `[at, to)`. */
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
      /** Largest count; -1 means no bound. */
      readonly max: number;
      readonly greedy: boolean;
      readonly sub: Node;
      readonly height: number;
    };

/** A parsed expression. `names[i]` is the name of group i, null for a group without a name; group 0 is the whole match. */
export interface Parsed {
  readonly root: Node;
  readonly names: readonly (string | null)[];
}

/** An error in an expression. The message is complete: ``error parsing regexp: <reason>: `<fragment>` ``. */
export class RegexSyntaxError extends Error {
  /** RE2's reason, for example `missing closing ]`. */
  readonly reason: string;
  /** The part of the expression that RE2 quotes; for parentheses this is the whole expression. */
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
