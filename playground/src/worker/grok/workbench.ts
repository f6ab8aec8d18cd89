// The requests from the grok mode to its worker, and the answers. All types in this file can be posted between threads.
// Offsets are UTF-16 indexes.

import type { Change, PieceChange, PieceChoice, Span, Suggestion } from "./engine.ts";

/** The script function with which the user wants to use the expression. */
export type Method = "grok" | "match" | "replace";

/** An expression with all settings that decide how it matches. */
export interface Expression {
  readonly method: Method;
  readonly text: string;
  /** The replacement text for `replace`, which may refer to groups of the expression. */
  readonly replacement: string;
  /** Whether `grok` removes white space around captures. */
  readonly trim: boolean;
  /** Patterns of the project, as the text of a pattern file. */
  readonly patterns: string;
}

/** An error or warning about an expression or about the text of patterns. */
export interface Note {
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly hint: string;
  readonly from: number;
  readonly to: number;
}

/** A capture of an expression: a field of a grok expression, or a group of a regular expression. */
export interface Capture {
  /** Name of the field or group; for a group without a name, its number. */
  readonly name: string;
  /** Type of the field's value; empty for a group. */
  readonly type: string;
}

/**
 * A part of the expression that captures text: its range in the expression, and the indexes of its captures in
 * `Analysis.captures`.
 */
export interface Part {
  readonly from: number;
  readonly to: number;
  readonly captures: readonly number[];
}

/** The numbers that say whether a line does not match, matches, or is blank. */
export const lineState = { unmatched: 0, matched: 1, blank: 2 } as const;

/** The result of matching all lines with an expression. */
export interface Analysis {
  /** Warnings about the expression, or the errors because of which nothing was matched. */
  readonly notes: readonly Note[];
  readonly isWrong: boolean;
  readonly captures: readonly Capture[];
  readonly parts: readonly Part[];
  /**
   * `lines`: number of all lines. `checked`: number of the lines on which the expression was tried before the time
   * limit.
   */
  readonly lines: number;
  readonly checked: number;
  readonly matched: number;
  readonly unmatched: number;
  /**
   * One number for each checked line, which says whether the line matches. The numbers are the values of `lineState`.
   */
  readonly states: Uint8Array;
  /**
   * For each checked line, the number of marks (coloured ranges) in all lines before it. One more element after the
   * last line holds the number of all marks.
   */
  readonly starts: Uint32Array;
  /**
   * Three numbers for each mark (coloured range): its start and end in the line, and the index of its capture; -1 for
   * the whole match.
   */
  readonly marks: Int32Array;
  /** Average time for matching one line, in nanoseconds. */
  readonly nanoseconds: number;
}

/** The value of a capture in a line. `text` is null when the match has no text for the capture. */
export interface CapturedValue {
  readonly text: string | null;
  /** Type of the value that a script gets, such as `int` or `str`. */
  readonly kind: string;
}

/** The reason why a line does not match. */
export interface Why {
  /**
   * `matched`: the range of the line that matches the first part of the expression. `at`: UTF-16 index, in the
   * line, of the first character that does not match.
   */
  readonly matched: Span;
  readonly at: number;
  /**
   * The text in the line at the position where the match failed; empty when the match failed at the end of the
   * line.
   */
  readonly found: string;
  /**
   * The range, in the expression, of the element that does not match. An element is a part of the expression,
   * such as a reference `%{INT:n}` or a literal text.
   */
  readonly failed: Span;
  readonly source: string;
  readonly field: string | null;
  /**
   * A description of the texts that the failed element matches, such as `a whole number`. The failed element
   * is the part of the expression at the range `failed`.
   */
  readonly expected: string;
  readonly message: string;
  /** Suggested changes of the expression. After any single one of these changes, the expression matches the line. */
  readonly changes: readonly Change[];
}

/** The details of one line for the page: its captured values, or the reason why the line does not match. */
export interface LineAnswer {
  readonly matched: boolean;
  readonly values: readonly CapturedValue[];
  /** The line after the function `replace` has changed it; null when the user tests another function. */
  readonly replaced: string | null;
  readonly why: Why | null;
  /** Time in nanoseconds that matching the line takes. */
  readonly nanoseconds: number;
}

/** A row of the table in which the page shows the captures of all lines. */
export interface Row {
  /** Index of the line, from 0, in the text of all lines. */
  readonly line: number;
  readonly values: readonly CapturedValue[];
  readonly replaced: string | null;
}

/** Says how much of a line the expression matches, for a line that it does not match completely. */
export interface Stop {
  readonly line: number;
  readonly matched: Span;
  readonly at: number;
}

/** A built-in pattern, or a pattern of the project (`isOwn`). */
export interface LibraryPattern {
  readonly name: string;
  readonly definition: string;
  /** A description of the texts that the pattern matches; empty when there is none. */
  readonly about: string;
  /** An example of a text that the pattern matches; empty when there is none. */
  readonly example: string;
  /** The fields that the pattern captures when a reference names no field (`%{NAME}`). */
  readonly fields: readonly string[];
  readonly isOwn: boolean;
}

/** The names of the patterns that a text defines, and its errors and warnings. */
export interface OwnPatterns {
  readonly names: readonly string[];
  readonly notes: readonly Note[];
}

/** A pattern file, converted to the syntax of the project's patterns. */
export interface Imported {
  /** The definitions, one on each line. A definition that cannot be used is written as a comment. */
  readonly text: string;
  readonly count: number;
  readonly problems: readonly { readonly line: number; readonly name: string; readonly reason: string }[];
}

/**
 * `Suggestion`: a suggested expression, its pieces (parts), and the ranges that each piece matches in the lines.
 * `PieceChoice`: the properties of one piece, without the ranges.
 */
export type { PieceChoice, Suggestion };

export interface GrokWorkerApi {
  /**
   * Matches the lines of a text. The lines are passed as one text, because posting many strings between threads is
   * slow.
   */
  analyse(expression: Expression, text: string): Analysis;
  /** Returns the details of a line; null when the expression is empty or invalid. */
  line(expression: Expression, line: string): LineAnswer | null;
  rows(expression: Expression, lines: readonly string[], indexes: readonly number[]): readonly Row[];
  stops(expression: Expression, lines: readonly string[], indexes: readonly number[]): readonly Stop[];
  /**
   * Proposes an expression for lines; reads only the first `suggestLimits.lines` of them. Returns null when all lines
   * are blank.
   */
  suggest(lines: readonly string[], patterns: string): Suggestion | null;
  changePiece(
    lines: readonly string[],
    pieces: readonly PieceChoice[],
    change: PieceChange,
    patterns: string,
  ): Suggestion;
  library(patterns: string): readonly LibraryPattern[];
  /** Returns the regular expression into which a pattern expands; empty when the pattern is invalid. */
  expansion(name: string, patterns: string): string;
  checkPatterns(text: string): OwnPatterns;
  importFile(name: string, text: string): Imported;
  /**
   * Returns the patterns of the project that an expression needs. Each pattern comes after the patterns to which it
   * refers.
   */
  needed(expression: Expression): readonly { readonly name: string; readonly definition: string }[];
}
