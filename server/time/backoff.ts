// The pause before a failed operation is tried again: it doubles with each failure, up to a longest one.

export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Limit of the exponent, so that the product stays finite. */
const mostDoublings = 30;

/**
 * Returns the pause in ms after a number of failures in a row (1 after the first one). With `random` (0 to 1) the pause
 * varies by a quarter to each side, so that senders that failed together do not try again together.
 */
export function backoffMs({ firstMs, longestMs }: Backoff, failures: number, random?: () => number): number {
  const pause = Math.min(firstMs * 2 ** Math.min(failures - 1, mostDoublings), longestMs);
  return random === undefined ? pause : pause * (0.75 + random() / 2);
}
