// One connection to one origin, on which requests are sent before the previous ones are answered (HTTP pipelining).
// Uses a Client of the package undici, because only a single Client keeps the order of requests when it reconnects; a
// pool may open a second connection.

import { type buildConnector, Client } from "undici";

export interface PipelineOptions {
  /**
   * Timeout in milliseconds for connecting, for each answer (counted from the end of the previous answer), and for each
   * pause between two parts of an answer.
   */
  readonly timeoutMs: number;
  readonly depth: number;
  readonly tls: buildConnector.BuildOptions;
}

export function openPipelinedConnection(origin: string, { timeoutMs, depth, tls }: PipelineOptions): Client {
  return new Client(origin, {
    pipelining: depth,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connect: { ...tls, timeout: timeoutMs },
  });
}
