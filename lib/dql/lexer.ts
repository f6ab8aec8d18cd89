// Text of a statement to tokens (query document, sections 2 and 9.1): finds what no token can be made of, and gives the parser's
// errors the token they are about. The grammar itself reads characters.

import { codePointName, quoted, quotedCharacter } from "../pipeline/quoting.ts";
import { escapeError } from "../pipeline/string-literal.ts";
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
const duration = /(?:[0-9]+(?:ns|us|ms|[smhdwy]))+(?![A-Za-z0-9_\u0080-\uffff])/y;
const date = /[0-9]{4}-[0-9]{2}-[0-9]{2}(?: +[0-9]{2}:[0-9]{2}:[0-9]{2})?/y;
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
  /** Opened and not closed. */
  private readonly open = { "(": 0, "[": 0, "{": 0 };
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
    else if (first === '"' || first === "'") this.string(this.at);
    else if (first === "`") this.raw(this.at, "id");
    else this.operator(first);
  }

  private word(end: Offset): void {
    const text = this.text.slice(this.at, end).toLowerCase();
    const quote = this.text[end];
    // re'..' and b64'..' are read as they stand, backslashes too.
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
    return this.open["["] > 0;
  }

  /** From the quote at `from` to the next one. */
  private raw(from: Offset, kind: TokenKind): void {
    const close = this.text.indexOf(this.text[from]!, from + 1);
    if (close < 0) this.fail("unterminated raw string");
    else this.push(kind, close + 1);
  }

  private string(from: Offset): void {
    const end = this.closingQuote(from);
    if (typeof end === "number") this.push("string", end + 1);
    else this.fail(end.reason);
  }

  private closingQuote(from: Offset): Offset | { readonly reason: string } {
    const quote = this.text[from]!;
    for (let end = from + 1; ; end++) {
      const character = this.text[end];
      if (character === quote) return end;
      if (character === undefined || character === "\n") return { reason: "unterminated quoted string" };
      if (character !== "\\") continue;
      const escaped = this.text[end + 1] ?? "";
      if (escaped === "X") return { reason: `unknown escape sequence ${codePointName("X")}` };
      // Every kind of quote may be escaped in every kind of string.
      const reason = escapeError(this.text, end, "'\"`".includes(escaped) ? escaped : quote);
      if (reason !== null) return { reason };
      end++;
    }
  }

  private operator(first: string): void {
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
    const character = String.fromCodePoint(this.text.codePointAt(this.at)!);
    if (first === "!" || first === "&" || first === "|") {
      const following = this.text.codePointAt(this.at + 1) ?? 0xfffd;
      const shown = first === "!" ? String.fromCodePoint(following) : character;
      this.fail(`unexpected character \`${quotedCharacter(shown)}' after \`!'`);
    } else this.fail(`unexpected character: ${quotedCharacter(character)}`);
  }

  /** Each kind of bracket is counted on its own; that they nest is the grammar's business. */
  private balance(text: string): boolean {
    if (text === "(" || text === "[" || text === "{") {
      this.open[text]++;
      this.outside.push(this.operators);
      if (this.open["("] + this.open["["] + this.open["{"] <= maxNesting) return true;
      this.fail("nesting too deep");
      return false;
    }
    const opening = ({ ")": "(", "]": "[", "}": "{" } as const)[text];
    if (opening !== undefined) this.operators = this.outside.pop() ?? 0;
    if (opening === undefined || --this.open[opening] >= 0 || opening === "[") return true;
    // Reported behind the bracket, as by the reference.
    this.fail(`unexpected right parenthesis '${text}'`, this.at + 1);
    return false;
  }

  private atEnd(): void {
    if (this.open["("] > 0) this.fail("unclosed left parenthesis");
    else if (this.open["["] > 0) this.fail("unclosed left bracket");
    else if (this.open["{"] > 0) this.fail("unclosed left brace");
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
