// One connection to one origin, on which requests are sent before the previous ones are answered (HTTP pipelining).
// Uses a Client of the package undici, because only a single Client keeps the order of requests when it reconnects; a
// pool may open a second connection.

import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { buildConnector, Client } from "undici";

export interface PipelineOptions {
  /**
   * Timeout in milliseconds. It applies to the connect, to each answer (counted from the end of the previous answer),
   * and to each pause between two parts of an answer.
   */
  readonly timeoutMs: number;
  readonly depth: number;
  readonly tls: buildConnector.BuildOptions;
}

export interface PipelinedConnection {
  readonly client: Client;
  /**
   * Records how many bytes have been written to the connection. Returns a function that returns whether these bytes have
   * left this process.
   */
  mark(): () => boolean;
}

export function openPipelinedConnection(
  origin: string,
  { timeoutMs, depth, tls }: PipelineOptions,
): PipelinedConnection {
  const connect = buildConnector({ ...tls, timeout: timeoutMs });
  let socket: Socket | TLSSocket | undefined;
  const client = new Client(origin, {
    pipelining: depth,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connect: (options, callback) =>
      connect(options, (...result: buildConnector.CallbackArgs) => {
        socket = result[1] ?? undefined;
        callback(...result);
      }),
  });
  return {
    client,
    mark: () => {
      const marked = socket;
      if (marked === undefined) return () => false;
      const { bytesWritten } = marked;
      return () => marked.destroyed || marked.bytesWritten - marked.writableLength >= bytesWritten;
    },
  };
}
