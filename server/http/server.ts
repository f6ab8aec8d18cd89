// The HTTP server of a service, plain or TLS, with the checks that all three services make before they handle a
// request.

import { createServer, type RequestListener, type Server, type ServerOptions } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Service } from "./errors.ts";
import { withOneHost } from "./guards/one-host.ts";
import type { TlsFiles } from "./listen.ts";
import { boundPipelining } from "./pipelining.ts";

export interface HttpServerOptions extends ServerOptions {
  /** Service whose name begins the error codes. */
  readonly service: Service;
  /** Certificate and key; the server speaks HTTPS when they are given. */
  readonly tls?: TlsFiles | undefined;
}

export function createHttpServer({ service, tls, ...options }: HttpServerOptions, listener: RequestListener): Server {
  const guarded = boundPipelining(withOneHost(service, listener));
  return tls === undefined ? createServer(options, guarded) : createTlsServer({ ...options, ...tls }, guarded);
}

/**
 * Returns the options with which Fastify serves behind such a server. Agents do not use them: their servers outlive
 * reloads.
 */
export function behindOwnServer(options: HttpServerOptions) {
  return {
    serverFactory: (listener: RequestListener) =>
      createHttpServer({ keepAliveTimeout: 72_000, requestTimeout: 120_000, ...options }, listener),
    forceCloseConnections: "idle",
  } as const;
}
