// The filter string of a tag rule, in the syntax of the platform's search box
// (docs/reference/gateway.md#rules-for-tags):
//
//   expr  := and ( 'OR' and )*
//   and   := not ( ['AND'] not )*                       two terms side by side are both required
//   not   := 'NOT' not | '-' '(' expr ')' | prim
//   prim  := '(' expr ')' | ['-'] key ':' vexpr
//   vexpr := value | '(' value ( ('AND' | 'OR')? value )* ')'
//   value := "quoted" | bare                            bare: wildcards, `>n` and the like, `*` for any value

import { type WildcardPart, wildcardAny, wildcardRun, wildcardTest } from "../filter/wildcard.ts";
import { scalarText } from "./plain-point.ts";

/** Returns the value that the tested point has for a key; undefined when the point has no value for it. */
export type LookUp = (key: string) => unknown;
export type SearchFilter = (lookUp: LookUp) => boolean;

/**
 * The error for an invalid filter, such as `filter parse error at 9: expected )`; the position counts code points from
 * 0.
 */
export class SearchFilterError extends Error {
  constructor(source: string, at: number, expected: string) {
    super(`filter parse error at ${[...source.slice(0, at)].length}: ${expected}`);
    this.name = "SearchFilterError";
  }
}

const maxNesting = 200;

/** Compiles a filter. Throws SearchFilterError. A blank filter matches everything. */
export function compileSearchFilter(source: string): SearchFilter {
  return new Parser(source).run();
}

type ValueTest = (value: unknown) => boolean;

/** A value without quotes, which ends at a blank or special character: its wildcard parts, and its text as written. */
interface Bare {
  readonly parts: readonly WildcardPart[];
  readonly raw: string;
}

class Parser {
  private readonly source: string;
  private at = 0;
  private depth = 0;

  constructor(source: string) {
    this.source = source;
  }

  run(): SearchFilter {
    this.skipBlanks();
    if (this.isAtEnd) return () => true;
    const filter = this.either();
    if (!this.isAtEnd) throw this.expected("key:value");
    return filter;
  }

  private either(): SearchFilter {
    const terms = [this.both()];
    while (this.takeWord("OR")) terms.push(this.both());
    return terms.length === 1 ? terms[0]! : (lookUp) => terms.some((term) => term(lookUp));
  }

  private both(): SearchFilter {
    const terms = [this.negated()];
    for (;;) {
      const hasAnd = this.takeWord("AND");
      if (!hasAnd && (this.isAtEnd || this.source[this.at] === ")" || this.isWord("OR"))) break;
      terms.push(this.negated());
    }
    return terms.length === 1 ? terms[0]! : (lookUp) => terms.every((term) => term(lookUp));
  }

  private negated(): SearchFilter {
    let isNegated = false;
    while (this.takeWord("NOT")) isNegated = !isNegated;
    if (this.source.startsWith("-(", this.at)) {
      this.at++;
      isNegated = !isNegated;
    }
    const filter = this.primary();
    return isNegated ? (lookUp) => !filter(lookUp) : filter;
  }

  private primary(): SearchFilter {
    if (this.source[this.at] !== "(") return this.term();
    if (++this.depth > maxNesting) throw this.error("nesting too deep");
    this.at++;
    this.skipBlanks();
    const filter = this.either();
    this.close();
    this.depth--;
    return filter;
  }

  private term(): SearchFilter {
    const start = this.at;
    const isNegated = this.source[this.at] === "-";
    if (isNegated) this.at++;
    const key = this.bare();
    if (key === undefined || this.source[this.at] !== ":") {
      this.at = start;
      throw this.expected("key:value");
    }
    this.at++;
    const name = key.parts.map(characterOf).join("");
    const test = this.values();
    return (lookUp) => test(lookUp(name)) !== isNegated;
  }

  private values(): ValueTest {
    if (this.source[this.at] !== "(") return this.value();
    this.at++;
    this.skipBlanks();
    const alternatives: ValueTest[][] = [[this.value()]];
    while (!this.isAtEnd && this.source[this.at] !== ")") {
      if (this.takeWord("OR")) alternatives.push([this.value()]);
      else {
        this.takeWord("AND");
        alternatives.at(-1)!.push(this.value());
      }
    }
    this.close();
    return (value) => alternatives.some((all) => all.every((test) => test(value)));
  }

  private value(): ValueTest {
    const start = this.at;
    if (this.source[this.at] === '"') return this.quoted();
    const bare = this.bare();
    if (bare === undefined) throw this.expected("a value");
    const test = valueTest(bare);
    if (test === undefined) {
      this.at = start;
      throw this.expected("a number");
    }
    this.skipBlanks();
    return test;
  }

  private quoted(): ValueTest {
    const start = this.at;
    let text = "";
    for (this.at++; this.source[this.at] !== '"'; this.at++) {
      const next = this.source[this.at + 1];
      if (this.source[this.at] === "\\" && (next === '"' || next === "\\")) this.at++;
      if (this.isAtEnd) {
        this.at = start;
        throw this.expected('closing "');
      }
      text += this.source[this.at];
    }
    this.at++;
    this.skipBlanks();
    return (value) => scalarText(value) === text;
  }

  /** Reads a value without quotes; undefined when there is none at the current position. */
  private bare(): Bare | undefined {
    const start = this.at;
    const parts: WildcardPart[] = [];
    while (!this.isAtEnd && !/[\s()":]/.test(this.source[this.at]!)) {
      const isEscaped = this.source[this.at] === "\\" && this.at + 1 < this.source.length;
      if (isEscaped) this.at++;
      const code = this.source.codePointAt(this.at)!;
      parts.push(isEscaped ? code : code === 0x2a ? wildcardRun : code === 0x3f ? wildcardAny : code);
      this.at += code > 0xffff ? 2 : 1;
    }
    return this.at === start ? undefined : { parts, raw: this.source.slice(start, this.at) };
  }

  /**
   * Returns whether the word at the current position is the given keyword. A word before a colon, as in `and:x`, is a
   * key.
   */
  private isWord(word: string): boolean {
    const next = this.source[this.at + word.length] ?? " ";
    return this.source.startsWith(word, this.at) && /[\s()"]/.test(next);
  }

  private takeWord(word: string): boolean {
    if (!this.isWord(word)) return false;
    this.at += word.length;
    this.skipBlanks();
    return true;
  }

  private close(): void {
    if (this.source[this.at] !== ")") throw this.expected(this.isAtEnd ? ")" : "key:value");
    this.at++;
    this.skipBlanks();
  }

  private skipBlanks(): void {
    while (/\s/.test(this.source[this.at] ?? "x")) this.at++;
  }

  private get isAtEnd(): boolean {
    return this.at >= this.source.length;
  }

  private expected(what: string): SearchFilterError {
    return this.error(`expected ${what}`);
  }

  private error(reason: string): SearchFilterError {
    return new SearchFilterError(this.source, this.at, reason);
  }
}

function characterOf(part: WildcardPart): string {
  return part === wildcardRun ? "*" : part === wildcardAny ? "?" : String.fromCodePoint(part);
}

const numeric = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/;

/** Returns a function that tests a value; undefined for a comparison such as `>n` whose right side is not a number. */
function valueTest({ parts, raw }: Bare): ValueTest | undefined {
  if (raw === "*") return (value) => value !== undefined;
  const comparison = /^(>=|<=|>|<)(.*)$/s.exec(raw);
  if (comparison !== null) {
    const [, op, text] = comparison;
    if (!numeric.test(text!)) return undefined;
    const limit = Number(text);
    return (value) => {
      const number = numberOf(value);
      if (number === undefined) return false;
      return op === ">"
        ? number > limit
        : op === ">="
          ? number >= limit
          : op === "<"
            ? number < limit
            : number <= limit;
    };
  }
  const test = wildcardTest(parts);
  return (value) => {
    const text = scalarText(value);
    return text !== undefined && test(text);
  };
}

function numberOf(value: unknown): number | undefined {
  if (typeof value === "number" || typeof value === "bigint") return Number(value);
  return typeof value === "string" && numeric.test(value) ? Number(value) : undefined;
}
