// Loads definitions that may refer to each other in any order: the built-in library and pattern files
// (grok document, sections 1.3 and 4).

import { parse } from "../regex/syntax/parse.ts";
import { RegexSyntaxError } from "../regex/syntax/tree.ts";
import { expand, GrokError, UnknownPattern } from "./expand.ts";
import { LIBRARY_TEXT } from "./library.ts";
import type { Expansion, PatternSource } from "./patterns.ts";

export interface LoadedPatterns {
  readonly patterns: PatternSource;
  /** Name to reason, of the definitions that were dropped. */
  readonly invalid: ReadonlyMap<string, string>;
}

/** Name and definition of each line; empty lines, comments and lines without a space are skipped. */
export function parsePatternText(text: string): Map<string, string> {
  const definitions = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const space = line.indexOf(" ");
    if (space > 0 && !line.startsWith("#")) definitions.set(line.slice(0, space), line.slice(space + 1));
  }
  return definitions;
}

/** Expands a definition when it is asked for first. */
class Library implements PatternSource {
  private readonly definitions: ReadonlyMap<string, string>;
  /** What knows the names that are not defined here. */
  private readonly base: PatternSource | null;
  private readonly expanded = new Map<string, Expansion>();
  private readonly visiting: string[] = [];

  constructor(definitions: ReadonlyMap<string, string>, base: PatternSource | null) {
    this.definitions = definitions;
    this.base = base;
  }

  *names(): Iterable<string> {
    yield* this.definitions.keys();
    yield* this.base?.names?.() ?? [];
  }

  lookup(name: string): Expansion | undefined {
    const known = this.expanded.get(name);
    if (known !== undefined) return known;
    const definition = this.definitions.get(name);
    if (definition === undefined) return this.base?.lookup(name);
    if (this.visiting.includes(name))
      throw new GrokError(`circular dependency: pattern ${[...this.visiting, name].join(" -> ")}`);
    this.visiting.push(name);
    try {
      const expansion = expand(definition, this);
      this.expanded.set(name, expansion);
      return expansion;
    } finally {
      this.visiting.pop();
    }
  }
}

/** The built-in definitions as written, by name. */
export const builtinDefinitions: ReadonlyMap<string, string> = parsePatternText(LIBRARY_TEXT);

/** The built-in patterns. */
export const builtinPatterns: PatternSource = new Library(builtinDefinitions, null);

/** Definitions over the built-in patterns: they win over equal names, and fail when an expression uses one that is bad. */
export function definePatterns(definitions: Readonly<Record<string, string>>): PatternSource {
  return new Library(new Map(Object.entries(definitions)), builtinPatterns);
}

/** Definitions that cannot be used are dropped one by one; the built-in names win over those given. */
export function loadPatterns(definitions: ReadonlyMap<string, string>): LoadedPatterns {
  const left = new Map(definitions);
  for (const name of builtinDefinitions.keys()) left.delete(name);
  const invalid = new Map<string, string>();
  for (;;) {
    const library = new Library(left, builtinPatterns);
    const dropped = invalid.size;
    for (const name of definitions.keys()) {
      if (!left.has(name)) continue;
      const reason = fault(name, library);
      if (reason !== null) invalid.set(name, reason);
    }
    if (invalid.size === dropped) return { patterns: library, invalid };
    for (const name of invalid.keys()) left.delete(name);
  }
}

function fault(name: string, library: Library): string | null {
  try {
    const expansion = library.lookup(name);
    if (expansion === undefined) throw new UnknownPattern(name);
    parse(expansion.regex);
    return null;
  } catch (error) {
    if (error instanceof GrokError || error instanceof RegexSyntaxError) return error.message;
    throw error;
  }
}
