// Text to syntax trees (docs/reference/query.md). Of a lexical error and an unexpected token the leftmost counts.

import type { Expr, Offset, Statement } from "./ast.ts";
import { DqlError } from "./errors.ts";
import { type Expectation, SyntaxError as GrammarError, parse } from "./grammar.js";
import { isKeyword } from "./keywords.ts";
import { lex, type Token, type Tokens, tokenName } from "./lexer.ts";
import { bytesText, durationNs, numberOf, stringText } from "./literals.ts";
import { reasonText } from "./reasons.ts";
import { divisionByZero } from "./zero-divisor.ts";

const words = { bytesText, durationNs, isKeyword, numberOf, stringText };

/** The one statement of a query; throws DqlError. */
export function parseStatement(source: string): Statement {
  const statements = read<readonly Statement[]>(source, "Start");
  if (statements.length === 0) throw new DqlError(reasonText("endOfInput"), { source, at: source.length });
  if (statements.length > 1) throw new DqlError(reasonText("manyStatements", statements.length));
  return statements[0]!;
}

/** The member `conditions`: what stands between the braces of a filter; the braces may be there. */
export function parseConditions(source: string): readonly Expr[] {
  return source.trim() === "" ? [] : read<readonly Expr[]>(source, "Conditions", "conditions: ");
}

/** One expression, as the arguments of outer functions hold it. */
export function parseExpression(source: string): Expr {
  return read<Expr>(source, "Expr");
}

function read<Tree>(source: string, startRule: "Start" | "Conditions" | "Expr", prefix = ""): Tree {
  const tokens = lex(source);
  const fail = (reason: string, at: Offset): never => {
    throw new DqlError(reason, { source, at, prefix });
  };
  // Nothing that is nested deeper than the lexer allows is given to the grammar, whose rules call each other.
  const { error } = tokens;
  if (error?.message === "nesting too deep") fail(error.message, error.at);
  let tree: Tree;
  try {
    tree = parse(source, { startRule, words }) as Tree;
  } catch (failure) {
    if (!(failure instanceof GrammarError)) throw failure;
    const furthest = failure.location.start.offset;
    const isEnd = furthest >= source.length && failure.expected.some(isBlank);
    const token = isEnd ? undefined : tokenAt(tokens, furthest);
    if (error !== null && (token === undefined || error.from <= token.at)) fail(error.message, error.at);
    if (token === undefined) return fail(reasonText("endOfInput"), source.length);
    return fail(reasonText("unexpectedToken", tokenName(token, source)), token.at);
  }
  if (error !== null) fail(error.message, error.at);
  const zero = divisionByZero(tree);
  if (zero !== undefined) fail(reasonText("zeroDivisor"), zero);
  return tree;
}

/** Where a blank may follow the word that ends the text, the word was read and the text has ended too early. */
function isBlank(expected: Expectation): boolean {
  return expected.type === "class" && expected.parts.includes(" ");
}

/** The token an error at `furthest` is about: a keyword that ends there, the token around it, or the first one behind it. */
function tokenAt({ list }: Tokens, furthest: Offset): Token | undefined {
  return (
    list.findLast(({ kind, end }) => kind === "keyword" && end === furthest) ??
    list.find(({ at, end }) => at < furthest && furthest < end) ??
    list.find(({ at }) => at >= furthest)
  );
}
