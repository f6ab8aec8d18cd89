// The function `isLarge` decides whether an expression is too large for automaton tables. Its answer must be exact,
// although it computes the exact size only when a fast estimate cannot decide.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileProgram } from "../../../../lib/regex/automaton/program.ts";
import { isLarge } from "../../../../lib/regex/automaton/size.ts";
import { normalize, property } from "../../../../lib/regex/syntax/char-class.ts";
import type { Node, Ranges } from "../../../../lib/regex/syntax/tree.ts";

/** An expression with more byte ranges than this gets no tables. */
const most = 1 << 18;

const set = (ranges: Ranges): Node => ({ op: "class", ranges, height: 1, at: 0, to: 0 });

/** Returns an expression that repeats a set of characters `count` times. */
const times = (ranges: Ranges, count: number): Node => ({
  op: "repeat",
  min: count,
  max: count,
  greedy: true,
  sub: set(ranges),
  height: 2,
});

/** Returns the number of byte ranges in the compiled program for a set of characters. */
const stepsOf = (ranges: Ranges): number => compileProgram(set(ranges), 1, { captures: false }).steps.length / 3;

function expectExact(ranges: Ranges): void {
  const count = Math.floor(most / stepsOf(ranges));
  expect(isLarge(times(ranges, count))).toBe(false);
  expect(isLarge(times(ranges, count + 1))).toBe(true);
}

describe("expressions too large for tables", () => {
  it("are recognized exactly for selected character sets", () => {
    expectExact([0, 0x10ffff]);
    expectExact([0x81, 0x10fffe]);
    expectExact([0x7f, 0x80]);
    expectExact([0x801, 0xfffe]);
    expectExact(property("L") as Ranges);
  });

  it("are recognized exactly for random character sets", () => {
    const bound = fc.oneof(fc.nat(0x10ffff), fc.nat(0x2000), fc.nat(0x100));
    const pairs = fc.array(fc.tuple(bound, bound), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(pairs, (chosen) => {
        const ranges = normalize(chosen.flatMap(([one, other]) => [Math.min(one, other), Math.max(one, other)]));
        fc.pre(stepsOf(ranges) > 0);
        expectExact(ranges);
      }),
      { numRuns: 300, seed: 3 },
    );
  });
});
