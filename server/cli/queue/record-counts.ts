// Describes the records of a queue for people: the number of points, or of requests that are forwarded without being
// parsed.

export interface RecordCounts {
  readonly points: number;
  /**
   * The number of records that are whole requests. Their points are not counted, because these requests are forwarded
   * without being parsed.
   */
  readonly requests: number;
}

/** Returns a description such as `3 points` or `1 request`, or both. */
export function countsText({ points, requests }: RecordCounts): string {
  const asked = requests === 1 ? "1 request" : `${requests} requests`;
  if (requests === 0) return `${points} points`;
  return points === 0 ? asked : `${points} points and ${asked}`;
}

export function sumOfCounts(all: readonly RecordCounts[]): RecordCounts {
  return {
    points: all.reduce((sum, { points }) => sum + points, 0),
    requests: all.reduce((sum, { requests }) => sum + requests, 0),
  };
}
