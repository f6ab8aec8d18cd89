// Functions of the library that the editor uses: ranges of errors, formatting, and the code around the cursor.

import { describe, expect, it } from "vitest";
import { format, rangeAt, scriptEnvironment } from "../../../lib/index.ts";
import { examples } from "../../../playground/src/state/examples.ts";

describe("the range of a mistake", () => {
  const marked = (text: string, at: number) => {
    const { from, to } = rangeAt(text, at);
    return text.slice(from, to);
  };

  it.each([
    ['grok(_, "%{X}")', 8, '"%{X}"'],
    ["uppercas(a)", 0, "uppercas"],
    ['add_key(a, "😀") + wrong(1)', 18, "wrong"],
    ["if a {", 6, "{"],
    ["a = ", 4, "="],
    ["", 0, ""],
  ])("in %j at %d is %j", (text, at, range) => {
    expect(marked(text, at)).toBe(range);
  });
});

describe("format", () => {
  it("does not change the scripts of the examples", () => {
    for (const { project } of examples)
      expect(format(project.scripts[0]!.text)).toEqual({ text: project.scripts[0]!.text });
  });
});

describe("the code around the cursor", () => {
  it.each([
    ['grok(_, "%{IP', { inString: "%{IP", call: "grok" }],
    ["a = add_key(b, ", { inString: null, call: "add_key" }],
    ["f(g(1), ", { inString: null, call: "f" }],
    ["f(1)\n", { inString: null, call: null }],
    ["# f(", { inComment: true }],
    ['"a\\"b', { inString: 'a\\"b' }],
    ['"""a "b', { inString: 'a "b' }],
    ["a.b", { afterDot: true }],
    ["1.5", { afterDot: false }],
  ])("is recognized after %j", (before, expected) => {
    expect(scriptEnvironment(before)).toMatchObject(expected);
  });
});
