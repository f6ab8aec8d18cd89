// The cache of a script (docs/reference/functions.md#cache_get): values by key, each with its own expiry time.

import type { Value } from "../value.ts";
import { detachString, detachValue } from "./detach.ts";
import type { StateLimits } from "./limits.ts";

interface Entry {
  readonly value: Value;
  readonly bytes: number;
  /** Expiry time in nanoseconds since 1970; from this time on the value counts as missing. */
  readonly until: bigint;
}

export class Cache {
  bytes = 0;
  evicted = 0;
  /** The cached values by key. The map is in the order in which the values were stored, the oldest value first. */
  private readonly entries = new Map<string, Entry>();
  private readonly limits: StateLimits;

  constructor(limits: StateLimits) {
    this.limits = limits;
  }

  get size(): number {
    return this.entries.size;
  }

  /** Returns a copy of the cached value; nil when there is no value or it has expired. */
  get(key: string, now: bigint): Value {
    const entry = this.entries.get(key);
    if (entry === undefined) return null;
    if (now >= entry.until) {
      this.remove(key, entry);
      return null;
    }
    return typeof entry.value === "object" ? detachValue(entry.value).value : entry.value;
  }

  /** Keeps a copy of `value` for `seconds` seconds. Returns the size of the copy in bytes. */
  set(key: string, value: Value, seconds: bigint, now: bigint): number {
    const copy = detachValue(value);
    const bytes = copy.bytes + key.length * 2 + 64;
    const old = this.entries.get(key);
    if (old !== undefined) this.remove(key, old);
    this.entries.set(detachString(key), { value: copy.value, bytes, until: now + seconds * 1_000_000_000n });
    this.bytes += bytes;
    for (const [oldest, entry] of this.entries) {
      if (this.entries.size <= this.limits.cacheEntries && this.bytes <= this.limits.cacheBytes) break;
      this.remove(oldest, entry);
      if (now < entry.until) this.evicted++;
    }
    return bytes;
  }

  private remove(key: string, entry: Entry): void {
    this.entries.delete(key);
    this.bytes -= entry.bytes;
  }
}
