// Sends requests to the configured gateways (docs/reference/agent.md#uploads).

import { durationMs } from "../../config/go-duration.ts";
import type { Config } from "../../config/schema.ts";
import { type CircuitBreaker, createCircuitBreaker } from "../../outbound/circuit-breaker.ts";
import type { Upstream, UpstreamOptions } from "../../outbound/upstream.ts";
import { mostPlanned } from "../../queue/log/cursor.ts";

export interface GatewayCall {
  readonly method: string;
  readonly path: string;
  /** Parameters that are added to the query of the gateway's configured URL. */
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /**
   * Name of the pipelined connection that sends this request. A pipelined connection sends a request before the
   * previous requests are answered. When absent, the request is sent on an ordinary connection.
   */
  readonly pipeline?: string;
}

export interface GatewayAnswer {
  /** The HTTP status of the answer, or the name of the network failure, such as `timeout`. */
  readonly status: number | string;
  /** Description of a network failure when `status` has no name for it; one line, without secrets. */
  readonly cause?: string;
  readonly contentType: string;
  /** Delay in milliseconds that the gateway asks for in `Retry-After`. */
  readonly retryAfterMs: number | undefined;
  readonly bytes: Uint8Array;
  /** Value of the answer's header `date`; empty when there is none. */
  readonly date: string;
  /** Whether the gateway closes the connection after the answer. */
  readonly closes: boolean;
  /** Whether nothing reads the memory of the request's body any more (see `UpstreamAnswer`). */
  readonly isSent: boolean;
}

/**
 * One configured gateway. After a failure, its circuit breaker is open for a while, and the agent prefers other
 * gateways.
 */
export interface Gateway extends CircuitBreaker {
  /** The origin of the configured URL, `https://host:port`, without the token. */
  readonly origin: string;
  /** The token in the configured URL of the gateway; empty when the URL has none. */
  readonly token: string;
  /** Sends a request to the gateway. Resolves with the answer or the network failure; never rejects. */
  call(call: GatewayCall): Promise<GatewayAnswer>;
}

export interface GatewayOptions extends UpstreamOptions {
  readonly urls: readonly string[];
}

export interface Gateways {
  readonly all: readonly Gateway[];
  /**
   * Largest number of requests that a pipelined connection to a gateway may send before the first of them is answered.
   * It is 1 when a proxy is used, because a proxy may not support pipelined requests.
   */
  readonly uploadsInFlight: number;
  close(): Promise<void>;
}

export async function openGateways(options: GatewayOptions): Promise<Gateways> {
  // The package that sends HTTP requests is large, and an agent that writes to files does not need it. So it is
  // imported only when a gateway is configured.
  const { openUpstream } = await import("../../outbound/upstream.ts");
  const upstream = openUpstream(options);
  return {
    all: options.urls.map((url) => createGateway(new URL(url), upstream)),
    uploadsInFlight: upstream.uploadsInFlight,
    close: upstream.close,
  };
}

/** Opens the gateways that the configuration lists. Returns undefined when it lists none. */
export async function openConfiguredGateways(config: Config): Promise<Gateways | undefined> {
  const urls = config["gateway.urls"];
  if (urls.length === 0) return undefined;
  return await openGateways({
    urls,
    timeoutMs: durationMs(config["gateway.timeout_v2"], 30_000),
    proxy: config["gateway.http_proxy"],
    caFile: config["gateway.tls_ca"],
    insecure: config["gateway.tls_insecure"],
    uploadsInFlight: Math.min(config["gateway.uploads_in_flight"], mostPlanned),
  });
}

function createGateway(base: URL, upstream: Upstream): Gateway {
  const breaker = createCircuitBreaker();
  return {
    origin: base.origin,
    token: base.searchParams.get("token") ?? "",
    note: breaker.note,
    get isOpen() {
      return breaker.isOpen;
    },
    get successes() {
      return breaker.successes;
    },
    call: async ({ method, path, query = {}, headers = {}, body, pipeline }) => {
      const url = new URL(path, base.origin);
      url.search = base.search;
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      url.searchParams.sort();
      const answer = await upstream.send({
        method,
        url,
        headers,
        body,
        ...(pipeline === undefined ? {} : { pipeline }),
      });
      return {
        status: answer.status,
        cause: answer.cause,
        contentType: String(answer.headers["content-type"] ?? ""),
        retryAfterMs: answer.retryAfterMs,
        bytes: answer.bytes,
        date: String(answer.headers.date ?? ""),
        isSent: answer.isSent,
        closes: /\bclose\b/i.test(String(answer.headers.connection ?? "")),
      };
    },
  };
}
