// Creates the HTTP or HTTPS server of a service, with the checks that all three services (agent, gateway and platform)
// make before they handle a request.

import { createServer, type RequestListener, type Server, type ServerOptions } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Service } from "./errors.ts";
import { withOneHost } from "./guards/one-host.ts";
import type { TlsFiles } from "./listen.ts";
import { boundPipelining } from "./pipelining.ts";

export interface HttpServerOptions extends ServerOptions {
  /** The service (agent, gateway or platform) whose error codes the server uses in its answers. */
  readonly service: Service;
  /** Certificate and key. When they are given, the server serves HTTPS. */
  readonly tls?: TlsFiles | undefined;
}

export function createHttpServer({ service, tls, ...options }: HttpServerOptions, listener: RequestListener): Server {
  const guarded = boundPipelining(withOneHost(service, listener));
  return tls === undefined ? createServer(options, guarded) : createTlsServer({ ...options, ...tls }, guarded);
}

/**
 * Returns the options that make a Fastify application use a server of `createHttpServer`. Agents do not use
 * these options, because an agent's server stays open when a reload of the configuration replaces the Fastify
 * application.
 */
export function behindOwnServer(options: HttpServerOptions) {
  return {
    serverFactory: (listener: RequestListener) =>
      createHttpServer({ keepAliveTimeout: 72_000, requestTimeout: 120_000, ...options }, listener),
    forceCloseConnections: "idle",
  } as const;
}
