// A circuit breaker: says how long a service that failed is left alone.

import { backoffMs } from "../time/backoff.ts";

/** While it is open the service is left out; the pause grows with the failures that follow each other. */
export interface CircuitBreaker {
  /**
   * Notes whether the service did its work. `begunAt` is the time at which the work began (`performance.now()`): of the work that
   * had begun before the last failure, further failures do not count.
   */
  note(worked: boolean, begunAt?: number): void;
  readonly isOpen: boolean;
  /** How often the service did its work. */
  readonly successes: number;
}

const pauses = { firstMs: 1000, longestMs: 60_000 };

export function createCircuitBreaker(): CircuitBreaker {
  let failures = 0;
  let openUntil = 0;
  let failedAt = Number.NEGATIVE_INFINITY;
  let successes = 0;
  return {
    note: (worked, begunAt = Number.POSITIVE_INFINITY) => {
      if (!worked && begunAt < failedAt) return;
      if (worked) successes++;
      else failedAt = performance.now();
      failures = worked ? 0 : failures + 1;
      openUntil = worked ? 0 : performance.now() + backoffMs(pauses, failures);
    },
    get isOpen() {
      return performance.now() < openUntil;
    },
    get successes() {
      return successes;
    },
  };
}
