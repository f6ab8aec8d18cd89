// A bounded run of the random comparisons of the regex engine's tiers (implementations of the search); `npm run fuzz`
// runs them for longer.

import { expect, it } from "vitest";
import { fuzzRound } from "../../fuzz/regex.ts";
import { tiers } from "./engines.ts";

it("the tiers, the host's RegExp and re2js agree on random expressions", { timeout: 60_000 }, () => {
  const counts = fuzzRound(20_251_121, 1000, tiers);
  expect(counts.expressions).toBe(1000);
  expect(counts.host).toBeGreaterThan(2000);
  expect(counts.re2js).toBeGreaterThan(1300);
  expect(counts.generated).toBeGreaterThan(100);
});
