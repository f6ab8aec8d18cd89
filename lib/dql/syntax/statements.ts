// Text that is typed line by line: where one statement ends and the next begins, and whether the last one goes on.

import { DqlError } from "./errors.ts";
import { lex } from "./lexer.ts";
import { parseStatement } from "./parse.ts";

/** Between semicolons, without blank ones. */
export function splitStatements(text: string): string[] {
  const ends = lex(text).list.filter(({ at, end }) => text.slice(at, end) === ";");
  const starts = [0, ...ends.map(({ end }) => end)];
  return starts
    .map((start, at) => text.slice(start, ends[at]?.at ?? text.length).trim())
    .filter((statement) => lex(statement).list.length > 0 || lex(statement).error !== null);
}

/** More text can make it a statement: a bracket or a backquote is open, or something must follow. */
export function isUnfinished(statement: string): boolean {
  try {
    parseStatement(statement);
    return false;
  } catch (error) {
    if (!(error instanceof DqlError)) throw error;
    return /^(?:unexpected: end of input$|unclosed left |unterminated raw string$)/.test(error.reason);
  }
}
