// The HTTP server of the agent, as each of its processes has one: its timeouts, TLS, and what a client is told whose request
// is no HTTP.

import type { RequestListener, Server } from "node:http";
import type { Socket } from "node:net";
import { durationMs } from "../../config/go-duration.ts";
import type { Config } from "../../config/schema.ts";
import { configuredBudget, type InflightBudget } from "../../http/body/inflight.ts";
import { createClients } from "../../http/guards/client.ts";
import { answerClientError } from "../../http/guards/client-error.ts";
import type { TlsFiles } from "../../http/listen.ts";
import { createHttpServer } from "../../http/server.ts";

/** How often Node looks for clients that are too slow. */
const slowLookMs = 1000;

/** With `tls` it speaks HTTPS. Its timeouts are set before its first connection. */
export function createAgentServer(tls: TlsFiles | undefined, listener: RequestListener): Server {
  // The whole request has its own timeout.
  const options = { connectionsCheckingInterval: slowLookMs, requestTimeout: 0 };
  const server = createHttpServer({ service: "agent", tls, ...options }, listener);
  return server.on("clientError", (error, socket) => answerClientError(error, socket as Socket));
}

/** In force from the next request on. */
export function setTimeouts(server: Server, config: Config): void {
  const timeoutMs = requestTimeoutMs(config);
  // A client that sends its headers drop by drop is cut off like one that does so with its body.
  server.headersTimeout = timeoutMs;
  server.keepAliveTimeout = config["http_api.close_idle_connection"] ? timeoutMs : 72_000;
}

/** The budget of body bytes of one of the agent's processes. */
export function bodyBudget(config: Config): InflightBudget {
  return configuredBudget({
    bytes: config["http_api.max_inflight_bytes"],
    bytesPerClient: config["http_api.max_inflight_bytes_per_client"],
    largestBody: config["http_api.max_body_bytes"],
    minBytesPerSecond: config["http_api.min_body_bytes_per_second"],
    clients: createClients({ trustedProxies: config["http_api.trusted_proxies"] }),
  });
}

export function requestTimeoutMs(config: Config): number {
  return durationMs(config["http_api.timeout"], 30_000);
}
