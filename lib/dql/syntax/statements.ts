// Splits text that is typed line by line into statements, and finds out whether the last statement is complete.

import { DqlError } from "./errors.ts";
import { lex } from "./lexer.ts";
import { parseStatement } from "./parse.ts";

/**
 * Splits a text at semicolons into statements; leaves out blank ones.
 *
 * @example
 * splitStatements("M::cpu; M::mem"); // ["M::cpu", "M::mem"]
 */
export function splitStatements(text: string): string[] {
  const ends = lex(text).list.filter(({ at, end }) => text.slice(at, end) === ";");
  const starts = [0, ...ends.map(({ end }) => end)];
  return starts
    .map((start, at) => text.slice(start, ends[at]?.at ?? text.length).trim())
    .filter((statement) => lex(statement).list.length > 0 || lex(statement).error !== null);
}

/**
 * Returns whether the statement needs more text: a bracket or a backquote is not closed, or the last word cannot end a
 * statement.
 *
 * @example
 * isUnfinished("M::cpu:("); // true
 */
export function isUnfinished(statement: string): boolean {
  try {
    parseStatement(statement);
    return false;
  } catch (error) {
    if (!(error instanceof DqlError)) throw error;
    return /^(?:unexpected: end of input$|unclosed left |unterminated raw string$)/.test(error.reason);
  }
}
