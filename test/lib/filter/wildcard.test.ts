// Random wildcard patterns, compared with equivalent regular expressions. Whole conditions are tested in
// test/properties/sharding.ts.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileWildcard } from "../../../lib/filter/wildcard.ts";

describe("a random wildcard", () => {
  it("matches the same texts as the equivalent regular expression", () => {
    const unit = fc.constantFrom("a", "b", "*", "?", "😀", ".", "(");
    const text = fc.string({ unit: fc.constantFrom("a", "b", "😀", ".", "(", "\n"), maxLength: 12 });
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 8 }), text, (pattern, subject) => {
        const source = pattern.replace(/[.(]/g, "\\$&").replaceAll("?", ".").replace(/\*+/g, ".*");
        expect(compileWildcard(pattern)(subject)).toBe(new RegExp(`^${source}$`, "su").test(subject));
      }),
      { numRuns: 3000 },
    );
  });

  it("takes a number of steps bounded by pattern length times text length", () => {
    const pattern = compileWildcard(`${"*a".repeat(50)}b`);
    let steps = 0;
    const text = "a".repeat(2000);
    const counted = Object.create(String.prototype) as string;
    Object.defineProperties(counted, {
      length: { value: text.length },
      codePointAt: {
        value: (at: number) => {
          steps++;
          return text.codePointAt(at);
        },
      },
    });
    expect(pattern(counted)).toBe(false);
    expect(steps).toBeLessThan(101 * 2000 * 3);
  });
});
