// Creates the HTTP server of a process of the agent: its timeouts, TLS, and the answer to a client that does not speak
// HTTP.

import type { RequestListener, Server } from "node:http";
import type { Socket } from "node:net";
import { durationMs } from "../../config/go-duration.ts";
import type { Config } from "../../config/schema.ts";
import { InflightBudget } from "../../http/body/inflight.ts";
import { createClients } from "../../http/guards/client.ts";
import { answerClientError } from "../../http/guards/client-error.ts";
import type { TlsFiles } from "../../http/listen.ts";
import { createHttpServer } from "../../http/server.ts";

/** Interval in milliseconds at which Node checks for clients that send too slowly. */
const slowLookMs = 1000;

/** Creates a server; with `tls` it serves HTTPS. Its timeouts must be set before the first connection arrives. */
export function createAgentServer(tls: TlsFiles | undefined, listener: RequestListener): Server {
  // Node's own timeout of requests is off (0), since the agent has a timeout for the whole request.
  const options = { connectionsCheckingInterval: slowLookMs, requestTimeout: 0 };
  const server = createHttpServer({ service: "agent", tls, ...options }, listener);
  return server.on("clientError", (error, socket) => answerClientError(error, socket as Socket));
}

/** Sets the timeouts of the server. They apply to each request that begins after this call. */
export function setTimeouts(server: Server, config: Config): void {
  const timeoutMs = requestTimeoutMs(config);
  // The request timeout also limits the time in which a client must send its headers.
  server.headersTimeout = timeoutMs;
  server.keepAliveTimeout = config["http_api.close_idle_connection"] ? timeoutMs : 72_000;
}

/** Returns the budget that limits the bytes of all bodies that one process holds in memory. */
export function bodyBudget(config: Config): InflightBudget {
  return new InflightBudget(config["http_api.max_inflight_bytes"], {
    bytesPerClient: config["http_api.max_inflight_bytes_per_client"],
    largestBody: config["http_api.max_body_bytes"],
    minBytesPerSecond: config["http_api.min_body_bytes_per_second"],
    clients: createClients({ trustedProxies: config["http_api.trusted_proxies"] }),
  });
}

export function requestTimeoutMs(config: Config): number {
  return durationMs(config["http_api.timeout"], 30_000);
}
