// Finds calls of grok, patterns that the script defines, and strings in the text of a script.

import { describe, expect, it } from "vitest";
import { grokCallAt, ownPatterns, stringOf } from "../../../playground/src/state/script-strings.ts";

describe("the value of a string literal", () => {
  it.each([
    ['"a\\tb"', "a\tb"],
    ["'it\\'s'", "it's"],
    ['"\\\\d+"', "\\d+"],
    ['"""\\d+"""', "\\d+"],
    ["'''two\nlines'''", "two\nlines"],
    ['"\\x41\\u00e9\\U0001F600\\101"', "Aé😀A"],
    ["key", null],
    ["12", null],
  ])("of %s is %j", (token, value) => expect(stringOf(token)).toBe(value));
});

describe("a call of grok", () => {
  const cases: readonly [script: string, key: string, expression: string, trim: boolean][] = [
    ['grok(_, "%{INT:n}")', "message", "%{INT:n}", true],
    ['if true {\n  grok(msg, """\\d+ (?P<a>.*)""", false)\n}', "msg", "\\d+ (?P<a>.*)", false],
    ["ok = grok( `a-b` , '%{IP:ip} \"x\"' , true )", "a-b", '%{IP:ip} "x"', true],
    ['grok(_,\n  "%{DATA:d}",\n  false\n)', "message", "%{DATA:d}", false],
    ['grok(a.b, "x")', "a.b", "x", true],
  ];
  it.each(cases)("%s", (script, key, expression, trim) => {
    expect(grokCallAt(script, script.indexOf("grok"))).toEqual({ key, expression, trim });
  });

  it.each([
    ['add_key(a, "grok")', 0],
    ['grok(_, "%{INT:n}")', 3],
    ["grok(_, pattern)", 0],
    ["grok", 0],
    ["", 0],
  ])("is not found in %s at %d", (script, at) => expect(grokCallAt(script, at)).toBeNull());
});

it("lists the patterns that scripts define", () => {
  const first = 'add_pattern("A", "\\\\d+")\nadd_pattern("B", "%{A}")';
  expect([...ownPatterns([first, "add_pattern('C', '''x\"y''')", "add_pattern(d)"])]).toEqual([
    ["A", "\\d+"],
    ["B", "%{A}"],
    ["C", 'x"y'],
  ]);
});
