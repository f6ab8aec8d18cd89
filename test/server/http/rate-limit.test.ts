import { describe, expect, it } from "vitest";
import { createRateLimit } from "../../../server/http/rate-limit.ts";

describe("rate limit", () => {
  it("lets a burst pass, then the rate", () => {
    let now = 0;
    const limit = createRateLimit({ perSecond: 2, burst: 3, ttlMs: 60_000 }, () => now);
    expect([1, 2, 3, 4].map(() => limit.take("a"))).toEqual([true, true, true, false]);
    now = 500;
    expect([limit.take("a"), limit.take("a")]).toEqual([true, false]);
  });

  it("keeps a bucket per key", () => {
    const limit = createRateLimit({ perSecond: 1, burst: 1, ttlMs: 60_000 }, () => 0);
    expect([limit.take("a"), limit.take("b"), limit.take("a")]).toEqual([true, true, false]);
  });

  it("forgets a bucket after its idle time", () => {
    let now = 0;
    const limit = createRateLimit({ perSecond: 0.001, burst: 1, ttlMs: 1000 }, () => now);
    limit.take("a");
    now = 999;
    expect(limit.take("a")).toBe(false);
    now = 2500;
    expect(limit.take("a")).toBe(true);
  });
});
