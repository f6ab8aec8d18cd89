// A token bucket per client and path (docs/reference/agent.md#rate-limit).

export interface RateLimit {
  /** Takes one token of the key's bucket. Returns false when the bucket is empty. */
  take(key: string): boolean;
}

/**
 * Most buckets held at once. One more removes the bucket that was unused longest, so a flood of addresses takes bounded
 * memory.
 */
const maxBuckets = 100_000;

/** Creates a rate limit. `nowMs` is a monotonic clock, in ms. */
export function createRateLimit(
  options: { readonly perSecond: number; readonly burst: number; readonly ttlMs: number },
  nowMs: () => number,
): RateLimit {
  const burst = Math.max(1, Math.floor(options.burst));
  // A Map keeps insertion order. A used bucket is put back at the end, so the first one was unused longest.
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
