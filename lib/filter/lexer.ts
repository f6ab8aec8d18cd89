// Text of a condition to tokens (gateway document, section 3.3). A lexical error ends the list with a `?` token: it counts
// only when the parser gets that far.

import { closingQuote, OpenBrackets, type StringRules, unexpectedCharacter } from "../pipeline/syntax/lexical.ts";
import { quoted } from "../pipeline/syntax/quoting.ts";
import { keywords, type Letter, type Offset, operators, type Token } from "./token.ts";

/** What is wrong, and where that is reported. */
export interface LexicalError {
  readonly reason: string;
  readonly at: Offset;
}

export interface Tokens {
  readonly list: readonly Token[];
  /** What the closing `?` stands for. */
  readonly error: LexicalError | null;
}

/** Parentheses inside of parentheses. */
export const maxNesting = 200;

/** Runs of what separates tokens: blanks, line ends, and a comment up to the end of its line. */
const skipped = /(?:[ \t\r\n]+|#[^\n]*)+/y;
const word = /[A-Za-z_][A-Za-z0-9_]*/y;
const number = /(?:0[xX][0-9a-fA-F]*|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]*)?)/y;
const duration = /(?:[0-9]+(?:ns|us|ms|[smhdwy]))+(?![A-Za-z0-9_])/y;
/** Either quote may be escaped in either kind of string. */
const strings: StringRules = { unterminated: "unterminated quoted string", escapable: "'\"", refusesX: true };
const wordCharacter = /[A-Za-z0-9_]/;

export function lex(text: string): Tokens {
  return new Lexer(text).run();
}

class Lexer {
  private readonly text: string;
  private readonly list: Token[] = [];
  private error: LexicalError | null = null;
  private at = 0;
  private readonly open = new OpenBrackets();

  constructor(text: string) {
    this.text = text;
  }

  run(): Tokens {
    while (this.error === null) {
      this.at = this.match(skipped) ?? this.at;
      if (this.at >= this.text.length) break;
      this.token();
    }
    if (this.error === null) this.atEnd();
    return { list: this.list, error: this.error };
  }

  private token(): void {
    const first = this.text[this.at]!;
    const wordEnd = this.match(word);
    if (wordEnd !== null) {
      const letter = keywords.get(this.text.slice(this.at, wordEnd).toLowerCase()) ?? "i";
      this.push(letter, wordEnd);
    } else if (/[0-9]/.test(first) || (first === "." && /[0-9]/.test(this.text[this.at + 1] ?? ""))) this.number();
    else if (first === '"' || first === "'") this.string();
    else if (first === "`") {
      const close = this.text.indexOf("`", this.at + 1);
      if (close < 0) this.fail("unterminated raw string");
      else this.push("b", close + 1);
    } else this.operator();
  }

  private number(): void {
    const durationEnd = this.match(duration);
    const end = durationEnd ?? this.match(number)!;
    if (durationEnd !== null) this.push("D", end);
    else if (!wordCharacter.test(this.text[end] ?? "")) this.push("0", end);
    else this.fail(`bad duration: ${quoted(this.text.slice(this.at, end))}`);
  }

  private string(): void {
    const end = closingQuote(this.text, this.at, strings);
    if (typeof end === "number") this.push("s", end + 1);
    else this.fail(end.problem);
  }

  private operator(): void {
    for (const [text, letter] of operators) {
      if (this.text.startsWith(text, this.at)) {
        if (this.balance(letter)) this.push(letter, this.at + text.length);
        return;
      }
    }
    this.fail(unexpectedCharacter(this.text, this.at));
  }

  /** False when nothing opened the bracket, or parentheses stand too deep. */
  private balance(letter: Letter): boolean {
    const problem = this.open.take(letter);
    if (problem !== null) this.fail(problem, this.at + 1);
    else if (letter === "(" && this.open.count("(") > maxNesting) this.fail("nesting too deep");
    return this.error === null;
  }

  private atEnd(): void {
    const problem = this.open.unclosed();
    if (problem !== null) this.fail(problem);
  }

  /** Where `pattern`, matched here, ends. */
  private match(pattern: RegExp): Offset | null {
    pattern.lastIndex = this.at;
    return pattern.test(this.text) ? pattern.lastIndex : null;
  }

  private push(letter: Letter, end: Offset): void {
    this.list.push({ letter, at: this.at, end });
    this.at = end;
  }

  private fail(reason: string, at: Offset = this.at): void {
    this.error = { reason, at };
    this.list.push({ letter: "?", at: this.at, end: this.at });
  }
}
