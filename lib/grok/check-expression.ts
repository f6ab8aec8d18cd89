// Finds the mistakes in a grok expression, and their positions in the text that the author wrote.

import { RegexSyntaxError, type Span } from "../regex/regex.ts";
import { nearestName } from "../text/nearest.ts";
import { expand, GrokError, UnknownPattern, writtenAt, wrongReferences } from "./expand.ts";
import { Grok, type GrokOptions } from "./grok.ts";
import { builtinPatterns, definePatterns } from "./load.ts";
import type { PatternSource } from "./patterns.ts";

/** A mistake in a grok expression. */
export interface ExpressionNote {
  /**
   * An expression with an error cannot be used. A warning marks text that means something else than its author probably
   * intended.
   */
  readonly severity: "error" | "warning";
  readonly message: string;
  /** A sentence that says what to write instead; empty when there is no advice. */
  readonly hint: string;
  /** The part of the expression that is wrong, in UTF-16 indexes. */
  readonly span: Span;
}

/** Largest number of UTF-16 units of an expression that a message shows. */
const mostShown = 100;

/**
 * Returns the mistakes of a grok expression: the first error, or warnings about text that looks like a reference but is
 * not one. The result is empty for an expression that can be used as it is.
 *
 * @example
 * checkExpression("%{IPP:client} x")[0]?.hint; // "did you mean IP?"
 * checkExpression("a (b")[0]?.span; // [2, 3]
 */
export function checkExpression(expression: string, options: GrokOptions = {}): ExpressionNote[] {
  const patterns = sourceOf(options);
  try {
    Grok.compile(expression, { ...options, patterns }).free();
  } catch (error) {
    if (error instanceof GrokError) return [referenceError(expression, error, patterns)];
    if (error instanceof RegexSyntaxError) return [syntaxError(expression, error, patterns)];
    throw error;
  }
  return wrongReferences(expression, patterns.ecs === true).map(({ text, offset }) => ({
    severity: "warning",
    message: `${text.slice(0, mostShown)} is plain text, not a reference`,
    hint: "a reference is %{NAME}, %{NAME:field} or %{NAME:field:type}",
    span: [offset, offset + text.length],
  }));
}

function sourceOf({ patterns = builtinPatterns }: GrokOptions): PatternSource {
  return typeof patterns.lookup === "function"
    ? (patterns as PatternSource)
    : definePatterns(patterns as Readonly<Record<string, string>>);
}

function referenceError(expression: string, error: GrokError, patterns: PatternSource): ExpressionNote {
  const { message, offset, hint = "" } = error;
  const [reference = ""] = /^%\{[^}]*\}/.exec(expression.slice(offset)) ?? [];
  const near = error instanceof UnknownPattern ? nearestName(error.pattern, patterns.names?.() ?? []) : undefined;
  const advice = near === undefined || (error as UnknownPattern).pattern === near ? hint : `did you mean ${near}?`;
  return { severity: "error", message, hint: advice, span: [offset, offset + reference.length] };
}

function syntaxError(expression: string, error: RegexSyntaxError, patterns: PatternSource): ExpressionNote {
  const { reason, fragment, offset } = error;
  const expansion = expand(expression, patterns);
  const { offset: from } = writtenAt(expansion, offset);
  const reference = expansion.references?.find(({ source }) => source[0] === from);
  if (reference !== undefined && offset >= reference.group[0])
    return {
      severity: "error",
      message: `the pattern ${reference.name} cannot be used: ${reason}`,
      hint: "",
      span: reference.source,
    };
  // The parser reports an error about parentheses with the whole expression as the faulty part. For such an error, only
  // the first character of the expression is marked.
  const isWhole = fragment === expansion.regex;
  const shown = (isWhole ? expression.slice(from) : fragment).slice(0, mostShown);
  const length = isWhole ? 1 : Math.max(1, fragment.length);
  return {
    severity: "error",
    message: shown === "" ? reason : `${reason}: \`${shown}\``,
    hint: hintOf(fragment),
    span: [from, Math.min(expression.length, from + length)],
  };
}

/**
 * Constructs of other regular-expression engines that this engine does not support. Each pattern matches the beginning
 * of the text that the parser reports as faulty.
 */
const unsupported: readonly (readonly [RegExp, string])[] = [
  [/^\(\?<[=!]?$/, "lookbehind is not supported"],
  [/^\(\?[=!]/, "lookahead is not supported"],
  [/^\(\?>/, "an atomic group is not supported: write (?:...)"],
  [/^\(\?#/, "a comment is not supported"],
  [/^\\[1-9]/, "a reference to a group, such as \\1, is not supported"],
];

function hintOf(fragment: string): string {
  return unsupported.find(([beginning]) => beginning.test(fragment))?.[1] ?? "";
}
