// The guards: checks that every request passes before its handler runs, in the order of
// docs/reference/agent.md#order-of-the-checks: timeout, response headers, CORS, access, rate limit. They use Node's own
// request and response, since the route for writes does not use Fastify.

import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { maskTokens } from "../../../lib/sharding/index.ts";
import { shownText } from "../../../lib/text/index.ts";
import { durationMs, formatDuration } from "../../config/go-duration.ts";
import { RequestAbort } from "../../http/abort-signal.ts";
import { createDeadlines } from "../../http/deadlines.ts";
import { ApiError, errorBody } from "../../http/errors.ts";
import { createAccess } from "../../http/guards/access.ts";
import { createClients, headerOf, peerOf } from "../../http/guards/client.ts";
import { corsHeaders } from "../../http/guards/cors.ts";
import { createRateLimit } from "../../http/guards/rate-limit.ts";
import { identityOf } from "../../http/version.ts";
import { statusText } from "../../telemetry/metrics.ts";
import type { Agent } from "../agent.ts";
import { JobAborted } from "../thread-pool.ts";
import { requestTimeoutMs } from "./http-server.ts";
import { notReady } from "./not-ready.ts";

export interface Guards {
  /** Number of requests that have begun and whose responses are not closed yet. */
  readonly underWay: number;
  /**
   * Starts the timeout of a request. When the response is closed, counts the request in the metrics under `label`.
   * Calls `onTimeout` before a timed-out request is answered with the status 408.
   */
  begin(raw: IncomingMessage, response: ServerResponse, label: () => string, onTimeout?: () => void): RequestAbort;
  /** Returns the headers that every answer gets, as an array that alternates names and values. */
  headersOf(raw: IncomingMessage, path: string): string[];
  /**
   * Throws ApiError when the request is refused by the access rules or the rate limit. Adds the headers of the rate
   * limit to `headers`. The rate limit applies only to known paths.
   */
  admit(raw: IncomingMessage, path: string, headers: string[], isKnown: boolean): void;
  /**
   * Returns the error with which to answer a request whose handler has thrown `error`. Logs `error` when it is
   * unexpected.
   */
  refusalOf(error: unknown, raw: IncomingMessage, abort: RequestAbort | undefined): ApiError;
}

export function createGuards(
  { config, hostname, log, metrics }: Pick<Agent, "config" | "hostname" | "log" | "metrics">,
  listenHost: string,
): Guards {
  const timeoutMs = requestTimeoutMs(config);
  const answerLate = createLateAnswers(timeoutMs);
  const allowedOrigins = config["http_api.allowed_cors_origins"];
  const clients = createClients({
    trustedProxies: config["http_api.trusted_proxies"],
    localNetworks: config["http_api.public_ips"],
  });
  const access = createAccess({
    clients,
    publicApis: config["http_api.public_apis"],
    allowedOrigins,
    allowedHosts: config["http_api.allowed_hosts"],
    listenHost,
  });
  const perSecond = config["http_api.request_rate_limit"];
  const rateLimit = createRateLimit(
    {
      perSecond,
      burst: config["http_api.request_rate_limit_burst"],
      ttlMs: durationMs(config["http_api.request_rate_limit_ttl"], 60_000),
    },
    () => performance.now(),
  );
  const identity = identityOf(hostname);
  const deadlines = createDeadlines(timeoutMs);

  const count = createCount({ log, metrics });
  let underWay = 0;
  return {
    get underWay() {
      return underWay;
    },
    begin: (raw, response, label, onTimeout) => {
      underWay++;
      const abort = new RequestAbort();
      const startedAt = performance.now();
      const deadline = deadlines.begin(startedAt, () => {
        if (response.headersSent) return abort.early();
        if (!abort.late()) return;
        onTimeout?.();
        answerLate(raw, response);
      });
      // Node emits the event `close` of a response exactly once, whether the response was sent or not.
      response.on("close", () => {
        deadline.end();
        underWay--;
        if (!response.writableFinished) abort.early();
        count(raw, label(), response.statusCode, startedAt);
      });
      return abort;
    },
    headersOf: (raw, path) => {
      const sent = raw.headers["x-trace-id"];
      const traceId = typeof sent === "string" && isTraceId(sent) ? sent : `trace_${randomUUID()}`;
      const own = ["x-agent", identity, "x-trace-id", traceId];
      return own.concat(corsHeaders(raw, path, access, allowedOrigins));
    },
    admit: (raw, path, headers, isKnown) => {
      if (clients.isFromUntrustedProxy(raw)) metrics.untrustedProxy.inc();
      access.check(raw, path);
      if (perSecond <= 0 || !isKnown) return;
      const forwarded = headerOf(raw, "x-forwarded-for");
      headers.push("x-rate-limit-limit", perSecond.toFixed(2), "x-rate-limit-duration", "1");
      headers.push("x-rate-limit-request-remote-addr", peerOf(raw));
      if (forwarded !== "") headers.push("x-rate-limit-request-forwarded-for", shownText(forwarded));
      const address = clients.keyOf(raw);
      if (address !== "" && !rateLimit.take(`${address} ${path}`)) throw new ApiError("agent.reachMaxAPILimit");
    },
    refusalOf: (error, raw, abort) => refusalOf(error, raw, abort, log),
  };
}

/** Returns a function that answers a request whose timeout has passed. */
function createLateAnswers(timeoutMs: number): (raw: IncomingMessage, response: ServerResponse) => void {
  const timeout = formatDuration(BigInt(Math.round(timeoutMs * 1e6)));
  const late = [408, "text/plain; charset=utf-8", `timeout(${timeout})`] as const;
  const queryLate = new ApiError("agent.queryTimeout", `query timeout after ${timeout}`);
  const lateQuery = [queryLate.status, "application/json", errorBody(queryLate.code, queryLate.message)] as const;
  return (raw, response) => {
    const [status, type, body] = pathOf(raw) === queryPath ? lateQuery : late;
    response.writeHead(status, { "content-type": type, "content-length": body.length, connection: "close" });
    response.end(body);
    // When a request is answered before its body has arrived, Node never reports the end of the body. The code that
    // reads the body would wait forever. So the request is destroyed when its connection closes.
    if (!raw.complete) raw.socket.once("close", () => raw.destroy());
  };
}

/**
 * Returns the error with which to answer a request whose handler has thrown `error`. Logs `error` when it is
 * unexpected.
 */
function refusalOf(error: unknown, raw: IncomingMessage, abort: RequestAbort | undefined, log: Agent["log"]): ApiError {
  if (error instanceof ApiError) return error;
  // The client was answered with the status 408 or has disconnected, so nobody gets this answer. (The state of the
  // socket tells whether the client has disconnected. The state of the request does not, because Node also
  // destroys a request whose body was read completely.)
  if (abort?.wasEarly || raw.socket.destroyed) return new ApiError("agent.internalServerError", "request aborted");
  // The worker threads have dropped the job because the agent stops or reloads. This is no unexpected error, so the
  // answer is that the agent is not ready.
  if (error instanceof JobAborted) return notReady("the agent stops, or starts with a new configuration");
  log.error(`${raw.method} ${pathOf(raw)}`, error);
  const message = error instanceof Error ? `${error.constructor.name}: ${error.message}` : "unexpected error";
  return new ApiError("agent.internalServerError", message);
}

/** Returns a function that counts an answered request and logs it at the level debug. */
function createCount({ log, metrics }: Pick<Agent, "log" | "metrics">) {
  const counts = createCounts(metrics);
  return (raw: IncomingMessage, label: string, status: number, startedAt: number): void => {
    const at = performance.now();
    const elapsedMs = at - startedAt;
    counts(label, raw.method ?? "", status, elapsedMs / 1000, approximateSize(raw), at);
    if (log.isDebug) {
      // The password of Influx clients, in the parameter `p`, is not logged.
      const url = maskTokens(raw.url ?? "").replace(/([?&]p=)[^&]*/g, "$1***");
      log.debug(`${peerOf(raw)} ${raw.method} ${url} ${status} ${Math.round(elapsedMs)}ms`);
    }
  };
}

/** Returns a function that counts requests by route, method and status. The number of combinations is bounded. */
function createCounts({ apiTotal, apiSeconds, apiBytes }: Agent["metrics"]) {
  const series = new Map<string, (seconds: number, bytes: number, at: number) => void>();
  const seriesOf = (api: string, method: string, status: number) => {
    const labels = { api, method, status: statusText(status) };
    const [total, observeSeconds, observeBytes] = [apiTotal.of(labels), apiSeconds.of(labels), apiBytes.of(labels)];
    return (seconds: number, bytes: number, at: number) => {
      total.value++;
      observeSeconds(seconds, at);
      observeBytes(bytes, at);
    };
  };
  /**
   * The counter that was used last. Consecutive requests usually use the same counter, so it is looked up only when it
   * changes.
   */
  let last = { api: "", method: "", status: 0, add: (_seconds: number, _bytes: number, _at: number) => {} };
  return (api: string, method: string, status: number, seconds: number, bytes: number, at: number): void => {
    if (api !== last.api || method !== last.method || status !== last.status) {
      const key = `${api} ${method} ${status}`;
      let add = series.get(key);
      if (add === undefined) series.set(key, (add = seriesOf(api, method, status)));
      last = { api, method, status, add };
    }
    last.add(seconds, bytes, at);
  };
}

/**
 * URL path of queries. A query that times out gets another error answer than other requests (docs/errors.md#queries).
 */
const queryPath = "/v1/query/raw";

/** Returns the URL path of a request as the client sent it, without the query. */
export function pathOf(raw: IncomingMessage): string {
  const url = raw.url ?? "/";
  const end = url.indexOf("?");
  return end < 0 ? url : url.slice(0, end);
}

/** Returns whether the client's header X-Trace-Id can be sent back as a header of the answer. */
function isTraceId(sent: string): boolean {
  return sent !== "" && /^[\x21-\x7e]{1,128}$/.test(sent);
}

/** Returns the approximate size of a request in bytes: path, method, protocol, headers, host and body. */
function approximateSize(raw: IncomingMessage): number {
  let size = (raw.url ?? "").length + (raw.method ?? "").length + `HTTP/${raw.httpVersion}`.length;
  for (const part of raw.rawHeaders) size += part.length;
  return size + Number(raw.headers["content-length"] ?? 0);
}
