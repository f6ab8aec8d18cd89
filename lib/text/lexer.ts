// The core of the lexers for scripts, filter conditions and DQL statements: the place in the text, the tokens read so
// far, the error that ended them, strings, and brackets. Each language adds its own words, numbers and operators.

import { codePointName, quotedCharacter } from "./quoting.ts";
import { escapeError } from "./string-literal.ts";

/** UTF-16 index into the text. */
type Offset = number;

/** A lexical error: the message, the place that is reported, and the place where reading stopped. */
export interface LexicalError {
  readonly message: string;
  readonly at: Offset;
  readonly from: Offset;
}

export interface StringRules {
  /** The message for a string whose line ends before its closing quote. */
  readonly unterminated: string;
  /** Quotes that may be escaped, besides the string's own. */
  readonly escapable: string;
  /** Whether the lexer refuses `\X41`; scripts refuse it when they read the value. */
  readonly refusesX: boolean;
}

/** Returns the offset of the quote that closes the string opened at `from`, or the problem with that string. */
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

/** Returns the message for the character at `at`, which begins no token. */
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

/** Counts each kind of bracket separately; the parser checks that they nest. */
class OpenBrackets {
  private readonly counts = { "(": 0, "[": 0, "{": 0 };

  count(bracket: Opening): number {
    return this.counts[bracket];
  }

  get total(): number {
    return this.counts["("] + this.counts["["] + this.counts["{"];
  }

  /**
   * Counts a token. Returns the problem: a `)` or `}` without an opening bracket, which is reported behind the token.
   * The parser reports `]`.
   */
  take(token: string): string | null {
    if (isOpening(token)) this.counts[token]++;
    const opening = openings[token];
    if (opening === undefined || --this.counts[opening] >= 0 || opening === "[") return null;
    return `unexpected right parenthesis '${token}'`;
  }

  /** Returns the problem at the end of the text. */
  unclosed(): string | null {
    if (this.counts["("] > 0) return "unclosed left parenthesis";
    if (this.counts["["] > 0) return "unclosed left bracket";
    return this.counts["{"] > 0 ? "unclosed left brace" : null;
  }
}

/** Reads tokens of a language from a text. `make` builds a token of a kind from its place. */
export class LexerCore<Kind, Token> {
  readonly text: string;
  /** The place of the next token, a UTF-16 index. */
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
   * Calls `token` at the place of each token, until the text ends or a token is an error. `skipped` matches the text
   * between tokens.
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

  /** Matches `pattern`, a sticky expression, at this place. Returns the end of the match; null when it does not match. */
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

  /** Reads the string that begins here. */
  string(kind: Kind, rules: StringRules): void {
    const end = closingQuote(this.text, this.at, rules);
    if (typeof end === "number") this.push(kind, end + 1);
    else this.fail(end.problem);
  }

  /** Reads from the quote at `from` to the next equal quote; there are no escapes. */
  raw(kind: Kind, from: Offset = this.at): void {
    const close = this.text.indexOf(this.text[from]!, from + 1);
    if (close < 0) this.fail("unterminated raw string");
    else this.push(kind, close + 1);
  }

  /** Counts a bracket. Returns false when a closing bracket has no opening one. */
  bracket(token: string): boolean {
    const problem = this.open.take(token);
    if (problem !== null) this.fail(problem, this.at + 1);
    return problem === null;
  }

  /** Fails at a character that begins no token. */
  unexpected(): void {
    this.fail(unexpectedCharacter(this.text, this.at));
  }
}
