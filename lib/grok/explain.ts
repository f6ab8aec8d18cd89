// Explains why a string does not match a grok expression: how far the match got, in which part of the expression
// it stopped, and what the expression expected there. For this purpose, each state of the automaton refers to
// the part of the expanded regex that it was made from, and the expansion records where each part was written.

import { bounded } from "../regex/automaton/size.ts";
import { encodeText } from "../regex/encoded-text.ts";
import { FurthestMatch } from "../regex/engines/furthest.ts";
import type { RegexMatch, Span } from "../regex/regex.ts";
import { parse } from "../regex/syntax/parse.ts";
import type { Leaf, Node } from "../regex/syntax/tree.ts";
import { quoteText as quote, quoteBytes } from "../text/quote.ts";
import { describeLeaf, listed } from "./describe.ts";
import type { Expansion, Reference } from "./patterns.ts";

/** The explanation of a match, or of the attempt to match that got furthest. */
export interface Explanation {
  readonly matched: boolean;
  /** Start of the match or attempt in the input: UTF-16 index for a string, byte offset for bytes. */
  readonly start: number;
  /** End of the match or attempt, directly before the text that did not match. */
  readonly at: number;
  /**
   * The characters and conditions that the expression expected at the offset `at`, where the match or attempt ended,
   * the most promising first. Empty for a match.
   */
  readonly expected: readonly Expectation[];
  /** The whole explanation as a sentence. */
  readonly message: string;
}

/** One thing that the expression expected next in the input. */
export interface Expectation {
  /** Description for people, such as `a digit`, `"GET"` or `the end of the text`. */
  readonly text: string;
  /**
   * The part of the grok expression that expects this text, in UTF-16 indexes: a reference, or regex outside of
   * references.
   */
  readonly span: Span;
  /**
   * Names of the patterns that contain the part of the expression at `span`, from the outermost to the innermost; empty
   * outside of references.
   */
  readonly path: readonly string[];
  /** The field that would capture the expected text; null when no field would. */
  readonly field: string | null;
}

/** Number of bytes of the input that a message shows before and after the position where matching stopped. */
const SHOWN = 24;

export class Explainer {
  private readonly expression: string;
  private readonly expansion: Expansion;
  private readonly furthest: FurthestMatch;
  private readonly literals: ReadonlyMap<Leaf, Literal>;

  constructor(expression: string, expansion: Expansion) {
    const { root } = bounded(parse(expansion.regex, { namedOnly: true }), expansion.regex);
    this.expression = expression;
    this.expansion = expansion;
    this.furthest = new FurthestMatch(root);
    this.literals = literalsOf(root, expansion.regex);
  }

  explain(input: string | Uint8Array, match: RegexMatch | null): Explanation {
    if (match !== null) {
      const { start, end } = match;
      return { matched: true, start, at: end, expected: [], message: `matches from ${start} to ${end}` };
    }
    const text = encodeText(input);
    const stop = this.furthest.find(text.bytes);
    const [start, at] = [text.outside(stop.start), text.outside(stop.at)];
    const expected = this.expectations(stop.leaves);
    const before = shown(text.bytes.subarray(stop.start, stop.at), true);
    const found = shown(text.bytes.subarray(stop.at), false);
    return { matched: false, start, at, expected, message: this.message(expected, at, before, found) };
  }

  private message(expected: readonly Expectation[], at: number, before: string, found: string): string {
    const [first] = expected;
    if (first === undefined) return "nothing can match this expression";
    const same = expected.filter((other) => samePlace(other, first));
    const after = before === "" ? "" : ` after ${before}`;
    return `expected ${listed(same.map(({ text }) => text))}${this.place(first)} at offset ${at}${after}, found ${found}`;
  }

  private place({ span, path, field }: Expectation): string {
    if (path.length === 0) return "";
    const inner = path.slice(1).map((name) => `%{${name}}`);
    return `${field === null ? "" : ` for ${field}`} in ${[this.expression.slice(...span), ...inner].join(" > ")}`;
  }

  private expectations(leaves: readonly Leaf[]): Expectation[] {
    const places = new Map<string, { readonly origin: Origin; readonly leaves: Leaf[] }>();
    for (const leaf of leaves) {
      const origin = originOf(this.expansion, leaf.at);
      const key = `${origin.own ?? ""} ${origin.chain.map(({ source }) => source[0]).join(" ")}`;
      const place = places.get(key);
      if (place === undefined) places.set(key, { origin, leaves: [leaf] });
      else place.leaves.push(leaf);
    }
    return [...places.values()].flatMap(({ origin, leaves: its }) => this.expectationsAt(origin, its));
  }

  /**
   * Returns the texts that the expression expects at one position. `leaves` contains the smallest parts of the
   * regex (characters, classes and assertions): either all that come from one reference, or a single part that is
   * written outside of references.
   */
  private expectationsAt({ chain, own }: Origin, leaves: readonly Leaf[]): Expectation[] {
    const texts = new Set(leaves.flatMap((leaf) => this.textsOf(leaf)));
    const path = chain.map(({ name }) => name);
    const field = chain.findLast((reference) => reference.field !== null)?.field ?? null;
    const [outermost] = chain;
    const many = outermost !== undefined && texts.size > MANY;
    return Array.from(many ? [`the beginning of %{${path.at(-1)}}`] : texts, (text) => ({
      text,
      span: outermost?.source ?? [own as number, (own as number) + this.lengthOf(leaves[0] as Leaf)],
      path,
      field,
    }));
  }

  private textsOf(leaf: Leaf): readonly string[] {
    const literal = this.literals.get(leaf);
    if (literal === undefined) return describeLeaf(leaf, this.expansion.regex);
    if (literal.index === 0) return [quote(literal.text)];
    const rest = literal.text.slice(literal.index);
    return [`${quote(rest)} of ${quote(literal.text)}`];
  }

  private lengthOf(leaf: Leaf): number {
    return (this.literals.get(leaf)?.to ?? leaf.to) - leaf.at;
  }
}

/**
 * Maximum number of different texts that a message lists as possible at the place where a reference, such as
 * `%{NUMBER}`, does not match. When there are more, the message says "the beginning of %{NUMBER}" instead.
 */
const MANY = 4;

interface Origin {
  /**
   * The references whose definitions contain a given character of the expanded regex, from the outermost to the
   * innermost; empty for a character that is written outside of references.
   */
  readonly chain: readonly Reference[];
  /**
   * UTF-16 index, in the grok expression as written, of a given character of the expanded regex; null when the
   * character comes from the definition of a reference.
   */
  readonly own: number | null;
}

/** Returns where the character at a UTF-16 offset of the expanded regex was written. */
function originOf(expansion: Expansion, place: number): Origin {
  const chain: Reference[] = [];
  let [within, at] = [expansion, place];
  for (;;) {
    const reference = within.references?.findLast(({ group }) => group[0] <= at);
    if (reference === undefined) return { chain, own: chain.length === 0 ? at : null };
    if (at >= reference.group[1])
      return { chain, own: chain.length === 0 ? at - reference.group[1] + reference.source[1] : null };
    chain.push(reference);
    at -= reference.body;
    within = reference.definition;
  }
}

/**
 * A character of the regex that matches only itself, such as `a`, together with the literal text that contains
 * it. A literal text consists of neighbouring characters of this kind.
 */
interface Literal {
  readonly text: string;
  /** UTF-16 index of the character within `text`, the literal text that contains it. */
  readonly index: number;
  /** UTF-16 index in the regex at which `text`, the literal text, ends. */
  readonly to: number;
}

function literalsOf(root: Node, regex: string): Map<Leaf, Literal> {
  const literals = new Map<Leaf, Literal>();
  function visit(node: Node): void {
    if (node.op === "capture" || node.op === "repeat") visit(node.sub);
    else if (node.op === "alternate") node.subs.forEach(visit);
    else if (node.op === "concat") runs(node.subs);
    else runs([node]);
  }
  function runs(nodes: readonly Node[]): void {
    let run: { readonly leaf: Leaf; readonly character: string }[] = [];
    const close = () => {
      const text = run.map(({ character }) => character).join("");
      const to = run.at(-1)?.leaf.to ?? 0;
      let index = 0;
      for (const { leaf, character } of run) {
        literals.set(leaf, { text, index, to });
        index += character.length;
      }
      run = [];
    };
    for (const node of nodes) {
      const character = node.op === "class" ? literalCharacter(node, regex) : null;
      if (node.op === "class" && character !== null) run.push({ leaf: node, character });
      else {
        close();
        if (node.op !== "class" && node.op !== "assert" && node.op !== "empty") visit(node);
      }
    }
    close();
  }
  visit(root);
  return literals;
}

/**
 * Returns the single character that a leaf (a part of the regex that matches one character) matches, as it is
 * written in the regex; with the flag `i`, the leaf matches this character in upper and lower case. Returns null
 * for a class of several characters.
 */
function literalCharacter(leaf: Leaf, regex: string): string | null {
  if (leaf.op !== "class") return null;
  const source = regex.slice(leaf.at, leaf.to);
  const [lo, hi] = leaf.ranges;
  if (source[0] === "[" || source === "." || /^\\[dDsSwWpP]/.test(source)) return null;
  if (source[0] !== "\\") return source;
  return lo === undefined || lo !== hi ? null : String.fromCodePoint(lo);
}

function samePlace(a: Expectation, b: Expectation): boolean {
  return a.span[0] === b.span[0] && a.path.join(" ") === b.path.join(" ");
}

/** Returns the bytes as text for a message; cuts off the beginning or the end of a long text. */
function shown(bytes: Uint8Array, atStart: boolean): string {
  if (bytes.length === 0) return atStart ? "" : "the end of the text";
  if (bytes.length <= SHOWN) return quoteBytes(bytes);
  // Moves the cut forward to the start of a UTF-8 character, so that no character is cut in two.
  let cut = atStart ? bytes.length - SHOWN : SHOWN;
  while (cut < bytes.length && ((bytes[cut] as number) & 0xc0) === 0x80) cut++;
  return atStart ? `...${quoteBytes(bytes.subarray(cut))}` : `${quoteBytes(bytes.subarray(0, cut))}...`;
}
