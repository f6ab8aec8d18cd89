// The state that one script keeps from point to point. It belongs to the compiled script: a new version starts empty,
// and a script that `use` or `after_use` runs works on its caller's state. All of it is in memory, bounded by
// `StateLimits`.

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

  /** Returns aggregated points that are ready at `now` (nanoseconds). */
  take(now: bigint): Aggregated[] {
    return this.buckets.take(now);
  }

  /** Returns everything that is still collected, at the end of the script's life. */
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
