// Splits a condition into tokens (docs/reference/gateway.md#conditions). A lexical error ends the list with the token
// `?`; the parser reports the error only when it reaches this token.

import { LexerCore, type LexicalError, type StringRules } from "../text/lexer.ts";
import { quoted } from "../text/quoting.ts";
import { keywords, type Letter, operators, type Token } from "./token.ts";

export interface Tokens {
  readonly list: readonly Token[];
  /** The lexical error that ended the list with the token `?`; null when there is no error. */
  readonly error: LexicalError | null;
}

/** Deepest nesting of parentheses in a condition. */
export const maxNesting = 200;

/** Matches the text between tokens: blanks, line ends, and comments from `#` to the end of the line. */
const skipped = /(?:[ \t\r\n]+|#[^\n]*)+/y;
const word = /[A-Za-z_][A-Za-z0-9_]*/y;
const number = /(?:0[xX][0-9a-fA-F]*|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]*)?)/y;
const duration = /(?:[0-9]+(?:ns|us|ms|[smhdwy]))+(?![A-Za-z0-9_])/y;
/** In every string, both quote characters (`'` and `"`) may be escaped, no matter which one encloses the string. */
const strings: StringRules = { unterminated: "unterminated quoted string", escapable: "'\"", refusesX: true };
const wordCharacter = /[A-Za-z0-9_]/;

export function lex(text: string): Tokens {
  return new Lexer(text).run();
}

class Lexer {
  private readonly core: LexerCore<Letter, Token>;

  constructor(text: string) {
    this.core = new LexerCore(text, (letter, at, end) => ({ letter, at, end }));
  }

  run(): Tokens {
    const { core } = this;
    core.run(skipped, (first) => this.token(first));
    if (core.error !== null) core.push("?", core.at);
    return { list: core.list, error: core.error };
  }

  private token(first: string): void {
    const { core } = this;
    const wordEnd = core.match(word);
    if (wordEnd !== null) {
      const letter = keywords.get(core.text.slice(core.at, wordEnd).toLowerCase()) ?? "i";
      core.push(letter, wordEnd);
    } else if (/[0-9]/.test(first) || (first === "." && /[0-9]/.test(core.text[core.at + 1] ?? ""))) this.number();
    else if (first === '"' || first === "'") core.string("s", strings);
    else if (first === "`") core.raw("b");
    else this.operator();
  }

  private number(): void {
    const { core } = this;
    const durationEnd = core.match(duration);
    const end = durationEnd ?? core.match(number)!;
    if (durationEnd !== null) core.push("D", end);
    else if (!wordCharacter.test(core.text[end] ?? "")) core.push("0", end);
    else core.fail(`bad duration: ${quoted(core.text.slice(core.at, end))}`);
  }

  private operator(): void {
    const { core } = this;
    for (const [text, letter] of operators) {
      if (core.text.startsWith(text, core.at)) {
        if (this.balance(letter)) core.push(letter, core.at + text.length);
        return;
      }
    }
    core.unexpected();
  }

  /**
   * Counts an opening or closing bracket. Returns false when a closing bracket has no matching opening bracket, or
   * when parentheses are nested too deeply.
   */
  private balance(letter: Letter): boolean {
    const { core } = this;
    if (core.bracket(letter) && letter === "(" && core.open.count("(") > maxNesting) core.fail("nesting too deep");
    return core.error === null;
  }
}
