// The protocol between the benchmark and its load generator: the generator gets one argument of JSON and prints one
// line of JSON.

export interface Load {
  readonly host: string;
  readonly port: number;
  /** The path of the request, including its query. */
  readonly path: string;
  /** Additional header lines; each ends with a line break. */
  readonly headers?: string;
  /**
   * GET when the load consists of GET requests without a body. When absent, the requests are POSTs with bodies of
   * points.
   */
  readonly method?: "GET";
  readonly pointsPerBody: number;
  readonly connections: number;
  /**
   * The load ends after `seconds` seconds, or as soon as `points` points were accepted. A limit with the value 0 does
   * not apply.
   */
  readonly seconds: number;
  readonly points: number;
}

export interface Measured {
  readonly seconds: number;
  readonly requests: number;
  /** Number of requests that were answered with a 2xx status. */
  readonly accepted: number;
  readonly refused: number;
  readonly points: number;
  readonly bytes: number;
  /** Percentiles 50 and 99 of the time from request to answer, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Processor time in seconds that the load generator itself used. */
  readonly loadCpuSeconds: number;
}
