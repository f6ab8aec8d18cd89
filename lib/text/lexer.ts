// The common core of the lexers for scripts, filter conditions and DQL queries: the position in the text, the tokens
// read so far, the error that ended the reading, strings, and brackets. Each language adds its own words, numbers and
// operators.

import { codePointName, quotedCharacter } from "./quoting.ts";
import { escapeError } from "./string-literal.ts";

/** A position in the text, as a UTF-16 index. */
type Offset = number;

/**
 * A lexical error: its message, the offset that the message names (`at`), and the offset at which the lexer stopped
 * reading (`from`).
 */
export interface LexicalError {
  readonly message: string;
  readonly at: Offset;
  readonly from: Offset;
}

export interface StringRules {
  /** The error message for a string that is not closed on its line. */
  readonly unterminated: string;
  /** Quote characters that may be escaped in a string, besides the string's own quote. */
  readonly escapable: string;
  /**
   * Whether the lexer refuses the escape `\X41` (with a capital X). The lexer of scripts accepts this escape, and the
   * escape is refused later, when the value of the string is computed.
   */
  readonly refusesX: boolean;
}

/** Returns the offset of the quote that closes the string opened at `from`, or the error message for that string. */
function closingQuote(text: string, from: Offset, rules: StringRules): Offset | { readonly problem: string } {
  const quote = text[from]!;
  for (let end = from + 1; ; end++) {
    const character = text[end];
    if (character === quote) return end;
    if (character === undefined || character === "\n") return { problem: rules.unterminated };
    if (character !== "\\") continue;
    const escaped = text[end + 1] ?? "";
    if (escaped === "X" && rules.refusesX) return { problem: `unknown escape sequence ${codePointName("X")}` };
    const problem = escapeError(text, end, escaped !== "" && rules.escapable.includes(escaped) ? escaped : quote);
    if (problem !== null) return { problem };
    end++;
  }
}

/** Returns the error message for the character at offset `at`, with which no token can begin. */
function unexpectedCharacter(text: string, at: Offset): string {
  const character = String.fromCodePoint(text.codePointAt(at)!);
  if (character !== "!" && character !== "&" && character !== "|") {
    return `unexpected character: ${quotedCharacter(character)}`;
  }
  const shown = character === "!" ? String.fromCodePoint(text.codePointAt(at + 1) ?? 0xfffd) : character;
  return `unexpected character \`${quotedCharacter(shown)}' after \`!'`;
}

export type Opening = "(" | "[" | "{";

const openings: Readonly<Record<string, Opening | undefined>> = { ")": "(", "]": "[", "}": "{" };

export function isOpening(token: string): token is Opening {
  return token === "(" || token === "[" || token === "{";
}

/**
 * Counts the open brackets of each type separately. Whether brackets of different types nest correctly is checked
 * later, by the parser.
 */
class OpenBrackets {
  private readonly counts = { "(": 0, "[": 0, "{": 0 };

  count(bracket: Opening): number {
    return this.counts[bracket];
  }

  get total(): number {
    return this.counts["("] + this.counts["["] + this.counts["{"];
  }

  /**
   * Counts a bracket token. Returns the error message for a `)` or `}` without an opening bracket; this error is
   * reported at the offset after the token. A `]` without an opening bracket is reported by the parser.
   */
  take(token: string): string | null {
    if (isOpening(token)) this.counts[token]++;
    const opening = openings[token];
    if (opening === undefined || --this.counts[opening] >= 0 || opening === "[") return null;
    return `unexpected right parenthesis '${token}'`;
  }

  /** Returns the error message for brackets that are still open at the end of the text; null when there are none. */
  unclosed(): string | null {
    if (this.counts["("] > 0) return "unclosed left parenthesis";
    if (this.counts["["] > 0) return "unclosed left bracket";
    return this.counts["{"] > 0 ? "unclosed left brace" : null;
  }
}

/** Reads the tokens of a language from a text. `make` builds a token from its type and its start and end offsets. */
export class LexerCore<Kind, Token> {
  readonly text: string;
  /** The UTF-16 index of the next token. */
  at: Offset;
  readonly list: Token[] = [];
  readonly open = new OpenBrackets();
  error: LexicalError | null = null;
  private readonly make: (kind: Kind, at: Offset, end: Offset) => Token;

  constructor(text: string, make: (kind: Kind, at: Offset, end: Offset) => Token, from: Offset = 0) {
    this.text = text;
    this.make = make;
    this.at = from;
  }

  /**
   * Calls `token` at the start of each token, until the text ends or an error is found. `skipped` matches the text
   * between tokens, such as blanks.
   */
  run(skipped: RegExp, token: (first: string) => void): void {
    while (this.error === null) {
      this.at = this.match(skipped) ?? this.at;
      if (this.at >= this.text.length) break;
      token(this.text[this.at]!);
    }
    const unclosed = this.error === null ? this.open.unclosed() : null;
    if (unclosed !== null) this.fail(unclosed);
  }

  /**
   * Matches `pattern`, a sticky regular expression, at the current offset. Returns the end of the match; null when it
   * does not match.
   */
  match(pattern: RegExp): Offset | null {
    pattern.lastIndex = this.at;
    return pattern.test(this.text) ? pattern.lastIndex : null;
  }

  push(kind: Kind, end: Offset): void {
    this.list.push(this.make(kind, this.at, end));
    this.at = end;
  }

  fail(message: string, at: Offset = this.at): void {
    this.error = { message, at, from: this.at };
  }

  /** Reads the string literal that begins at the current offset. */
  string(kind: Kind, rules: StringRules): void {
    const end = closingQuote(this.text, this.at, rules);
    if (typeof end === "number") this.push(kind, end + 1);
    else this.fail(end.problem);
  }

  /** Reads a raw string from the quote at `from` to the next equal quote. Raw strings have no escapes. */
  raw(kind: Kind, from: Offset = this.at): void {
    const close = this.text.indexOf(this.text[from]!, from + 1);
    if (close < 0) this.fail("unterminated raw string");
    else this.push(kind, close + 1);
  }

  /** Counts a bracket token. Returns false when a closing bracket has no opening bracket. */
  bracket(token: string): boolean {
    const problem = this.open.take(token);
    if (problem !== null) this.fail(problem, this.at + 1);
    return problem === null;
  }

  /** Reports an error at the current character, with which no token can begin. */
  unexpected(): void {
    this.fail(unexpectedCharacter(this.text, this.at));
  }
}
