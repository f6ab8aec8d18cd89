// A token bucket per client and path (docs/reference/agent.md#rate-limit).

export interface RateLimit {
  /** Takes one token; false when there is none. */
  take(key: string): boolean;
}

/** Buckets held at once; for one more the longest unused is forgotten, so that a flood of addresses costs bounded memory. */
const maxBuckets = 100_000;

/** `nowMs` is a monotonic clock. */
export function createRateLimit(
  options: { readonly perSecond: number; readonly burst: number; readonly ttlMs: number },
  nowMs: () => number,
): RateLimit {
  const burst = Math.max(1, Math.floor(options.burst));
  // A Map keeps insertion order: a bucket is put back at the end when it is used, so the first is the longest unused.
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
