// How long to wait before something that failed is tried again: a pause that doubles with each failure, up to a longest one.

export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Keeps the product a finite number, however often something fails. */
const mostDoublings = 30;

/**
 * Returns the pause in milliseconds after so many failures in a row (1 after the first one). With `random` (0 to 1) the pause
 * is spread by a quarter to each side, so that senders that failed together do not come back together.
 */
export function backoffMs({ firstMs, longestMs }: Backoff, failures: number, random?: () => number): number {
  const pause = Math.min(firstMs * 2 ** Math.min(failures - 1, mostDoublings), longestMs);
  return random === undefined ? pause : pause * (0.75 + random() / 2);
}
