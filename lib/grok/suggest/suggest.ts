// Proposes a grok expression for sample lines, and checks which of the lines it matches.

import type { Span } from "../../regex/regex.ts";
import { type OptionNames, requireOptions } from "../../text/argument.ts";
import { builtinPatterns, definePatterns } from "../load.ts";
import type { PatternSource } from "../patterns.ts";
import { columnsOf } from "./fields.ts";
import { KindMatcher, kindOf } from "./kinds.ts";
import { type Choice, type PieceChoice, piecesOf } from "./pieces.ts";
import { segmentsOf, worthOf } from "./segment.ts";
import { type Token, tokensOf } from "./tokens.ts";
import { freePiece, verify, weaken } from "./verify.ts";

export type { Choice, PieceChoice } from "./pieces.ts";

/**
 * Limits of a suggestion.
 * - lines: number of lines that are read
 * - aligned: number of lines that are aligned at first
 * - rounds: largest number of alignments; some lines that did not match are added before each alignment after the first
 * - joining: largest number of lines that are added before each alignment after the first
 * - weakenings: after the last alignment, the largest number of lines for which the expression is made more general
 * - length: number of UTF-16 units of a line that are analysed; the remainder of the line is free text
 */
export const suggestLimits = { lines: 1000, aligned: 40, rounds: 3, joining: 12, weakenings: 8, length: 4096 } as const;

/** One piece (part) of a suggested expression, with the ranges of the lines that it matches. */
export interface Piece extends PieceChoice {
  /**
   * For each line, the range that this part of the expression matches, in UTF-16 indexes; null when the line does not
   * match, or when this part matches no text.
   */
  readonly spans: readonly (Span | null)[];
}

/** A suggested expression. */
export interface Suggestion {
  /** The grok expression, from `^` to `$`. */
  readonly expression: string;
  readonly pieces: readonly Piece[];
  /**
   * Indexes of the lines that the expression does not match. The expression matches all other lines from start to end.
   */
  readonly unmatched: readonly number[];
  /** Number of lines that were read, at most `suggestLimits.lines`. */
  readonly lines: number;
}

/** Options of `suggestGrok` and `changePiece`. */
export interface SuggestOptions {
  /** Pattern definitions, as in `GrokOptions`. A definition may replace a built-in pattern of the same name. */
  readonly patterns?: Readonly<Record<string, string>> | PatternSource;
}

const suggestNames: OptionNames<SuggestOptions> = { patterns: true };

/**
 * Proposes a grok expression that matches the lines. Blank lines are not analysed, and their indexes are in
 * `unmatched`. Throws TypeError when all lines are blank.
 *
 * @example
 * suggestGrok(["10.0.0.7 took 12 ms", "10.0.0.8 took 7 ms"]).expression; // "^%{IP:client} took %{INT:duration:int} ms$"
 */
export function suggestGrok(lines: readonly string[], options: SuggestOptions = {}): Suggestion {
  requireOptions("suggestGrok", options, suggestNames);
  const read = lines.slice(0, suggestLimits.lines);
  if (!read.some((line) => line.trim() !== ""))
    throw new TypeError(`suggestGrok: lines must hold a line with text; got ${lines.length} without any`);
  const patterns = sourceOf(options);
  const matcher = new KindMatcher(patterns);
  const usable = read.map((_, index) => index).filter((index) => read[index]?.trim() !== "");
  const isOpen = (index: number) => usable.includes(index);
  let sample = usable.slice(0, suggestLimits.aligned);
  let best: Suggestion | null = null;
  for (let round = 0; round < suggestLimits.rounds; round++) {
    const pieces = propose(
      sample.map((index) => read[index] as string),
      matcher,
    );
    const next = suggestion(read, pieces, patterns);
    if (best === null || next.unmatched.length < best.unmatched.length) best = next;
    const missed = next.unmatched.filter((index) => isOpen(index) && !sample.includes(index));
    if (missed.length === 0) break;
    sample = [...sample, ...missed.slice(0, suggestLimits.joining)];
  }
  let found = best as Suggestion;
  for (let step = 0; step < suggestLimits.weakenings; step++) {
    const missed = found.unmatched.find(isOpen);
    if (missed === undefined) return found;
    found = suggestion(read, weaken(found.pieces.map(choiceOnly), read[missed] as string, patterns), patterns);
  }
  if (!found.unmatched.some(isOpen)) return found;
  // When no other expression matches all lines, the suggestion is free text, which matches every line.
  return suggestion(read, [freePiece(read.some((line) => line.includes("\n")) ? "lines" : "rest")], patterns);
}

/** A change of one piece (part) of a suggested expression: another form, another field name, or both. */
export interface PieceChange {
  /** Index of the piece (part of the expression) to change. */
  readonly piece: number;
  /**
   * Index of the new form in `choices`, the forms that this part of the expression may have. When absent, the
   * piece keeps its form.
   */
  readonly choice?: number;
  /** The new name of the field; null when the value should not be captured. When absent, the field keeps its name. */
  readonly name?: string | null;
}

/**
 * Changes one piece (part) of a suggested expression, and returns the new suggestion with the lines that it matches.
 * The field of a piece that captures a value gets the name `name`. Without `name`, the field keeps its old name, or is
 * named after the kind of the value. Throws TypeError when the piece or the choice does not exist, and for a name that
 * is not made of letters, digits and `_`.
 *
 * @example
 * const { pieces } = suggestGrok(["user ada", "user bob"]);
 * const at = pieces.findIndex(({ name }) => name === "user");
 * changePiece(["user ada", "user bob"], pieces, { piece: at, name: "who" }).expression; // "^user %{WORD:who}$"
 */
export function changePiece(
  lines: readonly string[],
  pieces: readonly PieceChoice[],
  { piece, choice, name }: PieceChange,
  options: SuggestOptions = {},
): Suggestion {
  const old = pieces[piece];
  if (old === undefined) throw new TypeError(`changePiece: there is no piece ${piece}; there are ${pieces.length}`);
  const index = choice ?? old.choice;
  const chosen = old.choices[index];
  if (chosen === undefined)
    throw new TypeError(`changePiece: piece ${piece} has no choice ${index}; it has ${old.choices.length}`);
  if (typeof name === "string" && !/^\w{1,100}$/.test(name))
    throw new TypeError("changePiece: name must be 1 to 100 letters, digits and _");
  const isLiteral = chosen.kind === "literal" || chosen.kind === "space";
  const changed: PieceChoice = { ...old, choice: index, name: isLiteral ? null : nameFor() };
  function nameFor(): string | null {
    if (name !== undefined) return name;
    if (choice === undefined || old?.name != null) return old?.name ?? null;
    return freeName(chosen as Choice, new Set(pieces.filter((each) => each !== old).map((each) => each.name)));
  }
  return suggestion(
    lines.slice(0, suggestLimits.lines),
    pieces.map((each, at) => (at === piece ? changed : each)),
    sourceOf(options),
  );
}

function freeName({ kind }: Choice, others: ReadonlySet<string | null>): string {
  const base = kind === "date" ? "time" : kindOf(kind).field;
  let name = base;
  for (let count = 2; others.has(name); count++) name = `${base}_${count}`;
  return name;
}

function choiceOnly({ spans: _, ...piece }: Piece): PieceChoice {
  return piece;
}

function tokensOfLine(line: string, opensBrackets: boolean): Token[] {
  const { length } = suggestLimits;
  const tokens = tokensOf(line.slice(0, length), opensBrackets);
  if (line.length <= length) return tokens;
  return [...tokens, { kind: "text", text: line.slice(length), start: length, before: "" }];
}

function propose(lines: readonly string[], matcher: KindMatcher): PieceChoice[] {
  const ways = [true, false].map((opensBrackets) => {
    const { columns, isTable } = columnsOf(lines.map((line) => tokensOfLine(line, opensBrackets)));
    const segments = segmentsOf(columns, isTable);
    return { columns, segments, worth: worthOf(columns, segments) };
  });
  const [open, whole] = ways as [(typeof ways)[0], (typeof ways)[0]];
  const { columns, segments } = whole.worth > open.worth ? whole : open;
  const isTrailing = lines.some((line) => /\s$/.test(line));
  const pieces = piecesOf(columns, segments, matcher);
  const end: PieceChoice = {
    choices: [{ kind: "space", pattern: null, expression: "\\s*", type: "string", text: "spaces, or none" }],
    choice: 0,
    name: null,
    missing: null,
    optional: null,
  };
  return isTrailing ? [...pieces, end] : pieces;
}

function suggestion(lines: readonly string[], pieces: readonly PieceChoice[], patterns: PatternSource): Suggestion {
  const { expression, spans, unmatched } = verify(lines, pieces, patterns);
  return {
    expression,
    pieces: pieces.map((piece, at) => ({ ...piece, spans: spans[at] as (Span | null)[] })),
    unmatched,
    lines: lines.length,
  };
}

function sourceOf({ patterns = builtinPatterns }: SuggestOptions): PatternSource {
  return typeof patterns.lookup === "function"
    ? (patterns as PatternSource)
    : definePatterns(patterns as Readonly<Record<string, string>>);
}
