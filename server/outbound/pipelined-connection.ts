// One connection to one origin, on which requests follow each other before the first is answered (HTTP pipelining). What undici keeps
// in order over a new connection is what one Client has; a pool may open a second one.

import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { buildConnector, Client } from "undici";

export interface PipelineOptions {
  /** Of the connection, of each answer once those before it are there, and between two parts of it. */
  readonly timeoutMs: number;
  readonly depth: number;
  readonly tls: buildConnector.BuildOptions;
}

export interface Lane {
  readonly client: Client;
  /** Looks now; what it gives tells later whether all that had been written by now has left this process. */
  mark(): () => boolean;
}

export function openPipelinedConnection(origin: string, { timeoutMs, depth, tls }: PipelineOptions): Lane {
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
