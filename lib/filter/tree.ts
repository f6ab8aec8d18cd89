// Makes the nodes of a condition's syntax tree (ast.ts) during parsing. The grammar reads one letter for each token, so
// the index of a letter is also the index of its token.

import { Float } from "../point/value.ts";
import { numberValue } from "../text/number-literal.ts";
import { stringValue } from "../text/string-literal.ts";
import type { CompareOp, Comparison, Expression, Literal, Operand, Pattern, Place, Test } from "./ast.ts";
import { ConditionError } from "./errors.ts";
import type { Token } from "./token.ts";

type Index = number;

export class Tree {
  private readonly source: string;
  private readonly tokens: readonly Token[];

  constructor(source: string, tokens: readonly Token[]) {
    this.source = source;
    this.tokens = tokens;
  }

  joined(op: "and" | "or", terms: readonly Expression[]): Expression {
    return terms.length === 1 ? terms[0]! : { op, terms };
  }

  comparison(left: Operand, test: Test, first: Index, next: Index): Comparison {
    return { op: "compare", left, test, ...this.place(first, next - 1) };
  }

  compare(op: CompareOp, right: Operand): Test {
    return { op, right };
  }

  membership(op: "in" | "notin", items: readonly Operand[]): Test {
    return { op, items };
  }

  match(op: "match" | "notmatch", patterns: { wildcard: Pattern } | { regexes: readonly Pattern[] }): Test {
    return { op, ...patterns };
  }

  pattern(at: Index): Pattern {
    return { source: this.stringAt(at), ...this.place(at) };
  }

  regex(at: Index): Operand {
    const source = this.tokens[at]!.letter === "b" ? this.text(at).slice(1, -1) : this.stringAt(at);
    return { kind: "regex", source, ...this.place(at) };
  }

  compound(first: Index, next: Index): Operand {
    return { kind: "compound", ...this.place(first, next - 1) };
  }

  number(sign: Index | null, at: Index): Operand {
    const place = this.place(sign ?? at, at);
    const isNegative = sign !== null && this.text(sign) === "-";
    return this.literal(numberOf(this.text(at), isNegative, this.source, place), place);
  }

  string(at: Index): Operand {
    return this.literal(this.stringAt(at), this.place(at));
  }

  bool(at: Index): Operand {
    return this.literal(this.text(at).toLowerCase() === "true", this.place(at));
  }

  nil(at: Index): Operand {
    return this.literal(null, this.place(at));
  }

  /** Makes a name node from the tokens `identifier ( 'name' )`. */
  identifier(at: Index): Operand {
    return { kind: "name", name: this.stringAt(at + 2), ...this.place(at, at + 3) };
  }

  name(at: Index): Operand {
    const text = this.text(at);
    return { kind: "name", name: text.startsWith("`") ? text.slice(1, -1) : text, ...this.place(at) };
  }

  private literal(value: Literal, place: Place): Operand {
    return { kind: "literal", value, ...place };
  }

  private place(first: Index, last: Index = first): Place {
    return { at: this.tokens[first]!.at, end: this.tokens[last]!.end };
  }

  private text(at: Index): string {
    return this.source.slice(this.tokens[at]!.at, this.tokens[at]!.end);
  }

  private stringAt(at: Index): string {
    const read = stringValue(this.text(at));
    if ("error" in read) throw new ConditionError(this.source, this.tokens[at]!.at, read.error);
    return read.value;
  }
}

const smallestInt = 9223372036854775808n;

/** Returns an integer when the number fits into 64 bits, else a float. */
function numberOf(text: string, isNegative: boolean, source: string, { at }: Place): Literal {
  if (isNegative && /^[0-9]+$/.test(text) && BigInt(text) === smallestInt) return -smallestInt;
  const read = numberValue(text.startsWith(".") ? `0${text}` : text);
  if ("error" in read) throw new ConditionError(source, at, read.error);
  if ("float" in read) return new Float(isNegative ? -read.float : read.float);
  // `0 - read.int` is used because `-read.int` would turn 0 into -0.
  return isNegative ? (typeof read.int === "bigint" ? -read.int : 0 - read.int) : read.int;
}
