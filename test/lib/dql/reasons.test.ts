// Messages for refused queries. The exported list of reasons must have a template for every message of the
// parser and the lexer.

import { expect, it } from "vitest";
import { DqlError, dqlReasons, parseStatement } from "../../../lib/dql/index.ts";
import { reasonText } from "../../../lib/dql/syntax/reasons.ts";

function reasonOf(statement: string): string {
  try {
    parseStatement(statement);
  } catch (error) {
    if (error instanceof DqlError) return error.reason;
    throw error;
  }
  return "";
}

/**
 * Returns a regular expression that matches every message made from a template. In a template, `<word>` stands for any
 * characters.
 */
function patternOf(shape: string): RegExp {
  const pieces = shape.split(/<[a-z]+>/).map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${pieces.join(".+")}$`, "s");
}

it.each([
  ["unterminatedString", "M::a {b = 'c"],
  ["unterminatedName", "M::`a"],
  ["unknownEscape", String.raw`M::a {b = '\q'}`],
  ["badDuration", "M::a {b = 12abc}"],
  ["unexpectedCharacter", "M::a ~"],
  ["unexpectedCharacterAfter", "M::a {b & c}"],
  ["unexpectedClosing", "M::a )"],
  ["unclosed", "M::a:(b"],
  ["nestingTooDeep", `M::a:(${"(".repeat(5000)}`],
  ["unexpectedToken", "M::a LIMIT -1"],
  ["endOfInput", "M::a:(b) BY"],
  ["manyStatements", "M::a; M::b"],
  ["zeroDivisor", "M::a:(b / 0)"],
] as const)("%s", (name, statement) => {
  expect(reasonOf(statement)).toMatch(patternOf(dqlReasons[name].shape));
});

it("replaces the placeholders in angle brackets with the parts, in order", () => {
  expect(reasonText("wrongCount", "<a>", "1", 2)).toBe('function "<a>" expects 1 arguments, got 2');
  expect(reasonText("promql")).toBe("qtype promql is not supported");
});
