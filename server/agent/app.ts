// The agent's HTTP application: the order in which a request passes its guards (agent document, A.1.2), the 404 page,
// and the routes.

import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import fastifyStatic from "@fastify/static";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { categories } from "../../lib/point/category.ts";
import { maskTokens } from "../../lib/sharding/token.ts";
import { durationMs, formatDuration } from "../config/go-duration.ts";
import { createAccess } from "../http/access.ts";
import { answerError } from "../http/answer.ts";
import { headerOf, limitedAddress, peerOf } from "../http/client.ts";
import { corsHeaders } from "../http/cors.ts";
import { createEnding, type Ending } from "../http/ending.ts";
import { ApiError } from "../http/errors.ts";
import type { TlsFiles } from "../http/listen.ts";
import { statusText } from "../http/metrics.ts";
import { page404 } from "../http/page-404.ts";
import { createRateLimit } from "../http/rate-limit.ts";
import { version } from "../http/version.ts";
import type { Agent } from "./agent.ts";
import { JobAborted } from "./pool.ts";
import { dialtestingDebug } from "./routes/dialtesting-debug.ts";
import { envVariable } from "./routes/env-variable.ts";
import { globalTags } from "./routes/global-tags.ts";
import { health } from "./routes/health.ts";
import { labels } from "./routes/labels.ts";
import { lastError } from "./routes/last-error.ts";
import { logStreaming } from "./routes/log-streaming.ts";
import { metricsRoute } from "./routes/metrics.ts";
import { ntp } from "./routes/ntp.ts";
import { ping } from "./routes/ping.ts";
import { pipelineDebug } from "./routes/pipeline-debug.ts";
import { playgroundAsset, playgroundFolder, playgroundPage } from "./routes/playground.ts";
import { promRemoteWrite } from "./routes/prom-remote-write.ts";
import { queryRaw } from "./routes/query-raw.ts";
import { restart } from "./routes/restart.ts";
import type { Call, Route } from "./routes/route.ts";
import { sessionReplay } from "./routes/session-replay.ts";
import { sourceMaps } from "./routes/source-maps.ts";
import { write } from "./routes/write.ts";

const allRoutes: readonly Route[] = [
  ping,
  ntp,
  write,
  ...labels,
  ...globalTags,
  pipelineDebug,
  dialtestingDebug,
  ...sourceMaps,
  sessionReplay,
  envVariable,
  metricsRoute,
  lastError,
  queryRaw,
  ...health,
  logStreaming,
  promRemoteWrite,
  restart,
  playgroundPage,
  playgroundAsset,
];

/** What the guards keep for the handler, on the request. */
interface Guarded {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly contentType: string;
  readonly startedAt: number;
  readonly ending: Ending;
}

declare module "fastify" {
  interface FastifyRequest {
    guarded: Guarded | null;
  }
}

/** With `tls` the application speaks HTTPS. */
export function createApp(agent: Agent, listenHost: string, tls?: TlsFiles): FastifyInstance {
  const { config, log, metrics } = agent;
  const routes = allRoutes.filter(({ isOn }) => isOn === undefined || isOn(config));
  const timeoutMs = durationMs(config["http_api.timeout"], 30_000);
  const timeoutText = formatDuration(BigInt(Math.round(timeoutMs * 1e6)));
  const allowedOrigins = config["http_api.allowed_cors_origins"];
  const access = createAccess({
    publicApis: config["http_api.public_apis"],
    publicIps: config["http_api.public_ips"],
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

  // A client that sends its headers drop by drop is cut off like one that does so with its body.
  const serverOptions = {
    headersTimeout: timeoutMs,
    connectionsCheckingInterval: Math.min(timeoutMs, 5000),
  };
  const app = Fastify({
    ...(tls === undefined ? { http: serverOptions } : { https: { ...serverOptions, ...tls } }),
    exposeHeadRoutes: false,
    forceCloseConnections: "idle",
    keepAliveTimeout: 72_000,
    ...(config["http_api.close_idle_connection"] ? { keepAliveTimeout: timeoutMs } : {}),
    // Also reached by paths that cannot be decoded.
    frameworkErrors: (_error, request, reply) => {
      answerError(reply as FastifyReply, new ApiError("agent.badRequest", `invalid URL "${pathOf(request.raw)}"`));
    },
    routerOptions: { maxParamLength: 8192, ignoreTrailingSlash: false, caseSensitive: true },
  });

  // Handlers read bodies themselves, under their own caps; and an odd content type means line protocol here.
  for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }

  app.decorateRequest("guarded", null);

  app.addHook("onRequest", (request, reply, done) => {
    const { raw } = request;
    const path = pathOf(raw);
    const location = redirected(routes, raw, path);
    if (location !== undefined) {
      // Before every guard: not even the headers of an answer are added.
      reply
        .code(raw.method === "GET" ? 301 : 307)
        .header("location", location)
        .send();
      return;
    }
    const ending = createEnding();
    const startedAt = performance.now();
    const url = raw.url ?? "/";
    const query = new URLSearchParams(url.slice(path.length + 1));
    request.guarded = { path, query, contentType: headerOf(raw, "content-type"), startedAt, ending };

    const timer = setTimeout(() => {
      ending.early();
      if (reply.raw.headersSent) return;
      reply.hijack();
      const body = `timeout(${timeoutText})`;
      reply.raw.writeHead(408, {
        "content-type": "text/plain; charset=utf-8",
        "content-length": body.length,
        connection: "close",
      });
      reply.raw.end(body);
    }, timeoutMs);
    reply.raw.once("close", () => {
      clearTimeout(timer);
      if (!reply.raw.writableFinished) ending.early();
      count(request, reply.raw.statusCode);
    });

    reply.header("x-agent", `${version}/${agent.hostname}`);
    reply.header("x-trace-id", traceId(headerOf(raw, "x-trace-id")));
    reply.headers(corsHeaders(raw, path, access, allowedOrigins));
    if (raw.method === "OPTIONS") {
      reply.code(204).send();
      return;
    }
    access.check(raw, path);
    if (perSecond > 0 && !request.is404) limit(raw, reply, path);
    done();
  });

  const limit = (raw: IncomingMessage, reply: FastifyReply, path: string) => {
    const forwarded = headerOf(raw, "x-forwarded-for");
    reply.headers({
      "x-rate-limit-limit": perSecond.toFixed(2),
      "x-rate-limit-duration": "1",
      "x-rate-limit-request-remote-addr": peerOf(raw),
      ...(forwarded === "" ? {} : { "x-rate-limit-request-forwarded-for": forwarded }),
    });
    const address = limitedAddress(raw);
    if (address !== "" && !rateLimit.take(`${address} ${path}`)) throw new ApiError("agent.reachMaxAPILimit");
  };

  const count = (request: FastifyRequest, status: number) => {
    const { path, startedAt } = request.guarded!;
    const { raw } = request;
    const elapsedMs = performance.now() - startedAt;
    const labels = { api: apiLabel(request, path), method: raw.method ?? "", status: statusText(status) };
    metrics.apiTotal.inc(labels);
    metrics.apiSeconds.observe(labels, elapsedMs / 1000);
    metrics.apiBytes.observe(labels, approximateSize(raw));
    if (log.isDebug) {
      log.debug(`${peerOf(raw)} ${raw.method} ${maskTokens(raw.url ?? "")} ${status} ${Math.round(elapsedMs)}ms`);
    }
  };

  app.setErrorHandler((error, request, reply) => {
    if (reply.raw.headersSent) return;
    if (error instanceof ApiError) return answerError(reply, error);
    // The client has its 408 or is gone: nobody is left to be told.
    if (error instanceof JobAborted || request.guarded?.ending.wasEarly || request.raw.destroyed) {
      return answerError(reply, new ApiError("agent.internalServerError", "request aborted"));
    }
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    log.error(`${request.method} ${pathOf(request.raw)}: ${reason}`);
    const message = error instanceof Error ? `${error.constructor.name}: ${error.message}` : "unexpected error";
    return answerError(reply, new ApiError("agent.internalServerError", message));
  });

  app.setNotFoundHandler((_request, reply) => {
    reply.code(404);
    if (config["http_api.disable_404page"]) {
      return reply.header("content-type", "text/plain").send(Buffer.from("404 page not found"));
    }
    const uptime = formatDuration(process.hrtime.bigint() - agent.startedAt);
    return reply.header("content-type", "text/html; charset=utf-8").send(Buffer.from(page404("agent", uptime)));
  });

  // Gives answers the way to send the playground's files; its routes are ours.
  if (playgroundFolder !== null)
    app.register(fastifyStatic, { root: playgroundFolder, serve: false, preCompressed: true });
  for (const route of routes) {
    app.route({
      method: route.method,
      url: route.url,
      handler: (request, reply) => {
        const { path, query, contentType, ending } = request.guarded!;
        const call: Call = {
          request,
          reply,
          path,
          query,
          contentType,
          get signal() {
            return ending.signal;
          },
        };
        return route.handle(agent, call);
      },
    });
  }
  return app;
}

/** The client's own when it is one that a header may carry, else a new one. */
function traceId(sent: string): string {
  return /^[\x21-\x7e]{1,128}$/.test(sent) ? sent : `trace_${randomUUID()}`;
}

function pathOf(raw: IncomingMessage): string {
  const url = raw.url ?? "/";
  const end = url.indexOf("?");
  return end < 0 ? url : url.slice(0, end);
}

/** Where a known route with one slash too many is to be found. */
function redirected(routes: readonly Route[], raw: IncomingMessage, path: string): string | undefined {
  if (path.length < 2 || !path.endsWith("/")) return undefined;
  const bare = path.slice(0, -1);
  const isKnown = routes.some((route) => route.method === raw.method && matches(route.url, bare));
  return isKnown ? bare + (raw.url ?? "").slice(path.length) : undefined;
}

/** `/v1/write/:category` stands for one more segment. */
function matches(url: string, path: string): boolean {
  const asked = path.split("/");
  const own = url.split("/");
  return (
    own.length === asked.length &&
    own.every((part, at) => (part.startsWith(":") ? asked[at] !== "" : part === asked[at]))
  );
}

const writePaths = new Set(categories.map((category) => `/v1/write/${category}`));

/** The path; but of what a client may invent, one label only. */
function apiLabel(request: FastifyRequest, path: string): string {
  if (request.is404) return "404-page";
  const url = request.routeOptions.url ?? path;
  return writePaths.has(path) ? path : url;
}

/** Path, method, protocol, headers, host and body. */
function approximateSize(raw: IncomingMessage): number {
  let size = (raw.url ?? "").length + (raw.method ?? "").length + `HTTP/${raw.httpVersion}`.length;
  for (const part of raw.rawHeaders) size += part.length;
  return size + Number(raw.headers["content-length"] ?? 0);
}
