// Limits for the data that one script may keep between points. Beyond a limit the oldest data is removed. Series of an
// aggregation are the exception: new series are refused instead, because removing an old series would restart its sum
// unnoticed.

export interface StateLimits {
  readonly cacheEntries: number;
  readonly cacheBytes: number;
  readonly windows: number;
  /** Largest size in bytes of all windows (lists of the last points of a stream) together. */
  readonly windowBytes: number;
  /** Time in nanoseconds after which a window (a list of the last points of a stream) without new points is removed. */
  readonly windowIdle: bigint;
  readonly buckets: number;
  readonly seriesPerBucket: number;
  /** Largest size in bytes of all series of all aggregation buckets together. */
  readonly seriesBytes: number;
  /** Largest number of aggregated points that are kept until the program that uses the library takes them. */
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

/**
 * Counters of the data that a script keeps now, and of the data that it could not keep since the script was
 * loaded.
 */
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
