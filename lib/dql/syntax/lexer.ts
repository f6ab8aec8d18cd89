// Splits a statement into tokens (docs/reference/query.md#names-texts-and-numbers). The grammar parses characters, not
// tokens. The tokens are needed to report invalid characters, and to name the token at which the parser failed.

import { isOpening, LexerCore, type LexicalError, type StringRules } from "../../text/lexer.ts";
import { quoted } from "../../text/quoting.ts";
import type { Offset } from "./ast.ts";
import { isKeyword } from "./keywords.ts";
import { base64Text, isOrderedDuration } from "./literals.ts";

export type TokenKind = "keyword" | "id" | "number" | "duration" | "string" | "operator" | "punctuation";

export interface Token {
  readonly kind: TokenKind;
  readonly at: Offset;
  readonly end: Offset;
}

export interface Tokens {
  readonly list: readonly Token[];
  readonly error: LexicalError | null;
}

/** Largest depth to which brackets may be nested in a statement. */
export const maxNesting = 100;
/** Largest number of nested operators (arithmetic, signs, NOT) in a statement. */
export const maxOperators = 500;

const skipped = /(?:[ \t\r\n]+|#[^\n\r]*)+/y;
const word = /[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*/y;
const number = /(?:0[xX][0-9a-fA-F]*|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]*)?)/y;
const duration = /(?:[0-9]+(?:ns|us|ms|mo|[smhdwy]))+(?![A-Za-z0-9_\u0080-\uffff])/y;
const date = /[0-9]{4}-[0-9]{2}-[0-9]{2}(?: +[0-9]{2}:[0-9]{2}:[0-9]{2})?/y;
/**
 * The escapes in strings. A backslash may stand before each of the three quote characters, also before one that
 * does not enclose the string.
 */
const strings: StringRules = { unterminated: "unterminated quoted string", escapable: "'\"`", refusesX: true };
const wordCharacter = /[A-Za-z0-9_\u0080-\uffff]/;
const operators = ["::", ">=", "<=", "!=", "=~", "!~", "==", "&&", "||", ..."+-*/%^<>=()[]{},;:.@"];
const punctuation = new Set(["::", "==", "=", ..."()[]{},;:.@"]);

export function lex(text: string): Tokens {
  return new Lexer(text).run();
}

class Lexer {
  private readonly core: LexerCore<TokenKind, Token>;
  /**
   * Upper bound for the number of operators that are nested in each other at the current position of the lexer. It
   * is the sum of two numbers: the number of operators since the last comma, semicolon, `and` or `or` inside the
   * innermost open bracket, and the bound at the place where this bracket was opened.
   */
  private operators = 0;
  /** For each open bracket, the value that `operators` had when the bracket was opened. */
  private readonly outside: number[] = [];

  constructor(text: string) {
    this.core = new LexerCore(text, (kind, at, end) => ({ kind, at, end }));
  }

  run(): Tokens {
    this.core.run(skipped, (first) => this.token(first));
    return { list: this.core.list, error: this.core.error };
  }

  private token(first: string): void {
    const { core } = this;
    const wordEnd = core.match(word);
    if (wordEnd !== null) this.word(wordEnd);
    else if (/[0-9]/.test(first) || (first === "." && /[0-9]/.test(core.text[core.at + 1] ?? ""))) this.number();
    else if (first === '"' || first === "'") core.string("string", strings);
    else if (first === "`") core.raw("id");
    else this.operator();
  }

  private word(end: Offset): void {
    const { core } = this;
    const text = core.text.slice(core.at, end).toLowerCase();
    const quote = core.text[end];
    // The content of re'..' and b64'..' is read unchanged, including backslashes.
    if ((text === "re" || text === "b64") && (quote === "'" || quote === '"' || quote === "`")) {
      const close = core.text.indexOf(quote, end + 1);
      const isBad = text === "b64" && close >= 0 && base64Text(core.text.slice(end + 1, close)) === undefined;
      if (isBad) core.fail("invalid base64 string");
      else core.raw("string", end);
      return;
    }
    if (text === "not") this.deeper();
    else if (text === "and" || text === "or") this.operators = this.outside.at(-1) ?? 0;
    if (core.error === null) core.push(isKeyword(text) ? "keyword" : "id", end);
  }

  private deeper(): void {
    if (++this.operators > maxOperators) this.core.fail("nesting too deep");
  }

  private number(): void {
    const { core } = this;
    const dateEnd = this.inBrackets() ? core.match(date) : null;
    if (dateEnd !== null) {
      core.push("string", dateEnd);
      return;
    }
    const durationEnd = core.match(duration);
    const end = durationEnd ?? core.match(number)!;
    const text = core.text.slice(core.at, end);
    if (durationEnd !== null) {
      if (isOrderedDuration(text)) core.push("duration", end);
      else core.fail(`bad duration: ${quoted(text)}`);
    } else if (!wordCharacter.test(core.text[end] ?? "")) core.push("number", end);
    else core.fail(`bad duration: ${quoted(text)}`);
  }

  private inBrackets(): boolean {
    return this.core.open.count("[") > 0;
  }

  private operator(): void {
    const { core } = this;
    // Inside [...], two colons are two separate separators and not the operator `::`.
    const found = operators.find(
      (each) => core.text.startsWith(each, core.at) && !(each === "::" && this.inBrackets()),
    );
    if (found === undefined) {
      core.unexpected();
      return;
    }
    if ("+-*/%^".includes(found)) this.deeper();
    else if (found === "," || found === ";" || found === "&&" || found === "||")
      this.operators = this.outside.at(-1) ?? 0;
    if (core.error === null && this.balance(found))
      core.push(punctuation.has(found) ? "punctuation" : "operator", core.at + found.length);
  }

  /**
   * Counts an opening or closing bracket. Returns false when a closing bracket has no opening one, or when brackets
   * nest too deep.
   */
  private balance(text: string): boolean {
    const { core } = this;
    if (isOpening(text)) this.outside.push(this.operators);
    else if (text === ")" || text === "]" || text === "}") this.operators = this.outside.pop() ?? 0;
    if (core.bracket(text) && isOpening(text) && core.open.total > maxNesting) core.fail("nesting too deep");
    return core.error === null;
  }
}

/** Returns the name of a token for error messages such as `unexpected: ...`. */
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
