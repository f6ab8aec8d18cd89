// Text of a statement to tokens (query document, sections 2 and 9.1): finds what no token can be made of, and gives the parser's
// errors the token they are about. The grammar itself reads characters.

import {
  closingQuote,
  isOpening,
  OpenBrackets,
  type StringRules,
  unexpectedCharacter,
} from "../../pipeline/syntax/lexical.ts";
import { quoted } from "../../pipeline/syntax/quoting.ts";
import type { Offset } from "./ast.ts";
import { isKeyword } from "./keywords.ts";
import { base64Text, isOrderedDuration } from "./literals.ts";

export type TokenKind = "keyword" | "id" | "number" | "duration" | "string" | "operator" | "punctuation";

export interface Token {
  readonly kind: TokenKind;
  readonly at: Offset;
  readonly end: Offset;
}

/** What is wrong, where that is reported, and where the text after it was not read any more. */
export interface LexicalError {
  readonly reason: string;
  readonly at: Offset;
  readonly from: Offset;
}

export interface Tokens {
  readonly list: readonly Token[];
  readonly error: LexicalError | null;
}

/** Brackets inside of brackets. */
export const maxNesting = 100;
/** Operators whose trees stand in each other: of arithmetic, signs, NOT. */
export const maxOperators = 500;

const skipped = /(?:[ \t\r\n]+|#[^\n\r]*)+/y;
const word = /[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*/y;
const number = /(?:0[xX][0-9a-fA-F]*|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]*)?)/y;
const duration = /(?:[0-9]+(?:ns|us|ms|mo|[smhdwy]))+(?![A-Za-z0-9_\u0080-\uffff])/y;
const date = /[0-9]{4}-[0-9]{2}-[0-9]{2}(?: +[0-9]{2}:[0-9]{2}:[0-9]{2})?/y;
/** Every kind of quote may be escaped in every kind of string. */
const strings: StringRules = { unterminated: "unterminated quoted string", escapable: "'\"`", refusesX: true };
const wordCharacter = /[A-Za-z0-9_\u0080-\uffff]/;
const operators = ["::", ">=", "<=", "!=", "=~", "!~", "==", "&&", "||", ..."+-*/%^<>=()[]{},;:.@"];
const punctuation = new Set(["::", "==", "=", ..."()[]{},;:.@"]);

export function lex(text: string): Tokens {
  return new Lexer(text).run();
}

class Lexer {
  private readonly text: string;
  private readonly list: Token[] = [];
  private error: LexicalError | null = null;
  private at = 0;
  private readonly open = new OpenBrackets();
  /** Operators around this place, and around each bracket that is open. */
  private operators = 0;
  private readonly outside: number[] = [];

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
    if (wordEnd !== null) this.word(wordEnd);
    else if (/[0-9]/.test(first) || (first === "." && /[0-9]/.test(this.text[this.at + 1] ?? ""))) this.number();
    else if (first === '"' || first === "'") this.string();
    else if (first === "`") this.raw(this.at, "id");
    else this.operator();
  }

  private word(end: Offset): void {
    const text = this.text.slice(this.at, end).toLowerCase();
    const quote = this.text[end];
    // re'../..' and b64'../..' are read as they stand, backslashes too.
    if ((text === "re" || text === "b64") && (quote === "'" || quote === '"' || quote === "`")) {
      const close = this.text.indexOf(quote, end + 1);
      const isBad = text === "b64" && close >= 0 && base64Text(this.text.slice(end + 1, close)) === undefined;
      if (isBad) this.fail("invalid base64 string");
      else this.raw(end, "string");
      return;
    }
    if (text === "not") this.deeper();
    else if (text === "and" || text === "or") this.operators = this.outside.at(-1) ?? 0;
    if (this.error === null) this.push(isKeyword(text) ? "keyword" : "id", end);
  }

  private deeper(): void {
    if (++this.operators > maxOperators) this.fail("nesting too deep");
  }

  private number(): void {
    const dateEnd = this.inBrackets() ? this.match(date) : null;
    if (dateEnd !== null) {
      this.push("string", dateEnd);
      return;
    }
    const durationEnd = this.match(duration);
    const end = durationEnd ?? this.match(number)!;
    const text = this.text.slice(this.at, end);
    if (durationEnd !== null) {
      if (isOrderedDuration(text)) this.push("duration", end);
      else this.fail(`bad duration: ${quoted(text)}`);
    } else if (!wordCharacter.test(this.text[end] ?? "")) this.push("number", end);
    else this.fail(`bad duration: ${quoted(text)}`);
  }

  private inBrackets(): boolean {
    return this.open.count("[") > 0;
  }

  /** From the quote at `from` to the next one. */
  private raw(from: Offset, kind: TokenKind): void {
    const close = this.text.indexOf(this.text[from]!, from + 1);
    if (close < 0) this.fail("unterminated raw string");
    else this.push(kind, close + 1);
  }

  private string(): void {
    const end = closingQuote(this.text, this.at, strings);
    if (typeof end === "number") this.push("string", end + 1);
    else this.fail(end.problem);
  }

  private operator(): void {
    // Inside [...] two colons are two separators.
    const found = operators.find(
      (each) => this.text.startsWith(each, this.at) && !(each === "::" && this.inBrackets()),
    );
    if (found !== undefined) {
      if ("+-*/%^".includes(found)) this.deeper();
      else if (found === "," || found === ";" || found === "&&" || found === "||")
        this.operators = this.outside.at(-1) ?? 0;
      if (this.error === null && this.balance(found))
        this.push(punctuation.has(found) ? "punctuation" : "operator", this.at + found.length);
      return;
    }
    this.fail(unexpectedCharacter(this.text, this.at));
  }

  /** False when nothing opened the bracket, or brackets stand too deep. */
  private balance(text: string): boolean {
    if (isOpening(text)) this.outside.push(this.operators);
    else if (text === ")" || text === "]" || text === "}") this.operators = this.outside.pop() ?? 0;
    const problem = this.open.take(text);
    if (problem !== null) this.fail(problem, this.at + 1);
    else if (isOpening(text) && this.open.total > maxNesting) this.fail("nesting too deep");
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

  private push(kind: TokenKind, end: Offset): void {
    this.list.push({ kind, at: this.at, end });
    this.at = end;
  }

  private fail(reason: string, at: Offset = this.at): void {
    this.error = { reason, at, from: this.at };
  }
}

/** How `unexpected: ...` names a token. */
export function tokenName({ kind, at, end }: Token, source: string): string {
  const text = source.slice(at, end);
  switch (kind) {
    case "keyword":
      return `<${text}>`;
    case "operator":
      return `<op:'${text}'>`;
    case "punctuation":
      return quoted(text);
    case "id":
      return `id ${text.startsWith("`") ? shortened(text) : quoted(text)}`;
    default:
      return `${kind} ${shortened(text)}`;
  }
}

function shortened(text: string): string {
  const characters = [...text];
  return characters.length <= 10 ? quoted(text) : `${quoted(characters.slice(0, 10).join(""))}...`;
}
