// Tries expressions on one line, a bounded number of times.

import { Regex, type Span, simulation } from "../../regex/regex.ts";
import { expand } from "../expand.ts";
import type { GrokOptions } from "../grok.ts";
import { knownGroups } from "../known-groups.ts";
import { builtinPatterns, definePatterns } from "../load.ts";
import type { PatternSource } from "../patterns.ts";

/** Largest number of expressions that are compiled for one answer. */
export const mostTrials = 200;

/** Flags hold up to the end of the group that they stand in, so they get no group. */
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

  /** Whether no more expressions are compiled. */
  get isSpent(): boolean {
    return this.left <= 0;
  }

  /**
   * Returns the text of each source when the line has a match of all of them behind each other; null when it has none,
   * or when an expression is wrong, or when the trials are spent. A source that took no part has an empty text.
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

  /** Returns the largest number of sources from the start that match, and their texts. */
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
      // A search of one line is too short to make up for tables.
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
      // A change may be no valid expression, for example when it removes the only alternative.
      return null;
    }
  }
}
