// Parses statements into syntax trees (docs/reference/query.md). A statement may have both an invalid token and
// a token at an unexpected place; then the error of the leftmost one is reported.

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
 * Parses the statement of a query; it must be a single statement. Throws DqlError.
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
 * Parses the request member `conditions`: the conditions of a filter, with or without the braces around them. Throws
 * DqlError.
 *
 * @example
 * parseConditions("host = 'a'").length; // 1
 */
export function parseConditions(source: string): readonly Expr[] {
  return source.trim() === "" ? [] : read<readonly Expr[]>(source, "Conditions", "conditions: ");
}

/**
 * Parses one expression, such as an argument of a function that takes the answer of another statement. Throws DqlError.
 */
export function parseExpression(source: string): Expr {
  return read<Expr>(source, "Expr");
}

function read<Tree>(source: string, startRule: "Start" | "Conditions" | "Expr", prefix = ""): Tree {
  const tokens = lex(source);
  const fail = (reason: string, at: Offset): never => {
    throw new DqlError(reason, { source, at, prefix });
  };
  // Deeply nested statements are refused before the grammar parses them, because its recursive rules would use too much
  // of the call stack.
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
 * Returns whether the parser expected white space as one possibility. When this is so at the end of a statement,
 * its last word was valid and the statement ended too early.
 */
function isBlank(expected: Expectation): boolean {
  return expected.type === "class" && expected.parts.includes(" ");
}

/**
 * Returns the token at which the parser failed; `furthest` is the offset that the parser reached. This is a
 * keyword that ends at the offset. If there is no such keyword, it is the token that contains the offset, or
 * else the next token.
 */
function tokenAt({ list }: Tokens, furthest: Offset): Token | undefined {
  return (
    list.findLast(({ kind, end }) => kind === "keyword" && end === furthest) ??
    list.find(({ at, end }) => at < furthest && furthest < end) ??
    list.find(({ at }) => at >= furthest)
  );
}
