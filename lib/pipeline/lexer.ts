// Text to tokens (pipeline document, section 1). A lexical error ends the list with a `?` token: it counts only
// when the parser gets that far.

import type { Offset } from "./ast.ts";
import { quoted, quotedCharacter } from "./quoting.ts";
import { escapeError } from "./string-literal.ts";
import { keywords, type Letter, type LexicalError, type Operator, operators, type Token } from "./token.ts";

export interface Tokens {
  readonly list: readonly Token[];
  /** What the closing `?` stands for. */
  readonly error: LexicalError | null;
}

/** Runs of what separates tokens: blanks, and a comment up to the end of its line. */
const skipped = /(?:[ \t\r]+|#[^\r\n]*)+/y;
const word = /[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*/y;
const number = /(?:0[xX][0-9a-fA-F]*(?:\.[0-9a-fA-F]*)?|[0-9]+(?:\.[0-9]*)?)(?:[eE][+-]?[0-9]*)?/y;
/** What `skipped` can begin with. */
const blanks = new Set(" \t\r#");
const wordCharacter = /[A-Za-z0-9_\u0080-\uffff]/;

/** By the character they begin with. */
const operatorsBy: ReadonlyMap<string, readonly Operator[]> = new Map(
  operators.map(([text]) => [text[0]!, operators.filter(([other]) => other[0] === text[0])]),
);

export function lex(text: string): Tokens {
  return new Lexer(text).run();
}

/** Goes on at `from`, behind a mistake: whether brackets match is not looked at. */
export function lexRest(text: string, from: Offset): Tokens {
  return new Lexer(text, from, false).run();
}

class Lexer {
  private readonly text: string;
  private readonly counts: boolean;
  private readonly list: Token[] = [];
  private error: LexicalError | null = null;
  private at: Offset;
  private parentheses = 0;
  private brackets = 0;
  private braces = 0;

  constructor(text: string, from: Offset = 0, counts = true) {
    this.text = text;
    this.at = from;
    this.counts = counts;
  }

  run(): Tokens {
    while (this.error === null) {
      if (blanks.has(this.text[this.at]!)) this.at = this.match(skipped)!;
      if (this.at >= this.text.length) break;
      this.token();
    }
    if (this.error === null) this.atEnd();
    return { list: this.list, error: this.error };
  }

  private token(): void {
    const first = this.text[this.at]!;
    const here = operatorsBy.get(first);
    if (here !== undefined) this.operator(here, first);
    else if (first === "\n") this.push("n", this.at + 1);
    else if (first >= "0" && first <= "9") this.number();
    else if (first === '"' || first === "'") this.string(first);
    else if (first === "`") this.quotedName();
    else this.word();
  }

  private word(): void {
    const end = this.match(word);
    if (end === null) this.unknown();
    else this.push(keywords.get(this.text.slice(this.at, end).toLowerCase()) ?? "i", end);
  }

  private quotedName(): void {
    const close = this.text.indexOf("`", this.at + 1);
    if (close < 0) this.fail("unterminated raw string");
    else this.push("i", close + 1);
  }

  private number(): void {
    const end = this.match(number)!;
    const next = this.text[end];
    if (next !== undefined && wordCharacter.test(next)) {
      this.fail(`bad duration: ${quoted(this.text.slice(this.at, end))}`);
    } else this.push("0", end);
  }

  private string(quote: string): void {
    if (this.text.startsWith(quote.repeat(3), this.at)) this.multiline();
    else {
      const end = this.closingQuote(quote);
      if (typeof end === "number") this.push("s", end + 1);
      else this.fail(end.problem);
    }
  }

  /** Where a single-line string ends. */
  private closingQuote(quote: string): Offset | { readonly problem: string } {
    for (let end = this.at + 1; ; end++) {
      const character = this.text[end];
      if (character === quote) return end;
      if (character === "\\") {
        const problem = escapeError(this.text, end, quote);
        if (problem !== null) return { problem };
        end++;
      } else if (character === undefined || character === "\n") {
        return { problem: "unterminated quoted string within lexString" };
      }
    }
  }

  private multiline(): void {
    const close = /["']{3}/g;
    close.lastIndex = this.at + 3;
    if (close.test(this.text)) this.push("s", close.lastIndex);
    else this.fail("unterminated quoted string within lexMultilineString");
  }

  private operator(here: readonly Operator[], first: string): void {
    for (const [text, letter] of here) {
      if (text.length === 1 || this.text.startsWith(text, this.at)) {
        if (this.balance(letter)) this.push(letter, this.at + text.length);
        return;
      }
    }
    const character = quotedCharacter(first);
    this.fail(`unexpected character \`${character}' after \`!'`);
  }

  private unknown(): void {
    const character = String.fromCodePoint(this.text.codePointAt(this.at)!);
    this.fail(`unexpected character: ${quotedCharacter(character)}`);
  }

  /** Each kind of bracket is counted on its own; that they nest is the parser's business. */
  private balance(letter: Letter): boolean {
    if (!this.counts) return true;
    switch (letter) {
      case "(":
        this.parentheses++;
        break;
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

  private fail(message: string, at: Offset = this.at): void {
    this.error = { message, at };
    this.list.push({ letter: "?", at: this.at, end: this.at });
  }
}
