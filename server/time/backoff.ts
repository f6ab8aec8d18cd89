// Computes the pause before a failed operation is tried again. The pause doubles with each failure, up to the longest
// pause.

export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

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
