// Each pattern definition is parsed once, and its tree is inserted wherever the pattern is referenced. The result must
// be the same tree, or the same error, as from parsing the expanded text.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expand } from "../../../lib/grok/expand.ts";
import { knownGroups } from "../../../lib/grok/known-groups.ts";
import { builtinDefinitions, definePatterns } from "../../../lib/grok/load.ts";
import { parse } from "../../../lib/regex/syntax/parse.ts";

/** Definitions that are invalid, or that have another meaning when they are inserted into a longer expression. */
const odd: Readonly<Record<string, string>> = {
  EMPTY: "",
  CHOICE: "a|b",
  REPEATED: "(?:ab){2}",
  NAMED: "(?P<x>a)",
  NESTED: "%{WORD:word} %{CHOICE}%{NAMED}",
  FLAGGED: "(?i)k",
  QUOTED: "\\Qa|b\\E+",
  UNQUOTED: "\\Qa",
  CLOSING: "a)(b",
  OPEN: "(a",
  CLASS: "[a",
  STAR: "*",
  COUNT: "a{3",
};

/** Strings that the test expressions have before and after a reference to a pattern. */
const around = [
  "",
  "a",
  "(?i)",
  "(?i:",
  "(?s)",
  "(?U)",
  "(?m:",
  ")",
  "(",
  "|",
  "\\Q",
  "\\E",
  "[",
  "]",
  "+",
  "{2,3}",
  "*?",
  "^",
];

const patterns = definePatterns(odd);

/**
 * Returns the tree as JSON without the source positions of its leaves. When `make` throws an error, returns the error.
 */
function outcome(make: () => ReturnType<typeof parse>): string {
  try {
    return JSON.stringify(make(), (key, value) => (key === "at" || key === "to" ? undefined : (value as unknown)));
  } catch (error) {
    return String(error);
  }
}

function expectSame(expression: string): void {
  const expansion = expand(expression, patterns);
  const known = knownGroups(expansion);
  const { regex } = expansion;
  expect(outcome(() => parse(regex, { namedOnly: true, known }))).toBe(
    outcome(() => parse(regex, { namedOnly: true })),
  );
}

describe("parsed pattern definitions", () => {
  it("give the same tree as the expanded text, for every built-in definition", () => {
    for (const name of builtinDefinitions.keys()) expectSame(`%{${name}:field:int}|%{${name}}+`);
  });

  it("give the same tree or error as the expanded text, in random expressions", () => {
    const names = fc.constantFrom(
      ...Object.keys(odd),
      "INT",
      "WORD",
      "IPORHOST",
      "COMMONAPACHELOG",
      "TIMESTAMP_ISO8601",
    );
    const references = fc.tuple(names, fc.constantFrom("", ":f", ":g:int")).map(([name, rest]) => `%{${name}${rest}}`);
    const parts = fc.oneof(references, fc.constantFrom(...around));
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 8 }), (pieces) => expectSame(pieces.join(""))),
      { numRuns: 500, seed: 5 },
    );
  });

  it("cover a whole definition without captures, and only the references in a definition with captures", () => {
    const covered = (expression: string): string[] => {
      const expansion = expand(expression, patterns);
      return knownGroups(expansion).map(({ at, to }) => expansion.regex.slice(at, to));
    };
    const word = expand("%{WORD}", patterns).regex.slice(1, -1);
    expect(covered("x%{WORD:a}y")).toEqual([word]);
    expect(covered("%{NESTED}")).toEqual([word, "a|b"]);
    expect(covered("%{UNQUOTED}%{CLOSING}%{STAR}")).toEqual([]);
    expect(covered("%{IPORHOST:client}")).toHaveLength(1);
  });

  it("share their tree between expressions", () => {
    const [one] = knownGroups(expand("%{IPORHOST:a}", patterns));
    const [other] = knownGroups(expand("%{IPORHOST:b} %{INT:c}", patterns));
    expect(other?.root).toBe(one?.root);
  });
});
