// Explains why a line does not match a grok expression: how far the match got, which element failed, and which
// text the line has there. `Grok.explain` finds the position of the failure and the expected characters; this
// folder finds the failed element and proposes changes of the expression.

import type { Span } from "../../regex/regex.ts";
import { type OptionNames, requireOptions } from "../../text/argument.ts";
import { quoteText } from "../../text/quote.ts";
import type { Explanation } from "../explain.ts";
import { Grok, type GrokOptions } from "../grok.ts";
import type { PatternSource } from "../patterns.ts";
import { describePattern } from "./describe-pattern.ts";
import { type Element, elementsOf } from "./elements.ts";
import { type Change, findChanges } from "./search.ts";
import { Trials } from "./trials.ts";

export type { Change } from "./search.ts";

/** Longest line, in UTF-16 units, for which changes are searched. */
export const longestLine = 16_384;

/** One element of the expression, and the text that it matched. */
export interface ElementMatch {
  /** Range of the element in the expression, in UTF-16 indexes. */
  readonly span: Span;
  /**
   * Range of the line that the element matched, in UTF-16 indexes; null for the failed element and all elements after
   * it.
   */
  readonly text: Span | null;
}

/** The explanation why a line does not match a grok expression. */
export interface Mismatch {
  /** The elements of the expression, from left to right. */
  readonly elements: readonly ElementMatch[];
  /** Range of the line that all elements before the failed one match together, in UTF-16 indexes. */
  readonly matched: Span;
  /** The element that failed. All elements before it match the line. */
  readonly failed: {
    /** Index of the failed element in `elements`. */
    readonly element: number;
    readonly span: Span;
    readonly source: string;
    /**
     * Name of the pattern and name of the field of a reference `%{pattern:field}`. `field` is null when the
     * reference names no field. Both are null when the element is not a reference.
     */
    readonly pattern: string | null;
    readonly field: string | null;
    /** A description of the texts that the element matches, such as `a whole number`. */
    readonly text: string;
  };
  /**
   * UTF-16 index in the line of the first character that did not match. The failed element may have matched some text
   * before this character.
   */
  readonly at: number;
  /**
   * The text of the line from `at` up to the next white space, at most 60 UTF-16 units; empty at the end of the line.
   */
  readonly found: string;
  /** The result of `Grok.explain`, which lists everything that the expression expected. */
  readonly explanation: Explanation;
  /** Changes of the expression that make it match the line, the change with the fewest edits first. */
  readonly changes: readonly Change[];
  /** The whole explanation as a sentence. */
  readonly message: string;
}

/** Options of `explainMismatch`, which explains why a line does not match. */
export interface MismatchOptions extends GrokOptions {
  /** Largest number of changes that are proposed; default 6. */
  readonly changes?: number;
}

const mismatchNames: OptionNames<MismatchOptions> = { patterns: true, engine: true, changes: true };

const grokOptions = ({ patterns, engine }: MismatchOptions): GrokOptions => ({ patterns, engine });

/**
 * Explains why a line does not match an expression, and proposes changes of the expression. Each proposed expression
 * was run and matches the line. Returns null when the line matches. Throws GrokError and RegexSyntaxError as
 * `Grok.compile` does. No changes are proposed for a line longer than `longestLine`.
 *
 * @example
 * const why = explainMismatch('%{INT:status:int} %{INT:bytes:int}$', "200 -");
 * why?.failed.text; // "a whole number"
 * why?.found; // "-"
 * why?.changes[0]?.expression; // "%{INT:status:int} (?:%{INT:bytes:int}|-)$"
 */
export function explainMismatch(expression: string, line: string, options: MismatchOptions = {}): Mismatch | null {
  requireOptions("explainMismatch", options, mismatchNames);
  const explanation = Grok.compile(expression, grokOptions(options)).explain(line);
  if (explanation.matched) return null;
  return mismatchOf(expression, explanation, line, options, 0);
}

function mismatchOf(
  expression: string,
  explanation: Explanation,
  line: string,
  options: MismatchOptions,
  depth: number,
): Mismatch {
  const elements = elementsOf(expression);
  const trials = new Trials(line, options);
  const longest = trials.longest(elements.map(({ source }) => source));
  const count = Math.min(longest.count, elements.length - 1);
  const spans = longest.spans.slice(0, count);
  const element = elements[count] as Element;
  const start = spans[0]?.[0] ?? explanation.start;
  const end = spans.at(-1)?.[1] ?? start;
  const { reference } = element;
  const inner = depth < 3 ? unfolded(element, trials.patterns) : null;
  const opened = inner === null ? null : within(expression, element, inner, line, options, depth);
  const at = opened?.at ?? placeOf(explanation, element, end);
  const found = /^\s*\S{0,60}/.exec(line.slice(at))?.[0].slice(0, 60) ?? "";
  const text = opened?.failed.text ?? textOf(element, explanation);
  const changes =
    opened?.changes ??
    (line.length > longestLine ? [] : findChanges(elements, count, spans, start, trials, options.changes ?? 6));
  return {
    elements: elements.map((each, index) => ({ span: spanOf(each), text: spans[index] ?? null })),
    matched: [start, end],
    failed: {
      element: count,
      span: spanOf(element),
      source: element.source,
      pattern: reference?.name ?? null,
      field: reference?.field ?? null,
      text,
    },
    at,
    found,
    explanation,
    changes,
    message: opened?.message ?? messageOf(element, text, found, changes),
  };
}

/**
 * Explains the mismatch inside a reference whose definition captures fields: puts the definition in place of the
 * reference and explains the resulting expression. The proposed changes then replace the reference by the changed
 * definition.
 */
function within(
  expression: string,
  element: Element,
  definition: string,
  line: string,
  options: MismatchOptions,
  depth: number,
): Mismatch | null {
  const [from, to] = spanOf(element);
  const whole = expression.slice(0, from) + definition + expression.slice(to);
  const explanation = Grok.compile(whole, grokOptions(options)).explain(line);
  if (explanation.matched) return null;
  const inner = mismatchOf(whole, explanation, line, options, depth + 1);
  const changes = inner.changes.map((change) => ({
    ...change,
    span: [from, to] as const,
    to: change.expression.slice(from, change.expression.length - (expression.length - to)),
    text: `write out ${element.source}; ${change.text}`,
  }));
  return { ...inner, changes };
}

/**
 * Returns the definition of the element's pattern when the element is a reference that names no field (`%{NAME}`) and
 * the definition captures fields; null for every other element.
 */
function unfolded({ reference }: Element, patterns: PatternSource): string | null {
  if (reference === null || reference.field !== null) return null;
  const definition = patterns.lookup(reference.name);
  if (definition === undefined || !/\(\?P?</.test(definition.regex)) return null;
  let source = "";
  let copied = 0;
  for (const { name, field, group } of definition.references ?? []) {
    const type = field === null ? undefined : definition.types.get(field);
    const typed = type === undefined || type === "string" ? "" : `:${type}`;
    source += `${definition.regex.slice(copied, group[0])}%{${name}${field === null ? "" : `:${field}${typed}`}}`;
    copied = group[1];
  }
  return source + definition.regex.slice(copied);
}

function spanOf({ start, source }: Element): Span {
  return [start, start + source.length];
}

/**
 * Returns the index in the line of the first text that did not match. For a literal, white space or an anchor, this is
 * the exact index that `Grok.explain` found. For every other element, it is the end of the text that the previous
 * element matched; a message then shows the whole text that the element should have matched.
 */
function placeOf({ at, expected: [first] }: Explanation, element: Element, end: number): number {
  const [from, to] = spanOf(element);
  const isInside = first !== undefined && first.span[0] >= from && first.span[0] < to;
  const isExact = element.kind === "literal" || element.kind === "space" || element.kind === "anchor";
  return isInside && at >= end && isExact ? at : end;
}

function textOf({ kind, source, text, reference }: Element, { expected }: Explanation): string {
  if (reference !== null) return describePattern(reference.name) ?? `text of the pattern ${reference.name}`;
  if (kind === "literal" || (kind === "space" && text !== "")) return `the text ${quoteText(text, 100)}`;
  if (kind === "space") return "white space";
  return expected[0]?.text ?? `text that matches ${quoteText(source, 100)}`;
}

function messageOf({ source }: Element, text: string, found: string, changes: readonly Change[]): string {
  const there = found === "" ? "the line ends there" : `found ${quoteText(found.trim() || found, 100)}`;
  const tries = changes.slice(0, 2).map((change) => (change.to === "" ? change.text : change.to).slice(0, 200));
  const advice = tries.length === 0 ? "" : `; try ${tries.join(" or ")}`;
  return `expected ${text} (${source.slice(0, 200)}), ${there}${advice}`;
}
