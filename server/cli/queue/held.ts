// Describes the records of a queue for people: a number of points, or of requests that are passed on without being
// parsed.

export interface Held {
  readonly points: number;
  /** The number of records without points. */
  readonly requests: number;
}

/** Returns `3 points`, `1 request`, or both. */
export function heldText({ points, requests }: Held): string {
  const asked = requests === 1 ? "1 request" : `${requests} requests`;
  if (requests === 0) return `${points} points`;
  return points === 0 ? asked : `${points} points and ${asked}`;
}

export function sumOf(all: readonly Held[]): Held {
  return {
    points: all.reduce((sum, { points }) => sum + points, 0),
    requests: all.reduce((sum, { requests }) => sum + requests, 0),
  };
}
