// Text to tokens (pipeline document, section 1). A lexical error ends the list with a `?` token: it counts only
// when the parser gets that far.

import type { Offset } from "./ast.ts";
import { closingQuote, OpenBrackets, type StringRules, unexpectedCharacter } from "./lexical.ts";
import { quoted } from "./quoting.ts";
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
const strings: StringRules = {
  unterminated: "unterminated quoted string within lexString",
  escapable: "",
  refusesX: false,
};
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
  private readonly open = new OpenBrackets();

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
    if (here !== undefined) this.operator(here);
    else if (first === "\n") this.push("n", this.at + 1);
    else if (first >= "0" && first <= "9") this.number();
    else if (first === '"' || first === "'") this.string(first);
    else if (first === "`") this.quotedName();
    else this.word();
  }

  private word(): void {
    const end = this.match(word);
    if (end === null) this.fail(unexpectedCharacter(this.text, this.at));
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
      const end = closingQuote(this.text, this.at, strings);
      if (typeof end === "number") this.push("s", end + 1);
      else this.fail(end.problem);
    }
  }

  private multiline(): void {
    const close = /["']{3}/g;
    close.lastIndex = this.at + 3;
    if (close.test(this.text)) this.push("s", close.lastIndex);
    else this.fail("unterminated quoted string within lexMultilineString");
  }

  private operator(here: readonly Operator[]): void {
    for (const [text, letter] of here) {
      if (text.length === 1 || this.text.startsWith(text, this.at)) {
        if (this.balance(letter)) this.push(letter, this.at + text.length);
        return;
      }
    }
    this.fail(unexpectedCharacter(this.text, this.at));
  }

  /** False when nothing opened the bracket. */
  private balance(letter: Letter): boolean {
    const problem = this.counts ? this.open.take(letter) : null;
    if (problem !== null) this.fail(problem, this.at + 1);
    return problem === null;
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

  private fail(message: string, at: Offset = this.at): void {
    this.error = { message, at };
    this.list.push({ letter: "?", at: this.at, end: this.at });
  }
}
