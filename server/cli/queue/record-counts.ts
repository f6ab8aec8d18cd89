// Describes in words how much a queue contains: the number of points, and the number of requests that are
// forwarded without being parsed.

export interface RecordCounts {
  readonly points: number;
  /**
   * The number of records that contain a whole request. The points in these requests are not counted, because the
   * requests are forwarded without being parsed.
   */
  readonly requests: number;
}

/** Returns a description such as `3 points`, `1 request`, or `3 points and 1 request`. */
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
