// The error for an invalid condition.

import { byteLength } from "../text/utf8.ts";
import type { Offset } from "./token.ts";

/** An error in a condition. `message` is complete, such as `1:15 parse error: unclosed left brace`. */
export class ConditionError extends Error {
  /** Line of the condition that contains the error, from 1. */
  readonly line: number;
  /** Column of the error in its line, in UTF-8 bytes, from 1. */
  readonly column: number;
  readonly reason: string;

  constructor(source: string, at: Offset, reason: string) {
    const start = source.lastIndexOf("\n", at - 1) + 1;
    const line = source.slice(0, start).split("\n").length;
    const column = byteLength(source.slice(start, at)) + 1;
    super(`${line}:${column} parse error: ${reason}`);
    this.name = "ConditionError";
    this.line = line;
    this.column = column;
    this.reason = reason;
  }
}
