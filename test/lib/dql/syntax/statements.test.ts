// Parses text with several queries, and finds out whether further lines may complete a query (as in an interactive
// console).

import { expect, it } from "vitest";
import { isUnfinished, splitStatements } from "../../../../lib/dql/syntax/statements.ts";

it.each<[statement: string, unfinished: boolean]>([
  ["M::cpu:(", true],
  ["M::cpu:(  # the newest\n", true],
  ["M::cpu {", true],
  ["M::`cpu", true],
  ["M::cpu:(usage) BY", true],
  ["M::cpu:(usage)", false],
  ["M::cpu:(usage) BY )", false],
  ['M::cpu { host = "a }', false],
])("%j is unfinished: %s", (statement, unfinished) => {
  expect(isUnfinished(statement)).toBe(unfinished);
});

it("a semicolon outside of strings and brackets ends a statement", () => {
  expect(splitStatements('M::cpu; L::app { a = ";" };')).toEqual(["M::cpu", 'L::app { a = ";" }']);
});
