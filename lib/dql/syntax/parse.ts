// Parses text to syntax trees (docs/reference/query.md). When there are a lexical error and an unexpected
// token, the leftmost is reported.

import type { Expr, Offset, Statement } from "./ast.ts";
import { DqlError } from "./errors.ts";
import { type Expectation, SyntaxError as GrammarError, parse } from "./grammar.js";
import { isKeyword } from "./keywords.ts";
import { lex, type Token, type Tokens, tokenName } from "./lexer.ts";
import { bytesText, durationNs, numberOf, stringText } from "./literals.ts";
import { reasonText } from "./reasons.ts";
import { divisionByZero } from "./zero-divisor.ts";

const words = { bytesText, durationNs, isKeyword, numberOf, stringText };

/**
 * Parses the only statement of a query. Throws DqlError.
 *
 * @example
 * parseStatement("M::cpu:(avg(usage)) [1h] BY host");
 */
export function parseStatement(source: string): Statement {
  const statements = read<readonly Statement[]>(source, "Start");
  if (statements.length === 0) throw new DqlError(reasonText("endOfInput"), { source, at: source.length });
  if (statements.length > 1) throw new DqlError(reasonText("manyStatements", statements.length));
  return statements[0]!;
}

/**
 * Parses the member `conditions`: the text between the braces of a filter, with or without the braces. Throws DqlError.
 *
 * @example
 * parseConditions("host = 'a'").length; // 1
 */
export function parseConditions(source: string): readonly Expr[] {
  return source.trim() === "" ? [] : read<readonly Expr[]>(source, "Conditions", "conditions: ");
}

/** Parses one expression, as the arguments of outer functions hold it. Throws DqlError. */
export function parseExpression(source: string): Expr {
  return read<Expr>(source, "Expr");
}

function read<Tree>(source: string, startRule: "Start" | "Conditions" | "Expr", prefix = ""): Tree {
  const tokens = lex(source);
  const fail = (reason: string, at: Offset): never => {
    throw new DqlError(reason, { source, at, prefix });
  };
  // Text that is nested deeper than the lexer allows does not reach the grammar, because the grammar's rules call each
  // other.
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

/**
 * Returns whether a blank is expected. When a blank may follow the word that ends the text, the word was read and the
 * text ended too early.
 */
function isBlank(expected: Expectation): boolean {
  return expected.type === "class" && expected.parts.includes(" ");
}

/**
 * Returns the token that an error at `furthest` is about: a keyword that ends there, the token around it, or the first
 * token behind it.
 */
function tokenAt({ list }: Tokens, furthest: Offset): Token | undefined {
  return (
    list.findLast(({ kind, end }) => kind === "keyword" && end === furthest) ??
    list.find(({ at, end }) => at < furthest && furthest < end) ??
    list.find(({ at }) => at >= furthest)
  );
}
