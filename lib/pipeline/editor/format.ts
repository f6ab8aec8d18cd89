// Formats a script: four spaces for each level, one statement on a line, at most one empty line between statements, one
// space around operators. A line has at most 100 columns, when it can be broken at brackets or operators and has no
// long string. Keywords are in lower case, and there is no comma before a closing bracket. Comments stay at their
// statements, and the syntax tree stays the same.

import { requireString } from "../../text/argument.ts";
import { type PlError, ScriptFailure } from "../syntax/errors.ts";
import { parseTokens } from "../syntax/parse.ts";
import { Source } from "../syntax/source.ts";
import type { Letter } from "../syntax/token.ts";
import type { Rule } from "../syntax/tree.ts";
import { type Item, layOut } from "./layout.ts";
import { type Piece, piecesOf } from "./pieces.ts";

/** The formatted text, or the error that the parser found in the script. */
export type Formatted = { readonly text: string } | { readonly error: PlError };

const measure = { width: 100, indent: 4, maxLevels: 32 };
/**
 * Strings (such as grok expressions) with more characters than this never cause a line break, however long the line
 * becomes.
 */
const longText = 60;
/** Deepest nesting at which a bracket may be broken over several lines; brackets inside it stay on one line. */
const maxDepth = 32;

/**
 * Returns the formatted script, or the error that the parser found in it.
 *
 * @example
 * format("if a==1{drop()}"); // { text: "if a == 1 {\n    drop()\n}\n" }
 */
export function format(text: string, file = "script.p"): Formatted {
  requireString("format", "text", text);
  requireString("format", "file", file);
  try {
    const { tokens, brackets } = parseTokens(new Source(file, text));
    const items = new Layout(piecesOf(text, tokens, brackets)).items();
    return { text: `${layOut(items, measure)}\n` };
  } catch (error) {
    if (error instanceof ScriptFailure) return { error: error.record() };
    throw error;
  }
}

const openers = "([{";
const closers = ")]}";
/**
 * The tokens after which `+` or `-` is a binary operator, one letter for each kind of token (see token.ts). After any
 * other token `+` or `-` is the sign of the operand that follows.
 */
const operands = "i0sTN)]}";
/**
 * The tokens after which a line break does not end the statement, one letter for each kind of token (see token.ts).
 */
const continued = ",=AEXLG<>+-*/%&|I";
/** The operators at which a long line may be broken, one letter for each operator (see token.ts). */
const breakable = "&|+";

/** A bracket that is open around the current token or, as the outermost of them, the whole script. */
interface Around {
  readonly rule: Rule | "$";
  /** Whether lines may break in the bracket: after the opening bracket, after commas and before the closing bracket. */
  readonly breaks: boolean;
}

class Layout {
  private readonly pieces: readonly Piece[];
  private readonly out: Item[] = [];
  private readonly around: Around[] = [{ rule: "$", breaks: false }];
  /** The previous token, without comments and line breaks. */
  private before: Piece | null = null;
  /**
   * Whether the last token was `!`, or a `+` or `-` that is the sign of an operand. The next token then follows without
   * a space.
   */
  private signed = false;
  /** Number of line breaks since the previous token or comment. */
  private newlines = 0;
  /** Whether a comment was printed last, so that a line break must follow. */
  private commented = false;
  /** Whether the current token is inside a statement, before the statement's block. */
  private inStatement = false;
  private inForHead = false;
  /** Number of levels by which the second and further lines of the statement are indented. */
  private continuation = 1;

  constructor(pieces: readonly Piece[]) {
    this.pieces = pieces;
  }

  items(): readonly Item[] {
    for (let at = 0; at < this.pieces.length; at++) {
      const piece = this.pieces[at]!;
      if (piece.letter === "n") this.newline();
      else if (piece.letter === "#") this.comment(piece);
      else if (this.isBlockLevel() && !this.isClosing(piece)) this.blockLevel(piece, at);
      else this.inside(piece, at);
    }
    this.endStatement();
    return this.out;
  }

  private isBlockLevel(): boolean {
    const { rule } = this.around.at(-1)!;
    return rule === "$" || rule === "{";
  }

  private isClosing({ letter }: Piece): boolean {
    return closers.includes(letter);
  }

  private newline(): void {
    this.newlines++;
    if (this.isBlockLevel() && this.inStatement && !continued.includes(this.before!.letter)) this.endStatement();
  }

  private endStatement(): void {
    if (this.inStatement) this.out.push({ kind: "close" });
    this.inStatement = false;
  }

  private comment({ text }: Piece): void {
    const ends = this.isBlockLevel() && this.inStatement && !continued.includes(this.before!.letter);
    if (ends) this.endStatement();
    if (this.out.length > 0) {
      if (this.newlines === 0 && !this.commented) this.text(" ");
      else this.hard();
    }
    this.out.push({ kind: "comment", text });
    this.commented = true;
    this.newlines = 0;
  }

  /**
   * Adds a line break. Also adds an empty line where the original script has one, except at the start and the end of a
   * block.
   */
  private hard(closing = false): void {
    const starts = this.before !== null && this.before.rule === "{" && !this.commented;
    const between = this.isBlockLevel() && !this.inStatement;
    const blank = between && this.newlines > 1 && !closing && !starts;
    const more = this.isBlockLevel() && this.inStatement ? this.continuation : 0;
    this.out.push({ kind: "hard", blank, closing, more });
  }

  private text(text: string): void {
    this.out.push({ kind: "text", text });
  }

  /** Lays out a token of a statement that is not inside a bracket. */
  private blockLevel(piece: Piece, at: number): void {
    const { letter } = piece;
    if (letter === ";" && !this.inForHead) {
      this.endStatement();
      return;
    }
    if (!this.inStatement) this.startStatement(letter);
    else this.gap(piece);
    if (piece.rule === "{") this.openBlock(piece, at);
    else this.token(piece, at);
  }

  private startStatement(letter: Letter): void {
    if (letter === "l" || letter === "e") this.text(" ");
    else if (this.out.length > 0) this.hard();
    this.commented = false;
    this.inStatement = true;
    this.inForHead = letter === "r";
    // When the condition before a block needs several lines, its further lines are indented by one level more than
    // the block, so that a reader can distinguish the condition from the block.
    this.continuation = "flr".includes(letter) ? 2 : 1;
    this.out.push({ kind: "open", indented: "no" });
  }

  private openBlock(piece: Piece, at: number): void {
    this.endStatement();
    this.inForHead = false;
    this.text(piece.text);
    this.around.push({ rule: "{", breaks: this.next(at + 1)?.letter !== "}" });
    this.out.push({ kind: "open", indented: "block" });
    this.took(piece);
  }

  /** Lays out a token inside a bracket, or the token that closes the bracket. */
  private inside(piece: Piece, at: number): void {
    if (!this.isClosing(piece)) {
      this.gap(piece);
      this.token(piece, at);
      return;
    }
    this.endOfBracket();
    this.text(piece.text);
    this.took(piece);
  }

  private endOfBracket(): void {
    const { rule, breaks } = this.around.at(-1)!;
    if (rule === "{") this.endStatement();
    if (this.commented || (rule === "{" && breaks)) this.hard(true);
    else if (breaks) this.out.push({ kind: "line", flat: "", closing: true });
    this.around.pop();
    this.out.push({ kind: "close" });
    // A closing `}` ends the statement; after any other closing bracket the statement continues.
    this.inStatement = rule !== "{";
  }

  private token(piece: Piece, at: number): void {
    this.out.push({ kind: "text", text: piece.text, long: piece.letter === "s" && piece.text.length > longText });
    const isSign = "+-".includes(piece.letter) && !operands.includes(this.before?.letter ?? ";");
    if (openers.includes(piece.letter)) {
      this.around.push({ rule: piece.rule!, breaks: this.breaksInside(piece, at) });
      this.out.push({ kind: "open", indented: "bracket" });
    }
    this.took(piece);
    this.signed = isSign || piece.letter === "!";
  }

  private took(piece: Piece): void {
    this.before = piece;
    this.signed = false;
    this.commented = false;
    this.newlines = 0;
  }

  /**
   * Returns whether lines may break inside the bracket. Lines may not break in an empty bracket, in an index, or in a
   * bracket that contains nothing but another bracket.
   */
  private breaksInside(piece: Piece, at: number): boolean {
    if (!"a[m(".includes(piece.rule!) || this.around.length > maxDepth) return false;
    const first = this.next(at + 1)!;
    return !this.isClosing(first) && !(first.closer !== -1 && first.closer + 1 === piece.closer);
  }

  private next(at: number): Piece | undefined {
    while (this.pieces[at]?.letter === "n") at++;
    return this.pieces[at];
  }

  /** Adds the space or line break between the previous token and this token. */
  private gap(piece: Piece): void {
    const before = this.before!;
    const more = this.isBlockLevel() ? this.continuation : 0;
    if (this.commented) {
      this.out.push({ kind: "hard", more });
      return;
    }
    const { breaks } = this.around.at(-1)!;
    if (openers.includes(before.letter)) {
      if (breaks) this.out.push({ kind: "line", flat: "" });
    } else if (before.letter === "," && breaks) this.out.push({ kind: "line", flat: " " });
    else if (breakable.includes(before.letter) && !this.signed)
      this.out.push({ kind: "line", flat: " ", fill: true, more });
    else if (this.hasSpace(before, piece)) this.text(" ");
  }

  private hasSpace(before: Piece, { letter, rule }: Piece): boolean {
    if (this.signed || letter === "," || before.letter === ".") return false;
    if (letter === ".") return !operands.includes(before.letter);
    if (letter === ";") return before.letter === "r";
    const around = this.around.at(-1)!.rule;
    if (letter === ":") return false;
    if (before.letter === ":") return around === "m";
    // The `=` of a named argument has no spaces, as in `f(a=1)`.
    if (around === "a" && (letter === "=" || before.letter === "=")) return false;
    if (letter === "(") return rule !== "a";
    if (letter === "[") return rule === "[";
    return true;
  }
}
