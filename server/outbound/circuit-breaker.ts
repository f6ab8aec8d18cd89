// A circuit breaker: decides how long a failed service gets no requests.

import { backoffMs } from "../time/backoff.ts";

/**
 * The circuit breaker of one service. While `isOpen` is true, callers send the service no requests. The pause grows
 * with successive failures.
 */
export interface CircuitBreaker {
  /**
   * Notes a success or a failure of the service. `begunAt` is the time at which the request began
   * (`performance.now()`): when it began before the last failure, its own failure does not count.
   */
  note(worked: boolean, begunAt?: number): void;
  readonly isOpen: boolean;
  /** Number of successes. */
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
