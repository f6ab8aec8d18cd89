// A circuit breaker: decides for how long a service that failed gets no requests.

import { backoffMs, pauses } from "../time/backoff.ts";

/**
 * The circuit breaker of one service. While `isOpen` is true, callers send the service no requests. The breaker stays
 * open longer with each successive failure.
 */
export interface CircuitBreaker {
  /**
   * Records that a request to the service succeeded or failed. `begunAt`: the time when the request began
   * (`performance.now()`). A failure is ignored when its request began before the previous failure was recorded,
   * because the same outage caused both.
   */
  note(worked: boolean, begunAt?: number): void;
  readonly isOpen: boolean;
  /** Number of requests to the service that have succeeded since the start. */
  readonly successes: number;
}

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
      openUntil = worked ? 0 : performance.now() + backoffMs(pauses.circuitBreaker, failures);
    },
    get isOpen() {
      return performance.now() < openUntil;
    },
    get successes() {
      return successes;
    },
  };
}
