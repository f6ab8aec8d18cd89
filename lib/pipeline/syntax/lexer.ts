// Splits a script into tokens (docs/reference/language.md#source-text). A lexical error ends the list of tokens with a
// `?` token; the error is only reported when the parser reaches this token.

import { requireString } from "../../text/argument.ts";
import { LexerCore, type LexicalError, type StringRules } from "../../text/lexer.ts";
import { quoted } from "../../text/quoting.ts";
import type { Offset } from "./ast.ts";
import { keywords, type Letter, type Operator, operators, type Token } from "./token.ts";

/** The tokens of a script. */
export interface Tokens {
  readonly list: readonly Token[];
  /** The lexical error that ended the list with the token `?`; null when there is no error. */
  readonly error: LexicalError | null;
}

/** Matches the text between tokens: blanks, and comments up to the end of the line. */
const skipped = /(?:[ \t\r]+|#[^\r\n]*)+/y;
const word = /[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*/y;
const number = /(?:0[xX][0-9a-fA-F]*(?:\.[0-9a-fA-F]*)?|[0-9]+(?:\.[0-9]*)?)(?:[eE][+-]?[0-9]*)?/y;
const strings: StringRules = {
  unterminated: "unterminated quoted string within lexString",
  escapable: "",
  refusesX: false,
};
const wordCharacter = /[A-Za-z0-9_\u0080-\uffff]/;

/** Operators, grouped by their first character. */
const operatorsBy: ReadonlyMap<string, readonly Operator[]> = new Map(
  operators.map(([text]) => [text[0]!, operators.filter(([other]) => other[0] === text[0])]),
);

/**
 * Splits a script into tokens. An error is part of the result, not thrown.
 *
 * @example
 * lex("drop()").list.length; // 3
 */
export function lex(text: string): Tokens {
  requireString("tokenize", "text", text);
  return new Lexer(text).run();
}

/**
 * Splits the text from the offset `from` on into tokens, to continue after an error. Does not check that brackets
 * match.
 */
export function lexFrom(text: string, from: Offset): Tokens {
  return new Lexer(text, from, false).run();
}

class Lexer {
  private readonly core: LexerCore<Letter, Token>;
  private readonly counts: boolean;

  constructor(text: string, from: Offset = 0, counts = true) {
    this.core = new LexerCore(text, (letter, at, end) => ({ letter, at, end }), from);
    this.counts = counts;
  }

  run(): Tokens {
    const { core } = this;
    core.run(skipped, (first) => this.token(first));
    if (core.error !== null) core.push("?", core.at);
    return { list: core.list, error: core.error };
  }

  private token(first: string): void {
    const { core } = this;
    const here = operatorsBy.get(first);
    if (here !== undefined) this.operator(here);
    else if (first === "\n") core.push("n", core.at + 1);
    else if (first >= "0" && first <= "9") this.number();
    else if (first === '"' || first === "'") this.string(first);
    else if (first === "`") core.raw("i");
    else this.word();
  }

  private word(): void {
    const { core } = this;
    const end = core.match(word);
    if (end === null) core.unexpected();
    else core.push(keywords.get(core.text.slice(core.at, end).toLowerCase()) ?? "i", end);
  }

  private number(): void {
    const { core } = this;
    const end = core.match(number)!;
    const next = core.text[end];
    if (next !== undefined && wordCharacter.test(next)) {
      core.fail(`bad duration: ${quoted(core.text.slice(core.at, end))}`);
    } else core.push("0", end);
  }

  private string(quote: string): void {
    if (this.core.text.startsWith(quote.repeat(3), this.core.at)) this.multiline();
    else this.core.string("s", strings);
  }

  private multiline(): void {
    const { core } = this;
    const close = /["']{3}/g;
    close.lastIndex = core.at + 3;
    if (close.test(core.text)) core.push("s", close.lastIndex);
    else core.fail("unterminated quoted string within lexMultilineString");
  }

  private operator(here: readonly Operator[]): void {
    const { core } = this;
    for (const [text, letter] of here) {
      if (text.length === 1 || core.text.startsWith(text, core.at)) {
        if (!this.counts || core.bracket(letter)) core.push(letter, core.at + text.length);
        return;
      }
    }
    core.unexpected();
  }
}
