// How much one script may keep between points. Beyond a limit the oldest goes, but for series of an aggregation, of which
// the new ones are refused: a sum must not begin anew unnoticed.

export interface StateLimits {
  readonly cacheEntries: number;
  readonly cacheBytes: number;
  readonly windows: number;
  /** Of all windows together. */
  readonly windowBytes: number;
  /** A window that no point has come to for so long is forgotten. Nanoseconds. */
  readonly windowIdle: bigint;
  readonly buckets: number;
  readonly seriesPerBucket: number;
  /** Of all series of all buckets together. */
  readonly seriesBytes: number;
  /** Aggregated points that wait for the host to take them. */
  readonly emitted: number;
}

export const defaultStateLimits: StateLimits = {
  cacheEntries: 100_000,
  cacheBytes: 64 * 1024 * 1024,
  windows: 10_000,
  windowBytes: 64 * 1024 * 1024,
  windowIdle: 3_600_000_000_000n,
  buckets: 1000,
  seriesPerBucket: 100_000,
  seriesBytes: 64 * 1024 * 1024,
  emitted: 200_000,
};

/** What a script keeps now, and what it could not keep since it was loaded. */
export interface StateCounters {
  readonly cacheEntries: number;
  readonly cacheBytes: number;
  readonly cacheEvicted: number;
  readonly windows: number;
  readonly windowBytes: number;
  readonly windowsEvicted: number;
  readonly buckets: number;
  readonly series: number;
  readonly seriesBytes: number;
  readonly seriesRefused: number;
  readonly emittedLost: number;
}
