// Compiles an expression for the script function that uses it (`grok`, `match` or `replace`), and matches lines with
// it. A mark is a range of a line that an editor colours: a capture or the whole match.

import { isTranslated, t } from "../../text/translate.ts";
import { checkExpression, Grok, Regex, RegexSyntaxError } from "./engine.ts";
import { readPatterns } from "./own-patterns.ts";
import { grokParts, regexParts } from "./parts.ts";
import type { Capture, CapturedValue, Expression, Note, Part } from "./workbench.ts";

/**
 * Receives a mark (coloured range): its start and end in the line, and the index of its capture; -1 for the whole
 * match.
 */
export type TakeMark = (from: number, to: number, capture: number) => void;

export interface Matcher {
  readonly captures: readonly Capture[];
  readonly parts: readonly Part[];
  /** Matches the lines and discards the results, to measure the time. */
  time(lines: readonly string[]): void;
  /** Passes the marks (coloured ranges) of a line to `take`. Returns whether the line matches. */
  marks(line: string, take: TakeMark): boolean;
  /** Returns the values of the captures; null when the line does not match. */
  values(line: string): readonly CapturedValue[] | null;
  /**
   * Returns the line after the function `replace` has changed it; null when the expression is used with another
   * function.
   */
  replace(line: string): string | null;
}

/**
 * The result of compiling an expression. `matcher` is null when the expression is invalid; `notes` then has its errors.
 */
export interface Compiled {
  readonly notes: readonly Note[];
  readonly matcher: Matcher | null;
}

/**
 * The expression that was compiled last, with the result. Most calls ask for the same expression again, so the
 * result is reused.
 */
let last: { readonly key: string; readonly compiled: Compiled } | null = null;

export function compile(expression: Expression): Compiled {
  const key = JSON.stringify([expression, isTranslated()]);
  if (last?.key !== key) last = { key, compiled: compileNew(expression) };
  return last.compiled;
}

function compileNew({ method, text, replacement, trim, patterns: own }: Expression): Compiled {
  if (method !== "grok") return compileRegex(text, method === "replace" ? replacement : null);
  const patterns = readPatterns(own);
  const notes = checkExpression(text, { patterns }).map(({ severity, message, hint, span }) => ({
    severity,
    message,
    hint,
    from: span[0],
    to: span[1],
  }));
  if (notes.some(({ severity }) => severity === "error")) return { notes, matcher: null };
  return { notes, matcher: new GrokMatcher(Grok.compile(text, { patterns }), trim, patterns) };
}

function compileRegex(text: string, replacement: string | null): Compiled {
  try {
    return { notes: referenceNotes(text), matcher: new RegexMatcher(Regex.compile(text), replacement) };
  } catch (error) {
    if (!(error instanceof RegexSyntaxError)) throw error;
    const { reason, fragment, offset } = error;
    // In an error about parentheses, `fragment` (the part of the expression that the error is about) is the whole
    // expression. Then the editor marks only the character at `offset`, the position of the error.
    const length = fragment === text ? 1 : Math.max(1, fragment.length);
    const message = fragment === text || fragment === "" ? reason : `${reason}: \`${fragment.slice(0, 100)}\``;
    const note: Note = {
      severity: "error",
      message,
      hint: "",
      from: offset,
      to: Math.min(text.length, offset + length),
    };
    return { notes: [note], matcher: null };
  }
}

/** Returns a warning for each `%{...}` in a plain regular expression, because it does not refer to a pattern there. */
function referenceNotes(text: string): Note[] {
  return Array.from(text.matchAll(/%\{[A-Z][\w.-]*(?::[\w.-]+)*\}/g), ({ 0: found, index }) => ({
    severity: "warning" as const,
    message: t("{text} is plain text in a regular expression", { text: found.slice(0, 100) }),
    hint: t("references to patterns work in grok only"),
    from: index,
    to: index + found.length,
  }));
}

class GrokMatcher implements Matcher {
  readonly captures: readonly Capture[];
  readonly parts: readonly Part[];
  private readonly grok: Grok;
  private readonly trim: boolean;

  constructor(grok: Grok, trim: boolean, patterns: Readonly<Record<string, string>>) {
    this.grok = grok;
    this.trim = trim;
    this.captures = grok.fields.map(({ name, type }) => ({ name, type }));
    this.parts = grokParts(grok.expression, this.captures, patterns);
  }

  time(lines: readonly string[]): void {
    for (const line of lines) this.grok.matchBytes(encoder.encode(line), this.trim);
  }

  marks(line: string, take: TakeMark): boolean {
    const { grok } = this;
    const bytes = encoder.encode(line);
    const captured = grok.matchBytes(bytes, this.trim);
    if (captured === null) return false;
    const outside = offsets(line, bytes);
    const { start, at } = grok.explain(line);
    take(start, at, -1);
    for (let field = 0; field < this.captures.length; field++) {
      const [from, to] = [captured.spans[2 * field]!, captured.spans[2 * field + 1]!];
      if (from >= 0 && to > from) take(outside(from), outside(to), field);
    }
    return true;
  }

  values(line: string): readonly CapturedValue[] | null {
    const found = this.grok.match(line, { trim: this.trim });
    if (found === null) return null;
    return this.captures.map(({ name, type }) => {
      const value = found[name];
      return { text: value === undefined ? null : String(value), kind: type === "string" ? "str" : type };
    });
  }

  replace(): null {
    return null;
  }
}

class RegexMatcher implements Matcher {
  readonly captures: readonly Capture[];
  readonly parts: readonly Part[];
  private readonly regex: Regex;
  /** The replacement text of `replace`, which may refer to groups of the expression; null for `match`. */
  private readonly template: string | null;

  constructor(regex: Regex, template: string | null) {
    this.regex = regex;
    this.template = template;
    this.captures = regex.names.slice(1).map((name, at) => ({ name: name ?? String(at + 1), type: "" }));
    this.parts = regexParts(regex.source);
  }

  time(lines: readonly string[]): void {
    for (const line of lines) {
      if (this.template === null) this.regex.test(line);
      else this.regex.replace(line, this.template);
    }
  }

  marks(line: string, take: TakeMark): boolean {
    const first = this.regex.find(line);
    if (first === null) return false;
    for (const { start, end, groups } of this.template === null ? [first] : this.regex.findAll(line)) {
      take(start, end, -1);
      groups.slice(1).forEach((span, at) => {
        if (span !== null && span[1] > span[0]) take(span[0], span[1], at);
      });
    }
    return true;
  }

  values(line: string): readonly CapturedValue[] | null {
    const match = this.regex.find(line);
    if (match === null) return null;
    return match.groups
      .slice(1)
      .map((span) => ({ text: span === null ? null : line.slice(...span), kind: span === null ? "" : "str" }));
  }

  replace(line: string): string | null {
    return this.template === null ? null : this.regex.replace(line, this.template);
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Returns a function that converts byte offsets in the UTF-8 of a line to UTF-16 indexes in the line. */
function offsets(line: string, bytes: Uint8Array): (byte: number) => number {
  if (bytes.length === line.length) return (byte) => byte;
  return (byte) => decoder.decode(bytes.subarray(0, byte)).length;
}
