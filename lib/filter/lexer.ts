// Text of a condition to tokens (gateway document, section 3.3). A lexical error ends the list with a `?` token: it counts
// only when the parser gets that far.

import { quoted, quotedCharacter } from "../pipeline/quoting.ts";
import { escapeError } from "../pipeline/string-literal.ts";
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
const wordCharacter = /[A-Za-z0-9_]/;

export function lex(text: string): Tokens {
  return new Lexer(text).run();
}

class Lexer {
  private readonly text: string;
  private readonly list: Token[] = [];
  private error: LexicalError | null = null;
  private at = 0;
  private parentheses = 0;
  private brackets = 0;
  private braces = 0;

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
    else if (first === '"' || first === "'") this.string(first);
    else if (first === "`") {
      const close = this.text.indexOf("`", this.at + 1);
      if (close < 0) this.fail("unterminated raw string");
      else this.push("b", close + 1);
    } else this.operator(first);
  }

  private number(): void {
    const durationEnd = this.match(duration);
    const end = durationEnd ?? this.match(number)!;
    if (durationEnd !== null) this.push("D", end);
    else if (!wordCharacter.test(this.text[end] ?? "")) this.push("0", end);
    else this.fail(`bad duration: ${quoted(this.text.slice(this.at, end))}`);
  }

  private string(quote: string): void {
    const end = this.closingQuote(quote);
    if (typeof end === "number") this.push("s", end + 1);
    else this.fail(end.reason);
  }

  private closingQuote(quote: string): Offset | { readonly reason: string } {
    for (let end = this.at + 1; ; end++) {
      const character = this.text[end];
      if (character === quote) return end;
      if (character === undefined || character === "\n") return { reason: "unterminated quoted string" };
      if (character !== "\\") continue;
      const escaped = this.text[end + 1];
      if (escaped === "X") return { reason: "unknown escape sequence U+0058 'X'" };
      // Either quote may be escaped in either kind of string.
      const reason = escapeError(this.text, end, escaped === '"' || escaped === "'" ? escaped : quote);
      if (reason !== null) return { reason };
      end++;
    }
  }

  private operator(first: string): void {
    for (const [text, letter] of operators) {
      if (this.text.startsWith(text, this.at)) {
        if (this.balance(letter)) this.push(letter, this.at + text.length);
        return;
      }
    }
    const character = String.fromCodePoint(this.text.codePointAt(this.at)!);
    if (first === "!" || first === "&" || first === "|") {
      const following = this.text.codePointAt(this.at + 1) ?? 0xfffd;
      const shown = first === "!" ? String.fromCodePoint(following) : character;
      this.fail(`unexpected character \`${quotedCharacter(shown)}' after \`!'`);
    } else this.fail(`unexpected character: ${quotedCharacter(character)}`);
  }

  /** Each kind of bracket is counted on its own; that they nest is the parser's business. */
  private balance(letter: Letter): boolean {
    switch (letter) {
      case "(":
        if (++this.parentheses <= maxNesting) return true;
        this.fail("nesting too deep");
        return false;
      case ")":
        if (--this.parentheses < 0) return this.unopened(")");
        break;
      case "[":
        this.brackets++;
        break;
      case "]":
        this.brackets--;
        break;
      case "{":
        this.braces++;
        break;
      case "}":
        if (--this.braces < 0) return this.unopened("}");
        break;
    }
    return true;
  }

  /** Reported behind the bracket, as by the reference. */
  private unopened(bracket: Letter): false {
    this.fail(`unexpected right parenthesis '${bracket}'`, this.at + 1);
    return false;
  }

  private atEnd(): void {
    if (this.parentheses > 0) this.fail("unclosed left parenthesis");
    else if (this.brackets > 0) this.fail("unclosed left bracket");
    else if (this.braces > 0) this.fail("unclosed left brace");
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
