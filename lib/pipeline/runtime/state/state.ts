// The state that one script keeps from point to point. The state belongs to the compiled script: a new version of the
// script starts with an empty state. A script that is called by `use` or `after_use` works on the state of its caller.
// All state is in memory and is bounded by `StateLimits`.

import { type Aggregated, Buckets } from "./aggregation.ts";
import { Cache } from "./cache.ts";
import { defaultStateLimits, type StateCounters, type StateLimits } from "./limits.ts";
import { Windows } from "./windows.ts";

export class ScriptState {
  readonly cache: Cache;
  readonly windows: Windows;
  readonly buckets: Buckets;

  constructor(limits: StateLimits = defaultStateLimits) {
    this.cache = new Cache(limits);
    this.windows = new Windows(limits);
    this.buckets = new Buckets(limits);
  }

  /** Returns the aggregated points that are ready at the time `now` (nanoseconds). */
  take(now: bigint): Aggregated[] {
    return this.buckets.take(now);
  }

  /**
   * Returns all values that the aggregations still contain, as aggregated points. Called when the script will no
   * longer be used, so that no value is lost.
   */
  close(now: bigint): Aggregated[] {
    return this.buckets.close(now);
  }

  counters(): StateCounters {
    const { cache, windows, buckets } = this;
    return {
      cacheEntries: cache.size,
      cacheBytes: cache.bytes,
      cacheEvicted: cache.evicted,
      windows: windows.size,
      windowBytes: windows.bytes,
      windowsEvicted: windows.evicted,
      buckets: buckets.size,
      series: buckets.series,
      seriesBytes: buckets.bytes,
      seriesRefused: buckets.refused,
      emittedLost: buckets.lost,
    };
  }
}
