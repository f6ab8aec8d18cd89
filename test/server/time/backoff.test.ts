import { describe, expect, it } from "vitest";
import { backoffMs } from "../../../server/time/backoff.ts";

const backoff = { firstMs: 1000, longestMs: 60_000 };

describe("the pause after a failure", () => {
  it.each([
    [1, 1000],
    [2, 2000],
    [3, 4000],
    [6, 32_000],
    [7, 60_000],
    [5000, 60_000],
  ])("after %i failures is %i ms", (failures, ms) => {
    expect(backoffMs(backoff, failures)).toBe(ms);
  });

  it.each([
    [0, 1500],
    [0.5, 2000],
    [1, 2500],
  ])("varies by a quarter in each direction: random %d results in %i ms", (random, ms) => {
    expect(backoffMs(backoff, 2, () => random)).toBe(ms);
  });

  it("also varies when it is the longest pause", () => {
    expect(backoffMs(backoff, 20, () => 1)).toBe(75_000);
  });
});
