// Limits for what one script may keep between points. Beyond a limit the oldest is removed, except for series of an
// aggregation, where new ones are refused: a sum must not restart unnoticed.

export interface StateLimits {
  readonly cacheEntries: number;
  readonly cacheBytes: number;
  readonly windows: number;
  /** Bytes of all windows together. */
  readonly windowBytes: number;
  /** Nanoseconds after which a window without new points is removed. */
  readonly windowIdle: bigint;
  readonly buckets: number;
  readonly seriesPerBucket: number;
  /** Bytes of all series of all buckets together. */
  readonly seriesBytes: number;
  /** Number of aggregated points that wait for the host to take them. */
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

/** Counters of the data that a script keeps now, and of the data that it could not keep since it was loaded. */
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
