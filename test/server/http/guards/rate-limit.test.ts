import { describe, expect, it } from "vitest";
import { createRateLimit } from "../../../../server/http/guards/rate-limit.ts";

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

  it("keeps 100,000 buckets, and drops the least recently used bucket for a new one", () => {
    const most = 100_000;
    const limit = createRateLimit({ perSecond: 0.001, burst: 1, ttlMs: 3_600_000 }, () => 0);
    const firstTokens = Array.from({ length: most }, (_, at) => limit.take(`client ${at}`));
    expect(firstTokens.every(Boolean)).toBe(true);
    // Both clients already have a bucket (the count of their allowed requests). So the limiter neither adds a bucket
    // nor removes one.
    expect([limit.take(`client ${most - 1}`), limit.take("client 0")]).toEqual([false, false]);
    expect(limit.take("one more")).toBe(true);
    // Client 0 has made a request recently, so its bucket (the count of its allowed requests) still exists and is
    // empty. The bucket of client 1 was unused for the longest time and was removed. So client 1 may send a request
    // again.
    expect([limit.take("client 0"), limit.take("client 1")]).toEqual([false, true]);
  });
});
