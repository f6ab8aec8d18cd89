// A circuit breaker: it decides how long no requests are sent to a service that has failed.

import { backoffMs, pauses } from "../time/backoff.ts";

/**
 * The circuit breaker of one service. While `isOpen` is true, callers must not send requests to the service.
 * With each failure in a row, the breaker stays open longer.
 */
export interface CircuitBreaker {
  /**
   * Records whether a request to the service succeeded (`worked`) or failed. `begunAt`: the time when the request
   * began (`performance.now()`). A failed request is ignored if it began before the previous failure was recorded,
   * because both failures probably have the same cause.
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
