// What the bench asks its load generator, and what it hears back: one JSON argument, one line of JSON.

export interface Load {
  readonly host: string;
  readonly port: number;
  /** With its query. */
  readonly path: string;
  /** Further header lines, each with its line end. */
  readonly headers?: string;
  /** Without it the load is POST with bodies of points. */
  readonly method?: "GET";
  readonly pointsPerBody: number;
  readonly connections: number;
  /** Ends after so many seconds, or when so many points were accepted; 0 = not by this. */
  readonly seconds: number;
  readonly points: number;
}

export interface Measured {
  readonly seconds: number;
  readonly requests: number;
  /** Answered with 2xx. */
  readonly accepted: number;
  readonly refused: number;
  readonly points: number;
  readonly bytes: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Processor time of the generator itself. */
  readonly loadCpuSeconds: number;
}
