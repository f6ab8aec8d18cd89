// Computes the pause before a failed operation is tried again. The pause doubles with each failure, up to the longest
// pause.

export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** The pauses of everything that the services try again, in milliseconds. */
export const pauses = {
  /** Sending a record of a queue again: uploads of the agent and requests that the gateway keeps. */
  upload: {
    /** The settings `gateway.retry_delay` and `gateway_api.cache.retry_delay` replace this pause. */
    firstMs: 1000,
    longestMs: 60_000,
  },
  /** Handing lines of a tailed file to the agent again. */
  tail: { firstMs: 100, longestMs: 5000 },
  /** Sending a request to a service whose circuit breaker is open. */
  circuitBreaker: { firstMs: 1000, longestMs: 60_000 },
  /** Downloading a reference table again. */
  referTable: { firstMs: 1000, longestMs: 4000 },
} as const satisfies Readonly<Record<string, Backoff>>;

/** Largest number of doublings of the pause. The limit keeps the computed pause finite. */
const mostDoublings = 30;

/**
 * Returns the pause in milliseconds after `failures` failures in a row. With `random` (0 to 1) the pause becomes up to
 * a quarter longer or shorter, so that senders that failed together do not all try again at the same moment.
 */
export function backoffMs({ firstMs, longestMs }: Backoff, failures: number, random?: () => number): number {
  const pause = Math.min(firstMs * 2 ** Math.min(failures - 1, mostDoublings), longestMs);
  return random === undefined ? pause : pause * (0.75 + random() / 2);
}
