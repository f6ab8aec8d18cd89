// Tries changed expressions on one line. The number of trials is limited, because each one compiles an expression.

import { Regex, type Span, simulation } from "../../regex/regex.ts";
import { expand } from "../expand.ts";
import type { GrokOptions } from "../grok.ts";
import { knownGroups } from "../known-groups.ts";
import { builtinPatterns, definePatterns } from "../load.ts";
import type { PatternSource } from "../patterns.ts";

/** Largest number of expressions that are compiled to explain one mismatch. */
export const mostTrials = 200;

/**
 * Matches flags such as `(?i)`. Such flags apply up to the end of the surrounding group, so they must not be put into a
 * group of their own.
 */
const FLAGS = /^\(\?[A-Za-z-]+\)$/;

export class Trials {
  readonly line: string;
  readonly patterns: PatternSource;
  private left = mostTrials;
  private readonly seen = new Map<string, readonly Span[] | null>();

  constructor(line: string, { patterns = builtinPatterns }: GrokOptions) {
    this.line = line;
    this.patterns =
      typeof patterns.lookup === "function"
        ? (patterns as PatternSource)
        : definePatterns(patterns as Readonly<Record<string, string>>);
  }

  /** Whether the limit of trials is reached, so that no more expressions are compiled. */
  get isSpent(): boolean {
    return this.left <= 0;
  }

  /**
   * Searches the line for a match of the expression whose parts are `sources`. Returns the range of the line that each
   * part matched; the range of an optional part that matched nothing is empty. Returns null when there is no match,
   * when the expression is invalid, or when the limit of trials is reached.
   */
  match(sources: readonly string[]): readonly Span[] | null {
    const key = sources.join("\0");
    const known = this.seen.get(key);
    if (known !== undefined) return known;
    if (this.isSpent) return null;
    this.left--;
    const spans = this.find(sources);
    this.seen.set(key, spans);
    return spans;
  }

  /**
   * Finds the largest number of leading parts of an expression that match the line together. Returns this number and
   * the range that each part matched.
   */
  longest(sources: readonly string[]): { readonly count: number; readonly spans: readonly Span[] } {
    let [low, high] = [0, sources.length];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.match(sources.slice(0, middle)) === null) high = middle - 1;
      else low = middle;
    }
    return { count: low, spans: this.match(sources.slice(0, low)) ?? [] };
  }

  private find(sources: readonly string[]): readonly Span[] | null {
    const wrapped = sources
      .map((source, at) => (FLAGS.test(source) ? source : `(?P<__element_${at}__>${source})`))
      .join("");
    try {
      const expansion = expand(wrapped, this.patterns);
      // The regular expression runs in the engine that simulates the automaton. An engine with state tables would be
      // slower, because building the tables does not pay off for a single line.
      const options = { namedOnly: true, known: knownGroups(expansion), engine: simulation };
      const match = Regex.compile(expansion.regex, "", options).find(this.line);
      if (match === null) return null;
      let end = match.start;
      return sources.map((_, at) => {
        const span = match.names[`__element_${at}__`] ?? ([end, end] as const);
        end = span[1];
        return span;
      });
    } catch {
      // An edited expression may be invalid. It then counts as an expression that does not match the line.
      return null;
    }
  }
}
