// Mistakes in grok expressions, each with the part that is wrong.

import { describe, expect, it } from "vitest";
import { checkExpression, definePatterns } from "../../../lib/grok/index.ts";

const patterns = definePatterns({ PLATE: "[A-Z]{2}-\\d+", BAD: "x(y", OUTER: "%{BAD:b}", LOOP: "%{LOOP}" });

const cases: readonly (readonly [expression: string, part: string, message: string, hint: string])[] = [
  ["a %{IPP:client}", "%{IPP:client}", "no pattern found for %{IPP}", "did you mean IP?"],
  ["%{IP:a} %{nowhere}", "%{nowhere}", "no pattern found for %{nowhere}", ""],
  [
    "%{IP:a:integer}",
    "%{IP:a:integer}",
    "invalid pattern `%{IP:a:integer}`",
    "there is no type integer, did you mean int?",
  ],
  ["%{IP:a} (b", "(", "missing closing ): `(b`", ""],
  ["%{IP:a} b)", ")", "unexpected ): `)`", ""],
  ["%{IP:a} [0-9", "[0-9", "missing closing ]: `[0-9`", ""],
  ["%{IP:a} (?=x)", "(?=", "invalid or unsupported Perl syntax: `(?=`", "lookahead is not supported"],
  ["(a)%{INT} \\1", "\\1", "invalid escape sequence: `\\1`", "a reference to a group, such as \\1, is not supported"],
  ["x %{BAD:b} y", "%{BAD:b}", "the pattern BAD cannot be used: missing closing )", ""],
  ["x %{OUTER} y", "%{OUTER}", "the pattern OUTER cannot be used: missing closing )", ""],
  ["x %{LOOP}", "%{LOOP}", "circular dependency: pattern LOOP -> LOOP", ""],
];

describe("checkExpression", () => {
  it.each(cases)("reports the mistake in %s and its position", (expression, part, message, hint) => {
    const [note, ...others] = checkExpression(expression, { patterns });
    expect(others).toEqual([]);
    expect(note?.severity).toBe("error");
    expect(note?.message).toBe(message);
    expect(note?.hint.startsWith(hint)).toBe(true);
    expect(expression.slice(...note!.span)).toBe(part);
  });

  it("warns about text that only looks like a reference", () => {
    const [note] = checkExpression("%{IP:client ip} %{INT:n}");
    expect([note?.severity, note?.span]).toEqual(["warning", [0, 15]]);
  });

  it("reports nothing for a valid expression", () => {
    for (const expression of ["", "%{PLATE:plate} %{IP:a}", "%{} %%{INT:n}"])
      expect(checkExpression(expression, { patterns })).toEqual([]);
  });
});
