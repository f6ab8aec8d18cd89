// The tokens and comments of a script ("pieces") in the order in which `format` lays them out.

import type { Offset } from "../syntax/ast.ts";
import type { Letter, Token } from "../syntax/token.ts";
import type { Rule } from "../syntax/tree.ts";

/** A token, or the comments (`#`) at the end of one line. */
export interface Piece {
  readonly letter: Letter;
  readonly text: string;
  /** The type of an opening bracket (block, call, list, ...); null for all other tokens and comments. */
  readonly rule: Rule | null;
  /**
   * For an opening bracket, the index of its closing bracket in the list of tokens and comments; -1 for all other
   * tokens and comments.
   */
  closer: number;
}

export function piecesOf(
  text: string,
  tokens: readonly Token[],
  brackets: ReadonlyMap<number, Rule>,
): readonly Piece[] {
  const pieces = arranged(read(text, tokens, brackets));
  const open: Piece[] = [];
  for (const [index, piece] of pieces.entries()) {
    if ("([{".includes(piece.letter)) open.push(piece);
    else if (")]}".includes(piece.letter)) open.pop()!.closer = index;
  }
  return pieces;
}

function read(text: string, tokens: readonly Token[], brackets: ReadonlyMap<number, Rule>): Piece[] {
  const pieces: Piece[] = [];
  let at: Offset = 0;
  /**
   * The comments of the current line. A carriage return without a line feed ends a comment but not the line. So a
   * line may have several comments, which are collected until the line ends.
   */
  let waiting: string[] = [];
  const readComments = (end: Offset) => {
    for (const [comment] of text.slice(at, end).matchAll(/#[^\r\n]*/g)) waiting.push(comment.trimEnd());
  };
  const endLine = () => {
    if (waiting.length > 0) pieces.push({ letter: "#", text: waiting.join(" "), rule: null, closer: -1 });
    waiting = [];
  };
  for (const [index, { letter, at: start, end }] of tokens.entries()) {
    readComments(start);
    if (letter === "n") endLine();
    const rule = brackets.get(index) ?? null;
    pieces.push({ letter, text: inCase(letter, text.slice(start, end)), rule, closer: -1 });
    at = end;
  }
  readComments(text.length);
  endLine();
  return pieces;
}

/** Returns the text of a token. Keywords are converted to lower case. */
function inCase(letter: Letter, text: string): string {
  const isWord = "flerIbcTN".includes(letter) || (letter === "0" && /^[a-z]/i.test(text));
  return isWord ? text.toLowerCase() : text;
}

/**
 * Moves each comma to the position before the comments and line breaks that precede the comma. Drops a comma before a
 * closing bracket.
 */
function arranged(pieces: readonly Piece[]): Piece[] {
  const result: Piece[] = [];
  let between: Piece[] = [];
  let last = -1;
  for (const piece of pieces) {
    const { letter } = piece;
    if (letter === "n" || letter === "#") {
      between.push(piece);
      continue;
    }
    if (letter !== ",") {
      if (")]}".includes(letter) && result[last]?.letter === ",") result.splice(last, 1);
      for (const each of between) result.push(each);
      between = [];
    }
    last = result.push(piece) - 1;
  }
  for (const each of between) result.push(each);
  return result;
}
