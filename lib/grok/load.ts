// Loads pattern definitions that may refer to each other in any order: the built-in patterns, and pattern files
// (docs/reference/grok.md#pattern-files).

import { parse } from "../regex/syntax/parse.ts";
import { RegexSyntaxError } from "../regex/syntax/tree.ts";
import { type OptionNames, requireOptions } from "../text/argument.ts";
import { shownText } from "../text/shown-text.ts";
import { LIBRARY_TEXT } from "./builtin-patterns.ts";
import { expand, GrokError, NAME, references, UnknownPattern, wrongReferences } from "./expand.ts";
import { knownGroups } from "./known-groups.ts";
import { fromLogstash } from "./logstash.ts";
import type { Expansion, PatternSource } from "./patterns.ts";

/** The patterns that can be used, and the definitions that were dropped because they cannot be used. */
export interface LoadedPatterns {
  readonly patterns: PatternSource;
  /** The dropped definitions: for each name, the reason. */
  readonly invalid: ReadonlyMap<string, string>;
}

/** Options of `loadPatternFiles`, which loads Logstash pattern files. */
export interface PatternFileOptions {
  /**
   * Whether `%{IP:[source][address]}` and `(?<[source][address]>...)` are read as the field `source.address`; default
   * false.
   */
  readonly ecs?: boolean;
}

const fileNames: OptionNames<PatternFileOptions> = { ecs: true };

/** A definition in a pattern file that was dropped, with the reason. */
export interface PatternProblem {
  readonly file: string;
  /** Line number in the pattern file, from 1. */
  readonly line: number;
  readonly name: string;
  readonly reason: string;
}

/** The patterns that were loaded from pattern files, and the definitions that were dropped. */
export interface LoadedPatternFiles {
  readonly patterns: PatternSource;
  /** The dropped definitions, in the order of the files and their lines. */
  readonly problems: readonly PatternProblem[];
  /**
   * For each file, the number of definitions with field names such as `[source][address]`. Without the option
   * `ecs`, such names are not field names, so the fields are not captured.
   */
  readonly ignoredFields: ReadonlyMap<string, number>;
}

/**
 * Parses a pattern file into names and definitions, one on each line. Skips empty lines, comments and lines without a
 * space.
 *
 * @example
 * parsePatternText("# comment\nA x+").get("A"); // "x+"
 */
export function parsePatternText(text: string): Map<string, string> {
  const definitions = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const space = line.indexOf(" ");
    if (space > 0 && !line.startsWith("#")) definitions.set(line.slice(0, space), line.slice(space + 1));
  }
  return definitions;
}

/**
 * Largest number of definitions in a chain of references; the limit is needed because each definition takes space on
 * the call stack.
 */
const MAX_NESTING = 500;
const tooDeep = `references nest more than ${MAX_NESTING} deep`;

/** A set of pattern definitions; each definition is expanded when it is first used. */
class Library implements PatternSource {
  readonly ecs: boolean;
  private readonly definitions: ReadonlyMap<string, string>;
  /**
   * The source that provides the patterns that this set does not define; null when there are no patterns besides this
   * set.
   */
  private readonly base: PatternSource | null;
  private readonly expanded = new Map<string, Expansion>();
  private readonly visiting: string[] = [];

  constructor(definitions: ReadonlyMap<string, string>, base: PatternSource | null, ecs = false) {
    this.definitions = definitions;
    this.base = base;
    this.ecs = ecs;
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
    if (this.visiting.length === MAX_NESTING) throw new GrokError(tooDeep);
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

/** The built-in definitions by name, before their references are expanded. */
export const builtinDefinitions: ReadonlyMap<string, string> = parsePatternText(LIBRARY_TEXT);

/** The built-in patterns as a source of patterns. */
export const builtinPatterns: PatternSource = new Library(builtinDefinitions, null);

/**
 * Makes a source of patterns from the given definitions and the built-in patterns. A given definition takes precedence
 * over a built-in pattern with the same name. An invalid definition throws GrokError when an expression uses it.
 *
 * @example
 * const patterns = definePatterns({ PLATE: "[A-Z]+-\\d+" });
 * Grok.compile("%{PLATE:plate}", { patterns }).match("AB-12"); // { plate: "AB-12" }
 */
export function definePatterns(definitions: Readonly<Record<string, string>>): PatternSource {
  return new Library(new Map(Object.entries(definitions)), builtinPatterns);
}

/**
 * Loads definitions and drops each one that cannot be used; built-in patterns take precedence over definitions with the
 * same name.
 *
 * @example
 * loadPatterns(new Map([["A", "%{B}"]])).invalid.has("A"); // true
 */
export function loadPatterns(definitions: ReadonlyMap<string, string>): LoadedPatterns {
  const left = new Map(definitions);
  for (const name of builtinDefinitions.keys()) left.delete(name);
  return usable(left, false);
}

/**
 * Loads pattern files as Logstash does: `files` holds the content of each file by file name, in Oniguruma's syntax,
 * where `.` also matches line breaks. The definitions take precedence over built-in patterns with the same name; when a
 * name is defined twice, the last definition counts. Each definition that cannot be used is dropped and listed in
 * `problems`.
 *
 * With `loadPatternFiles({ "app.grok": "PLATE [A-Z]++-\\d+" }).patterns`, an expression can use the pattern:
 * `Grok.compile("%{PLATE:plate}", { patterns })`.
 *
 * @example
 * loadPatternFiles({ "a.grok": "A (?=x)" }).problems[0]?.line; // 1
 */
export function loadPatternFiles(
  files: Readonly<Record<string, string>>,
  options: PatternFileOptions = {},
): LoadedPatternFiles {
  requireOptions("loadPatternFiles", options, fileNames);
  const { ecs = false } = options;
  const definitions = new Map<string, string>();
  const places = new Map<string, Omit<PatternProblem, "reason">>();
  const problems: PatternProblem[] = [];
  const ignoredFields = new Map<string, number>();
  for (const [file, text] of Object.entries(files)) {
    for (const { line, name, definition } of definitionLines(text)) {
      const place = { file, line, name };
      try {
        if (!NAME.test(name)) throw new GrokError("a name has letters, digits and _, with . or - between them");
        const translated = fromLogstash(definition);
        definitions.set(name, translated);
        places.set(name, place);
        if (!ecs && wrongReferences(translated, ecs).some((each) => /:\[[^\][]+\]/.test(each.text)))
          ignoredFields.set(file, (ignoredFields.get(file) ?? 0) + 1);
      } catch (error) {
        problems.push({ ...place, reason: reasonOf(error) });
      }
    }
  }
  const { patterns, invalid } = usable(definitions, ecs);
  for (const [name, reason] of invalid) problems.push({ ...(places.get(name) as PatternProblem), reason });
  const order = new Map(Object.keys(files).map((file, at) => [file, at]));
  problems.sort((a, b) => (order.get(a.file) ?? 0) - (order.get(b.file) ?? 0) || a.line - b.line);
  return { patterns, problems, ignoredFields };
}

/**
 * Returns one warning for each file that has field names such as `[source][address]` although it was loaded without the
 * option `ecs` (Elastic Common Schema). Without this option, such a name is plain text of the pattern and no field is
 * captured. A warning is a sentence such as `httpd: 3 definitions name fields as [source][address]; without ...`.
 *
 * @example
 * ignoredFieldsTexts(loadPatternFiles({ "a.grok": "A x" })); // []
 */
export function ignoredFieldsTexts({ ignoredFields }: LoadedPatternFiles): string[] {
  return Array.from(ignoredFields, ([file, count]) => {
    const name = count === 1 ? "1 definition names" : `${count} definitions name`;
    return shownText(`${file}: ${name} fields as [source][address]; ${withoutEcs}`);
  });
}

const withoutEcs = "without --ecs (pipeline.ecs_patterns of the agent) that is plain text";

/**
 * Returns a problem as one line, such as `httpd.grok:12: pattern HTTPDUSER: lookahead is not supported: ...`.
 *
 * @example
 * patternProblemText({ file: "a.grok", line: 1, name: "A", reason: "bad" }); // "a.grok:1: pattern A: bad"
 */
export function patternProblemText({ file, line, name, reason }: PatternProblem): string {
  return shownText(`${file}:${line}: pattern ${name}: ${reason}`);
}

/** Yields the lines of a pattern file that define a pattern: a name, white space, the definition. */
function* definitionLines(text: string): Iterable<{ line: number; name: string; definition: string }> {
  for (const [index, content] of text.split(/\r?\n/).entries()) {
    const [, name, definition] = /^\s*([^\s#]\S*)\s+(.*)$/.exec(content) ?? [];
    if (name !== undefined && definition !== undefined) yield { line: index + 1, name, definition };
  }
}

/**
 * Separates the definitions that can be used from the invalid ones. Returns both, and for each invalid
 * definition the reason.
 */
function usable(definitions: ReadonlyMap<string, string>, ecs: boolean): LoadedPatterns {
  const left = new Map(definitions);
  const invalid = new Map<string, string>();
  const order = inOrder(definitions, ecs);
  for (const [name, depth] of order) if (depth > MAX_NESTING) invalid.set(name, tooDeep);
  for (const name of invalid.keys()) left.delete(name);
  for (;;) {
    const library = new Library(left, builtinPatterns, ecs);
    const dropped = invalid.size;
    for (const name of order.keys()) {
      const reason = left.has(name) ? fault(name, library) : null;
      if (reason !== null) invalid.set(name, reason);
    }
    if (invalid.size === dropped) return { patterns: library, invalid };
    for (const name of invalid.keys()) left.delete(name);
  }
}

/**
 * Sorts pattern names so that each name comes after the names that its definition refers to. Returns a map from each
 * name to the length of its longest chain of references. The order of names that refer to each other in a circle is not
 * defined.
 */
function inOrder(definitions: ReadonlyMap<string, string>, ecs: boolean): ReadonlyMap<string, number> {
  const order = new Map<string, number>();
  const entered = new Set<string>();
  for (const first of definitions.keys()) {
    for (const stack = [first]; stack.length > 0; ) {
      const name = stack.at(-1) as string;
      const needs = references(definitions.get(name) as string, ecs).filter((each) => definitions.has(each));
      const left = entered.has(name) ? [] : needs.filter((each) => !entered.has(each));
      entered.add(name);
      stack.push(...left);
      if (left.length > 0) continue;
      stack.pop();
      if (!order.has(name)) order.set(name, 1 + Math.max(0, ...needs.map((each) => order.get(each) ?? 0)));
    }
  }
  return order;
}

function fault(name: string, library: Library): string | null {
  try {
    const expansion = library.lookup(name);
    if (expansion === undefined) throw new UnknownPattern(name);
    parse(expansion.regex, { namedOnly: true, known: knownGroups(expansion) });
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}

/** Returns the message of an error in a pattern definition; throws every other error again. */
function reasonOf(error: unknown): string {
  if (error instanceof GrokError || error instanceof RegexSyntaxError) return error.message;
  throw error;
}
