// One connection to one origin, on which a request can be sent before earlier requests are answered (HTTP
// pipelining). It is a single Client of the package undici, because a Client keeps the order of the requests
// when it reconnects. A pool of connections may open a second connection, which would break the order.

import type { Socket } from "node:net";
import { buildConnector, Client } from "undici";

export interface PipelineOptions {
  /**
   * The timeout in milliseconds. It applies separately to connecting, to each answer (counted from the end of the
   * previous answer), and to each pause between two parts of an answer.
   */
  readonly timeoutMs: number;
  readonly depth: number;
  readonly tls: buildConnector.BuildOptions;
}

export class PipelinedConnection {
  readonly client: Client;
  private socket: Socket | undefined;

  constructor(origin: string, { timeoutMs, depth, tls }: PipelineOptions) {
    const connect = buildConnector({ ...tls, timeout: timeoutMs });
    this.client = new Client(origin, {
      pipelining: depth,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      connect: (options, done) =>
        connect(options, (...result) => {
          this.socket = result[1] ?? undefined;
          done(...result);
        }),
    });
  }

  /** Whether the operating system has taken all bytes of the requests that were sent on the newest socket. */
  get isDrained(): boolean {
    return this.socket?.writableLength === 0;
  }
}
