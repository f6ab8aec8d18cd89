// Passes requests to the Open API of a platform (the server that stores the points): the platform that the
// configuration names, or the one that runs in the same process. Decides which requests may use the agent's own API key
// for the platform (docs/access.md#the-open-api-through-the-agent).

import type { IncomingMessage } from "node:http";
import { durationMs } from "../../config/go-duration.ts";
import { hostOf, parseListenAddress } from "../../config/listen-address.ts";
import type { Config } from "../../config/schema.ts";
import { ApiError } from "../../http/errors.ts";
import { createAccess } from "../../http/guards/access.ts";
import { createClients, headerOf } from "../../http/guards/client.ts";
import type { Upstream, UpstreamAnswer, UpstreamOptions } from "../../outbound/upstream.ts";

/**
 * The address of a platform's Open API, and the API key that the agent itself uses there. The key is empty when the
 * agent has none.
 */
export interface OpenApiTarget {
  /**
   * URL of the platform, such as `http://127.0.0.1:9527`. When the URL has a path, `/api/v1` is appended to this
   * path.
   */
  readonly url: string;
  readonly key: string;
}

export interface OpenApiCall {
  readonly method: string;
  /** Path below `/api/v1` that the Open API declares, such as `/dashboard/list`. */
  readonly path: string;
  /** The query of the client's request, unchanged, without the question mark. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
  readonly signal: AbortSignal;
}

export interface OpenApiRelay {
  /** Returns the platform to which requests are passed; undefined when the agent knows none. */
  target(): OpenApiTarget | undefined;
  /**
   * Returns whether a request may use the agent's own API key. Such a request must come from the agent's machine, and
   * its header `Host` must name one of the agent's hosts. When a web page sent the request, it must be the agent's own
   * page. The settings `public_apis`, `public_ips` and `allowed_cors_origins` do not change these rules.
   */
  mayUseOwnKey(request: IncomingMessage): boolean;
  /** Sends a request to the platform. Resolves with its answer or with the network failure; never rejects. */
  send(target: OpenApiTarget, call: OpenApiCall): Promise<UpstreamAnswer>;
  close(): Promise<void>;
}

/**
 * Largest number of connections to the platform at once, which bounds the memory for answers. Further requests wait.
 */
const mostConnections = 16;

/**
 * Creates the object that passes requests to the Open API. `local` returns the Open API of a platform in the same
 * process. When the configuration names the URL of a platform, that platform is used instead.
 */
export function createOpenApiRelay(
  config: Config,
  local: () => OpenApiTarget | undefined = () => undefined,
): OpenApiRelay {
  const configured = config["http_api.open_api.url"];
  const access = createAccess({
    clients: createClients({ trustedProxies: config["http_api.trusted_proxies"] }),
    publicApis: [],
    allowedOrigins: [],
    allowedHosts: config["http_api.allowed_hosts"],
    listenHost: hostOf(parseListenAddress(config["http_api.listen"])),
  });
  let upstream: Promise<Upstream> | undefined;
  return {
    target: () => (configured === "" ? local() : { url: configured, key: config["http_api.open_api.key"] }),
    mayUseOwnKey: (request) => {
      try {
        access.check(request, "/openapi/");
      } catch (error) {
        if (error instanceof ApiError) return false;
        throw error;
      }
      // The header Sec-Fetch-Site is checked, too, because some requests have no header Origin. For example, when a
      // page of another site loads an image from the agent, browsers send only Sec-Fetch-Site.
      return ["", "same-origin", "none"].includes(headerOf(request, "sec-fetch-site"));
    },
    send: async ({ url: base }, { method, path, query, headers, body, signal }) => {
      const url = new URL(base);
      url.pathname = `${url.pathname.replace(/\/+$/, "")}/api/v1${path}`;
      url.search = query;
      upstream ??= open(upstreamOptions(config));
      return await (await upstream).send({ method, url, headers, body, signal });
    },
    close: async () => {
      await (await upstream)?.close();
    },
  };
}

/**
 * Returns the options for requests to a platform. A platform that the configuration names is reached through the same
 * proxy and with the same certificates as the gateways. A platform in the same process is reached directly.
 */
function upstreamOptions(config: Config): UpstreamOptions {
  const isConfigured = config["http_api.open_api.url"] !== "";
  return {
    timeoutMs: durationMs(config["http_api.open_api.timeout"], 25_000),
    maxAnswerBytes: config["http_api.open_api.max_answer_bytes"],
    connections: mostConnections,
    proxy: isConfigured ? config["gateway.http_proxy"] : "",
    caFile: isConfigured ? config["gateway.tls_ca"] : "",
    insecure: isConfigured && config["gateway.tls_insecure"],
  };
}

/**
 * Opens the connections to the platform. The package that sends requests is large, so it is imported only for the first
 * request.
 */
async function open(options: UpstreamOptions): Promise<Upstream> {
  const { openUpstream } = await import("../../outbound/upstream.ts");
  return openUpstream(options);
}
