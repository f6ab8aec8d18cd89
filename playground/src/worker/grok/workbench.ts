// What the grok mode asks of its worker and what the worker answers. All types in this file can be posted between
// threads. Offsets are UTF-16 indexes.

import type { Change, PieceChange, PieceChoice, Span, Suggestion } from "./engine.ts";

/** What the expression is for: the functions `grok`, `match` and `replace` of scripts. */
export type Method = "grok" | "match" | "replace";

/** An expression with all that it needs. */
export interface Expression {
  readonly method: Method;
  readonly text: string;
  /** The template of `replace`. */
  readonly replacement: string;
  /** Whether `grok` removes white space around captures. */
  readonly trim: boolean;
  /** Patterns of the project, as the text of a pattern file. */
  readonly patterns: string;
}

/** A mistake in an expression or in the text of patterns. */
export interface Note {
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly hint: string;
  readonly from: number;
  readonly to: number;
}

/** What an expression captures: a field of grok, or a group of a regular expression. */
export interface Capture {
  /** Name of the field or group; a group without a name has its number. */
  readonly name: string;
  /** Type of a field; empty for a group. */
  readonly type: string;
}

/** A part of the expression, and the indexes of the captures that it makes. */
export interface Part {
  readonly from: number;
  readonly to: number;
  readonly captures: readonly number[];
}

/** The state of a line: it does not match, it matches, or it is empty. */
export const lineState = { unmatched: 0, matched: 1, blank: 2 } as const;

/** How an expression matches lines. */
export interface Analysis {
  /** Warnings, or the error for which nothing was matched. */
  readonly notes: readonly Note[];
  readonly isWrong: boolean;
  readonly captures: readonly Capture[];
  readonly parts: readonly Part[];
  /** Number of lines, and of those that were matched before the time was over. */
  readonly lines: number;
  readonly checked: number;
  readonly matched: number;
  readonly unmatched: number;
  /** The `lineState` of each line that was checked. */
  readonly states: Uint8Array;
  /** For each line, and behind the last one: the number of marks before it. */
  readonly starts: Uint32Array;
  /** Three numbers a mark: start and end in the line, and the index of the capture; -1 for a whole match. */
  readonly marks: Int32Array;
  /** Time for one line, in nanoseconds. */
  readonly nanoseconds: number;
}

/** The value of a capture in a line; null when it took no part in the match. */
export interface CapturedValue {
  readonly text: string | null;
  /** Kind of the value that a script gets: `int`, `str` and so on. */
  readonly kind: string;
}

/** Why a line does not match. */
export interface Why {
  /** The part of the line that matched, and the place of the first text that did not. */
  readonly matched: Span;
  readonly at: number;
  /** The text at the place where the match failed; empty at the end of the line. */
  readonly found: string;
  /** The element of the expression that failed. */
  readonly failed: Span;
  readonly source: string;
  readonly field: string | null;
  /** What the element matches, in words. */
  readonly expected: string;
  readonly message: string;
  /** Expressions that match the line. */
  readonly changes: readonly Change[];
}

/** All about one line. */
export interface LineAnswer {
  readonly matched: boolean;
  readonly values: readonly CapturedValue[];
  /** The line after `replace`; null for the other functions. */
  readonly replaced: string | null;
  readonly why: Why | null;
  /** Time to match the line, in nanoseconds. */
  readonly nanoseconds: number;
}

/** A row of the table of all lines. */
export interface Row {
  /** Index of the line. */
  readonly line: number;
  readonly values: readonly CapturedValue[];
  readonly replaced: string | null;
}

/** How far a line that does not match gets. */
export interface Stop {
  readonly line: number;
  readonly matched: Span;
  readonly at: number;
}

/** A pattern of the library. */
export interface LibraryPattern {
  readonly name: string;
  readonly definition: string;
  /** What the pattern matches, in words; empty when nothing is known. */
  readonly about: string;
  /** A text that the pattern matches; empty when none is known. */
  readonly example: string;
  /** The fields that the pattern captures by itself. */
  readonly fields: readonly string[];
  readonly isOwn: boolean;
}

/** The patterns of a text, and what is wrong in it. */
export interface OwnPatterns {
  readonly names: readonly string[];
  readonly notes: readonly Note[];
}

/** A pattern file as text of own patterns. */
export interface Imported {
  /** Definitions, one a line; those that cannot be used are comments. */
  readonly text: string;
  readonly count: number;
  readonly problems: readonly { readonly line: number; readonly name: string; readonly reason: string }[];
}

/** Pieces of a suggestion, with their places in the lines. */
export type { PieceChoice, Suggestion };

export interface GrokWorkerApi {
  /** Matches the lines of a text. One text is posted between threads much faster than many lines. */
  analyse(expression: Expression, text: string): Analysis;
  /** Returns null for an expression that is empty or wrong. */
  line(expression: Expression, line: string): LineAnswer | null;
  rows(expression: Expression, lines: readonly string[], indexes: readonly number[]): readonly Row[];
  stops(expression: Expression, lines: readonly string[], indexes: readonly number[]): readonly Stop[];
  /** Proposes an expression for lines; no more than `suggestLimits.lines` are read. Returns null when none has text. */
  suggest(lines: readonly string[], patterns: string): Suggestion | null;
  changePiece(
    lines: readonly string[],
    pieces: readonly PieceChoice[],
    change: PieceChange,
    patterns: string,
  ): Suggestion;
  library(patterns: string): readonly LibraryPattern[];
  /** Returns the regular expression of a pattern; empty when the pattern is wrong. */
  expansion(name: string, patterns: string): string;
  checkPatterns(text: string): OwnPatterns;
  importFile(name: string, text: string): Imported;
  /** Returns the definitions of own patterns that an expression needs, each behind those that it refers to. */
  needed(expression: Expression): readonly { readonly name: string; readonly definition: string }[];
}
