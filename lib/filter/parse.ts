// Parses a condition into its syntax tree. When a condition has both an invalid token and an unexpected one, the
// leftmost of the two is reported.

import type { Expression } from "./ast.ts";
import { ConditionError } from "./errors.ts";
import { SyntaxError as GrammarError, parse as parseLetters } from "./grammar.js";
import { lex } from "./lexer.ts";
import { tokenName } from "./token.ts";
import { Tree } from "./tree.ts";

/** Parses a condition into its syntax tree. Throws ConditionError. */
export function parseCondition(source: string): Expression {
  const { list, error } = lex(source);
  if (list.every(({ letter }) => letter === ";")) throw new ConditionError(source, source.length, "condition empty");
  try {
    return parseLetters(list.map(({ letter }) => letter).join(""), { tree: new Tree(source, list) });
  } catch (failure) {
    if (!(failure instanceof GrammarError)) throw failure;
    const token = list[failure.location.start.offset];
    if (token?.letter === "?") throw new ConditionError(source, error!.at, error!.message);
    throw new ConditionError(source, token?.at ?? source.length, `unexpected: ${tokenName(token, source)}`);
  }
}
