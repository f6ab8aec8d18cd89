// Computes the pause before a failed operation is tried again. The pause doubles with each failure, up to the longest
// pause.

export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** The pauses before operations of the services are tried again, in milliseconds. */
export const pauses = {
  /**
   * The pause before a record of a queue is sent again: an upload of the agent, or a request that the gateway stores on
   * disk.
   */
  upload: {
    /**
     * Length of the first pause in milliseconds. The setting `gateway.retry_delay` (agent) or
     * `gateway_api.cache.retry_delay` (gateway) can set another length.
     */
    firstMs: 1000,
    longestMs: 60_000,
  },
  /** The pause before lines of a tailed file are given to the agent again. */
  tail: { firstMs: 100, longestMs: 5000 },
  /**
   * The pause before a request is sent again to a service that has failed. A circuit breaker stops all requests to the
   * service during this pause.
   */
  circuitBreaker: { firstMs: 1000, longestMs: 60_000 },
  /** The pause before a reference table (a table in which scripts look up values) is downloaded again. */
  referTable: { firstMs: 1000, longestMs: 4000 },
} as const satisfies Readonly<Record<string, Backoff>>;

/** Largest number of doublings of the pause. The limit keeps the computed pause finite. */
const mostDoublings = 30;

/**
 * Returns the pause in milliseconds after `failures` failures in a row. `random` is a function that returns
 * numbers from 0 to 1. If it is given, the pause becomes up to a quarter longer or shorter at random, so that
 * senders that failed together do not all try again at the same moment.
 */
export function backoffMs({ firstMs, longestMs }: Backoff, failures: number, random?: () => number): number {
  const pause = Math.min(firstMs * 2 ** Math.min(failures - 1, mostDoublings), longestMs);
  return random === undefined ? pause : pause * (0.75 + random() / 2);
}
