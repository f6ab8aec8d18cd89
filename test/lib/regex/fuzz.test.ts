// A bounded run of the random comparisons; `npm run fuzz` goes on for longer.

import { expect, it } from "vitest";
import { fuzzRound } from "../../fuzz/regex.ts";
import { engines } from "./engines.ts";

it("the tiers, the host's RegExp and re2js agree on random expressions", { timeout: 60_000 }, () => {
  const counts = fuzzRound(20_251_121, 1500, engines);
  expect(counts.expressions).toBe(1500);
  expect(counts.host).toBeGreaterThan(3000);
  expect(counts.re2js).toBeGreaterThan(500);
});
