// The tree that a parsed expression becomes, and the error of one that cannot be parsed (docs/reference/grok.md#regular-expressions).

/** Code points as sorted, disjoint, inclusive ranges laid flat: lo, hi, lo, hi, ... */
export type Ranges = readonly number[];

/** Where a position must lie. `word` and `notWord` look at ASCII word characters only. */
export type Place = "textStart" | "textEnd" | "lineStart" | "lineEnd" | "word" | "notWord";

/** Leaves say where they stand in the source: UTF-16 indexes `[at, to)`. */
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
      /** -1: no bound. */
      readonly max: number;
      readonly greedy: boolean;
      readonly sub: Node;
      readonly height: number;
    };

/** `names[i]` is the name of group i, null for one without; group 0 is the whole match. */
export interface Parsed {
  readonly root: Node;
  readonly names: readonly (string | null)[];
}

/** A mistake in an expression; the message is complete: ``error parsing regexp: <reason>: `<fragment>` ``. */
export class RegexSyntaxError extends Error {
  /** RE2's reason, for example `missing closing ]`. */
  readonly reason: string;
  /** The part of the expression that RE2 quotes: for parentheses all of it. */
  readonly fragment: string;
  /** Where the mistake is: UTF-16 index into the expression. */
  readonly offset: number;

  constructor(reason: string, fragment: string, offset: number) {
    super(`error parsing regexp: ${reason}: \`${fragment}\``);
    this.name = "RegexSyntaxError";
    this.reason = reason;
    this.fragment = fragment;
    this.offset = offset;
  }
}
