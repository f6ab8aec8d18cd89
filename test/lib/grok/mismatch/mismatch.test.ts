// The explanation why a line does not match an expression: the element of the expression that failed, the text of the
// line at which it failed, and the first suggested change of the expression.

import { describe, expect, it } from "vitest";
import { Grok } from "../../../../lib/grok/grok.ts";
import { explainMismatch, longestLine } from "../../../../lib/grok/mismatch/mismatch.ts";
import casesText from "./cases.jsonl?raw";

interface Case {
  readonly expression: string;
  readonly line: string;
  /**
   * `failed`: source text of the element of the expression that does not match. `found`: the text of the line where
   * this element should match. `first`: the whole expression with the first suggested change.
   */
  readonly failed: string;
  readonly found: string;
  readonly first: string;
}

const cases = casesText
  .trim()
  .split("\n")
  .map((row) => JSON.parse(row) as Case);

describe("explainMismatch", () => {
  it.each(cases)("$expression on $line", ({ expression, line, failed, found, first }) => {
    const why = explainMismatch(expression, line)!;
    expect({ failed: why.failed.source, found: why.found, first: why.changes[0]?.expression }).toEqual({
      failed,
      found,
      first,
    });
    expect(expression.slice(...why.failed.span)).toBe(failed);
    expect(line.slice(why.at).startsWith(found)).toBe(true);
    for (const change of why.changes) {
      expect(Grok.compile(change.expression).match(line), change.expression).not.toBeNull();
      const [from, to] = change.span;
      expect(change.edits > 1 || expression.slice(0, from) + change.to + expression.slice(to)).toBe(
        change.edits > 1 || change.expression,
      );
    }
    expect(why.changes.map(({ edits }) => edits)).toEqual(why.changes.map(({ edits }) => edits).sort((a, b) => a - b));
  });

  it("describes the expected text, the found text and possible changes in one sentence", () => {
    expect(explainMismatch("%{INT:status:int} %{INT:bytes:int}$", "200 -")?.message).toBe(
      'expected a whole number (%{INT:bytes:int}), found "-"; try (?:%{INT:bytes:int}|-) or %{NOTSPACE:bytes}',
    );
  });

  it("returns the text of each element that matched", () => {
    const why = explainMismatch("%{IP:client} %{WORD:method} %{INT:status}", "10.0.0.1 GET ok")!;
    expect(why.elements.map(({ text }) => (text === null ? null : "10.0.0.1 GET ok".slice(...text)))).toEqual([
      "10.0.0.1",
      " ",
      "GET",
      " ",
      null,
    ]);
    expect(why.matched).toEqual([0, 13]);
    expect(why.failed.pattern).toBe("INT");
    expect(why.failed.field).toBe("status");
  });

  it("returns null for a line that matches, and throws for an invalid expression", () => {
    expect(explainMismatch("%{INT:n}", "a 7")).toBeNull();
    expect(() => explainMismatch("%{NOPE:n}", "7")).toThrow("no pattern found for %{NOPE}");
    expect(() => explainMismatch("(a", "7")).toThrow("missing closing )");
  });

  it("uses the patterns of the caller", () => {
    const options = { patterns: { PLATE: "[A-Z]{2}-\\d{4}" } };
    const why = explainMismatch("^%{PLATE:plate} %{WORD:w}$", "AB-12 in", options)!;
    expect(why.failed.text).toBe("text of the pattern PLATE");
    expect(why.changes[0]?.expression).toBe("^%{NOTSPACE:plate} %{WORD:w}$");
  });

  it("explains an empty line and an expression of alternatives", () => {
    expect(explainMismatch("%{WORD:w}", "")?.found).toBe("");
    expect(explainMismatch("^a$|^b$", "c")?.failed.source).toBe("^a$|^b$");
  });

  it("keeps flags that apply to the rest of the expression", () => {
    const why = explainMismatch("(?i)error %{INT:n} END$", "ERROR 7 stop")!;
    expect(why.failed.source).toBe("END");
  });

  it("suggests no changes for a very long line, and quotes only a short part of it", () => {
    const why = explainMismatch("^%{INT:n}$", "x".repeat(longestLine + 1))!;
    expect(why.changes).toEqual([]);
    expect(why.found.length).toBe(60);
    expect(why.message.length).toBeLessThan(1024);
  });
});
