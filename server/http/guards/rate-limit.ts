// A rate limit for requests, with a token bucket for each client and path (docs/reference/agent.md#rate-limit).

export interface RateLimit {
  /** Takes one token from the bucket of `key` (client and path). Returns false when the bucket is empty. */
  take(key: string): boolean;
}

/**
 * Maximum number of buckets. When one more bucket is needed, the bucket that was unused for the longest time is
 * removed. So a flood of requests from many addresses uses only a limited amount of memory.
 */
const maxBuckets = 100_000;

/** Creates a rate limit. `nowMs` returns the time of a monotonic clock in milliseconds. */
export function createRateLimit(
  options: { readonly perSecond: number; readonly burst: number; readonly ttlMs: number },
  nowMs: () => number,
): RateLimit {
  const burst = Math.max(1, Math.floor(options.burst));
  // The token buckets by key (client and path), ordered by their last use. A Map keeps its entries in the order of
  // insertion, so a bucket is deleted and inserted again when it is used.
  const buckets = new Map<string, { tokens: number; at: number }>();
  return {
    take(key) {
      const now = nowMs();
      for (const [oldest, bucket] of buckets) {
        const hasRoom = buckets.size < maxBuckets || buckets.has(key);
        if (now - bucket.at < options.ttlMs && hasRoom) break;
        buckets.delete(oldest);
      }
      const bucket = buckets.get(key) ?? { tokens: burst, at: now };
      bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * options.perSecond);
      bucket.at = now;
      buckets.delete(key);
      buckets.set(key, bucket);
      if (bucket.tokens < 1) return false;
      bucket.tokens -= 1;
      return true;
    },
  };
}
