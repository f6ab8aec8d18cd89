// Checks which lines a suggested expression matches, and makes the expression more general so that it matches more
// lines.

import { Regex, type Span } from "../../regex/regex.ts";
import { expand } from "../expand.ts";
import { Grok } from "../grok.ts";
import { knownGroups } from "../known-groups.ts";
import type { PatternSource } from "../patterns.ts";
import { kindOf } from "./kinds.ts";
import { type Choice, expressionOfPieces, type PieceChoice } from "./pieces.ts";

/**
 * A suggested expression, which was joined from pieces (such as a pattern or a fixed text), and the result of matching
 * the sample lines with it.
 */
export interface Verified {
  readonly expression: string;
  /**
   * For each piece of the expression, a list with one element for each sample line: the range of the line that the
   * piece matches. The element is null when the expression does not match the line, or when the piece matches no text.
   */
  readonly spans: readonly (readonly (Span | null)[])[];
  /** Indexes of the sample lines that the expression does not match. */
  readonly unmatched: readonly number[];
}

/** Joins the pieces (parts) to an expression, and matches each line with this expression. */
export function verify(lines: readonly string[], pieces: readonly PieceChoice[], patterns: PatternSource): Verified {
  const expression = expressionOfPieces(pieces);
  const grok = Grok.compile(expression, { patterns });
  const wrapped = expressionOfPieces(pieces, (own, at) => `(?P<${groupOf(at)}>${own})`);
  const expansion = expand(wrapped, patterns);
  const regex = Regex.compile(expansion.regex, "", { namedOnly: true, known: knownGroups(expansion) });
  const unmatched: number[] = [];
  const spans: (Span | null)[][] = pieces.map(() => []);
  lines.forEach((line, index) => {
    const match = grok.match(line) === null ? null : regex.find(line);
    if (match === null) unmatched.push(index);
    for (const [at, own] of spans.entries()) own.push(match?.names[groupOf(at)] ?? null);
  });
  return { expression, spans, unmatched };
}

/** Returns the name of the regex group around a piece (part of the expression). A field cannot have this name. */
function groupOf(piece: number): string {
  return `__piece_${piece}__`;
}

/**
 * Changes the pieces (parts of the expression) so that they also match the given line: makes the kind of one value more
 * general or, when this is not enough, replaces the end of the expression by free text.
 */
export function weaken(pieces: readonly PieceChoice[], line: string, patterns: PatternSource): PieceChoice[] {
  const matches = (some: readonly PieceChoice[]) =>
    Grok.compile(expressionOfPieces(some), { patterns }).match(line) !== null;
  const free = freePiece("rest");
  // Finds the largest number of pieces (parts of the expression), counted from the first one, that together match the
  // start of the line. When a number of pieces matches, every smaller number matches, too. So a binary search finds the
  // largest number.
  let [low, high] = [0, pieces.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (matches([...pieces.slice(0, middle), free])) low = middle;
    else high = middle - 1;
  }
  for (const at of [low, low - 1, low + 1]) {
    const piece = pieces[at];
    if (piece === undefined || piece.name === null) continue;
    for (const name of ["token", "text"]) {
      const choices = [choiceOf(name), ...piece.choices.filter(({ kind }) => kind !== name)];
      const weaker = pieces.with(at, { ...piece, choices, choice: 0 });
      if (matches(weaker)) return weaker;
    }
  }
  while (low > 0 && pieces[low]?.optional !== null && pieces[low]?.optional === pieces[low - 1]?.optional) low--;
  const names = new Set(pieces.slice(0, low).map(({ name }) => name));
  return [...pieces.slice(0, low), { ...free, name: names.has("message") ? "rest" : "message" }];
}

/**
 * Returns a piece (part of an expression) that matches any text: on one line (`rest`) or on several lines (`lines`).
 */
export function freePiece(kind: "rest" | "lines"): PieceChoice {
  return { choices: [choiceOf(kind)], choice: 0, name: "message", missing: null, optional: null };
}

function choiceOf(name: string): Choice {
  const { pattern, expression, type, text } = kindOf(name);
  return { kind: name, pattern, expression, type, text };
}
