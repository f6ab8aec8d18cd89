// Factoring common parts out of alternatives makes expressions smaller and does not change what they match or capture.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Regex, simulation } from "../../../../lib/regex/regex.ts";
import { factorPrefixes } from "../../../../lib/regex/syntax/factor.ts";
import { parse } from "../../../../lib/regex/syntax/parse.ts";
import type { Node } from "../../../../lib/regex/syntax/tree.ts";
import { byteTexts, expressions } from "../../../fuzz/regex-arbitrary.ts";

function leaves(node: Node): number {
  if (node.op === "concat" || node.op === "alternate") return node.subs.reduce((sum, sub) => sum + leaves(sub), 0);
  return node.op === "capture" || node.op === "repeat" ? leaves(node.sub) : 1;
}

describe("factored alternatives", () => {
  it.each([
    ["(?:abc|abd|abe)", 3],
    ["(?:a|b|c|[x-z])", 1],
    ["(?:\\bab|\\ba|\\b)", 5],
    ["(?:ab|cd|ab)", 6],
    ["(?:ab|ab|abc|||d)", 6],
    ["(?:a(x)|a(y))", 3],
    ["(?:a*b|a*c)", 4],
  ])("%s has %i leaves", (source, count) => {
    expect(leaves(factorPrefixes(parse(source).root))).toBe(count);
  });

  it("match and capture the same as the original, in random expressions", () => {
    const branches = fc.array(expressions, { minLength: 2, maxLength: 5 });
    const starts = fc.array(fc.constantFrom("", "a", "ab", "(?i)a", "\\b", "[a-c]", "a(b)"), {
      minLength: 5,
      maxLength: 5,
    });
    let smaller = 0;
    fc.assert(
      fc.property(branches, starts, byteTexts, (sources, prefixes, bytes) => {
        const source = sources.map((each, at) => `(?:${prefixes[at]}${each})`).join("|");
        let parsed: ReturnType<typeof parse>;
        try {
          parsed = parse(`(?:${source})+`);
        } catch {
          return;
        }
        const root = factorPrefixes(parsed.root);
        if (leaves(root) < leaves(parsed.root)) smaller++;
        const found = [parsed, { ...parsed, root }].map((each) => {
          const engine = simulation(each);
          const slots = new Int32Array(engine.slots);
          return engine.exec(bytes, 0, bytes.length, 0, slots) ? [...slots] : null;
        });
        expect(found[1]).toEqual(found[0]);
      }),
      { seed: 7, numRuns: 600 },
    );
    expect(smaller).toBeGreaterThan(100);
  });

  it("allow an expression that is too large without factoring", () => {
    const regex = Regex.compile(`^(?:${"ab|".repeat(1677)}c){1000}$`);
    expect(regex.test("abc".repeat(500))).toBe(true);
    expect(regex.test(`${"abc".repeat(499)}ab`)).toBe(false);
  });
});
