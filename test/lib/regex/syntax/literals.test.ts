// Tests how the library computes, from an expression alone, the literal text with which every match must begin.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Regex } from "../../../../lib/regex/regex.ts";

describe("the text with which every matching input starts", () => {
  it.each([
    ["^app-1-[0-9]+$", "app-1-"],
    ["app", ""],
    ["^", ""],
    ["\\Aapp", "app"],
    ["(?m)^app", ""],
    ["(?i)^app", ""],
    ["^a(?i)b", "a"],
    ["^ab?c", "a"],
    ["^ab+c", "ab"],
    ["^(ab){2}", "ab"],
    ["^(?:ab|ac)d", "a"],
    ["^ab|^ac", "a"],
    ["^ab|ac", ""],
    ["(^ab)c", "abc"],
    ["(?:^a)+b", "a"],
    ["x*^ab", ""],
    ["^\\bab\\b-", "ab-"],
    ["^\\.\\Qa*b\\E", ".a*b"],
    ["^中😀", "中😀"],
    ["^a\\x{fffd}b", "a"],
    ["^a\\x{d800}", "a"],
    ["^$", ""],
  ])("%s: %j", (source, start) => expect(Regex.compile(source).start).toBe(start));

  it("is at the start of every input that matches", () => {
    const piece = fc.constantFrom(
      "^",
      "a",
      "b",
      "(",
      ")",
      "|",
      "(?:",
      "*",
      "+",
      "?",
      "{2}",
      "\\b",
      "$",
      "[ab]",
      "é",
      ".",
    );
    const source = fc.array(piece, { maxLength: 8 }).map((pieces) => `^${pieces.join("")}`);
    const input = fc.string({ unit: fc.constantFrom("a", "b", "é", "\ud83d"), maxLength: 6 });
    fc.assert(
      fc.property(source, fc.array(input, { minLength: 1, maxLength: 8 }), (text, inputs) => {
        let regex: Regex;
        try {
          regex = Regex.compile(text);
        } catch {
          return;
        }
        for (const each of inputs) if (regex.test(each)) expect(each.startsWith(regex.start)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });
});
