// Matches lines with the expression of pieces, and weakens an expression that leaves lines out.

import { Regex, type Span } from "../../regex/regex.ts";
import { expand } from "../expand.ts";
import { Grok } from "../grok.ts";
import { knownGroups } from "../known-groups.ts";
import type { PatternSource } from "../patterns.ts";
import { kindOf } from "./kinds.ts";
import { type Choice, expressionOfPieces, type PieceChoice } from "./pieces.ts";

/** The expression made of pieces, and the lines that it matches. */
export interface Verified {
  readonly expression: string;
  /** For each piece its place in each line; null where the piece is not there, or the line does not match. */
  readonly spans: readonly (readonly (Span | null)[])[];
  /** Indexes of the lines that do not match. */
  readonly unmatched: readonly number[];
}

/** Matches the lines with the expression of the pieces. */
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

/** The group around a piece; its name is no name of a field. */
function groupOf(piece: number): string {
  return `__piece_${piece}__`;
}

/**
 * Returns pieces that also match the line: one value becomes a more general kind, or all behind the last piece that
 * matches becomes free text.
 */
export function weaken(pieces: readonly PieceChoice[], line: string, patterns: PatternSource): PieceChoice[] {
  const matches = (some: readonly PieceChoice[]) =>
    Grok.compile(expressionOfPieces(some), { patterns }).match(line) !== null;
  const free = freePiece("rest");
  // The longest run of pieces from the start that the line begins with; each shorter run matches, too.
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

/** Returns a piece of free text. */
export function freePiece(kind: "rest" | "lines"): PieceChoice {
  return { choices: [choiceOf(kind)], choice: 0, name: "message", missing: null, optional: null };
}

function choiceOf(name: string): Choice {
  const { pattern, expression, type, text } = kindOf(name);
  return { kind: name, pattern, expression, type, text };
}
