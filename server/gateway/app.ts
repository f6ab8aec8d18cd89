// The gateway's HTTP application: the routes, and the order of the checks before them
// (docs/reference/gateway.md#order-of-the-checks). The query string of a request is never logged, because it contains
// tokens.

import type { IncomingMessage } from "node:http";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { categories } from "../../lib/point/index.ts";
import { headerName } from "../../lib/sharding/index.ts";
import { formatDuration } from "../config/go-duration.ts";
import { hostOf, parseListenAddress } from "../config/listen-address.ts";
import { isInNetworks, parseNetworks } from "../config/networks.ts";
import type { Config } from "../config/schema.ts";
import { answerError } from "../http/answer.ts";
import { ApiError, codeFor } from "../http/errors.ts";
import { type Access, createAccess } from "../http/guards/access.ts";
import { createClients, headerOf, peerOf } from "../http/guards/client.ts";
import { createRateLimit } from "../http/guards/rate-limit.ts";
import type { TlsFiles } from "../http/listen.ts";
import { noSchemas } from "../http/no-schemas.ts";
import { page404 } from "../http/page-404.ts";
import { behindOwnServer } from "../http/server.ts";
import { statusText } from "../telemetry/metrics.ts";
import { hopsHeader } from "./forwarded-request.ts";
import type { Gateway } from "./gateway.ts";
import { about } from "./routes/about.ts";
import { health } from "./routes/health.ts";
import { relays } from "./routes/relay.ts";
import type { Route } from "./routes/route.ts";
import { rules } from "./routes/rules.ts";
import { writes } from "./routes/write.ts";
import { globalTagsOf } from "./routing.ts";

const routes: readonly Route[] = [...writes, ...relays, ...about, ...rules, ...health];
const mostHops = 5;
/**
 * Maximum size in bytes of all headers of a request together. The header X-Global-Tags has a smaller limit,
 * which is checked later.
 */
const maxHeaderBytes = 64 * 1024;
const writePaths = new Set(categories.map((category) => `/v1/write/${category}`));

export function createGatewayApp(gateway: Gateway, tls?: TlsFiles): FastifyInstance {
  const { config } = gateway;
  const clients = createClients({
    trustedProxies: config["gateway_api.trusted_proxies"],
    localNetworks: config["gateway_api.public_ips"],
  });
  const access = createAccess({
    clients,
    publicApis: config["gateway_api.public_apis"],
    allowedOrigins: [],
    allowedHosts: config["gateway_api.allowed_hosts"],
    listenHost: hostOf(parseListenAddress(config["gateway_api.listen"])),
  });
  const admit = createAdmission(config);
  const contentTypes: ContentTypes = new WeakMap();
  const app = Fastify({
    ...noSchemas,
    ...behindOwnServer({ service: "gateway", tls, maxHeaderSize: maxHeaderBytes }),
    exposeHeadRoutes: false,
    frameworkErrors: (_error, _request, reply) => {
      answerError(reply as FastifyReply, new ApiError("gateway.badRequest", "invalid URL"));
    },
    routerOptions: { maxParamLength: 1024, ignoreTrailingSlash: false, caseSensitive: true },
  });
  // Fastify must not parse request bodies. The route handlers read the bodies themselves and enforce the size
  // limit.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  app.addHook("onRequest", async (request, reply) => {
    measure(gateway, request, reply);
    if (clients.isFromUntrustedProxy(request.raw)) gateway.metrics.untrustedProxy.inc();
    hideContentType(contentTypes, request);
    admit(request);
  });
  answerErrors(app, gateway);
  answerUnknownPaths(app, gateway);
  for (const route of routes) serveRoute(app, gateway, route, { access, contentTypes });
  return app;
}

/**
 * The original Content-Type of each request, as the client sent it. In the request itself it is replaced by a
 * content type that Fastify accepts.
 */
type ContentTypes = WeakMap<FastifyRequest, string>;

/**
 * Counts a request in the metrics and writes it to the log at the level debug. Both happen when the response is
 * closed.
 */
function measure({ metrics, log }: Gateway, request: FastifyRequest, reply: FastifyReply): void {
  const startedAt = performance.now();
  reply.raw.once("close", () => {
    const api = apiOf(request);
    const status = statusText(reply.raw.statusCode);
    metrics.apiTotal.inc({ api, status });
    metrics.apiSeconds.observe({ api, method: request.method, status }, (performance.now() - startedAt) / 1000);
    if (log.isDebug) log.debug(`${peerOf(request.raw)} ${request.method} ${api} ${reply.raw.statusCode}`);
  });
}

/**
 * Hides the content type of a request from Fastify. Fastify would refuse unusual content types, but the gateway accepts
 * all.
 */
function hideContentType(contentTypes: ContentTypes, request: FastifyRequest): void {
  const { raw } = request;
  if (raw.headers["content-type"] === undefined) return;
  contentTypes.set(request, headerOf(raw, "content-type"));
  raw.headers["content-type"] = "application/octet-stream";
}

/**
 * Returns a function that checks each request before its handler runs. The function throws an ApiError when the
 * address of the client is not allowed, when the rate limit is exceeded, or when the request has passed too many
 * gateways.
 */
function createAdmission(config: Config): (request: FastifyRequest) => void {
  const allowed = parseNetworks(config["gateway_api.white_list"]);
  const perSecond = config["gateway_api.api_limit_rate"];
  const rateLimit = createRateLimit({ perSecond, burst: perSecond, ttlMs: 60_000 }, () => performance.now());
  return (request) => {
    const { raw } = request;
    if (openPaths.has(pathOf(raw))) return;
    if (allowed.length > 0 && !isInNetworks(raw.socket.remoteAddress ?? "", allowed)) {
      throw new ApiError("gateway.ipForbidden", "this address may not send");
    }
    if (perSecond > 0 && !rateLimit.take(apiOf(request))) {
      throw new ApiError("gateway.tooManyRequests", "", { "retry-after": "1" });
    }
    if (hopsOf(raw) > mostHops) throw new ApiError("gateway.tooManyHops", `more than ${mostHops} gateways in a row`);
  };
}

function answerErrors(app: FastifyInstance, { metrics, log }: Gateway): void {
  app.setErrorHandler((error, request, reply) => {
    if (reply.raw.headersSent) return;
    const api = apiOf(request);
    if (error instanceof ApiError) {
      const own = new ApiError(codeFor("gateway", error.code), error.message, error.headers);
      if (own.code !== "gateway.bodyTooLarge") return answerError(reply, own);
      metrics.tooLarge.inc({ api, method: request.method });
      log.warn(`drop too large request: ${api}`);
      // The answer contains the error's message only if the gateway's own code has thrown the error; the message then
      // names the setting of the exceeded limit. An error from a module that all services share gets a general message
      // instead.
      return answerError(reply, error.code === own.code ? own : new ApiError(own.code, "Request Entity Too Large"));
    }
    // The socket is checked, because its state shows whether the client has disconnected. The request object does
    // not show it: Node destroys this object also after the whole body was read.
    const isGone = request.raw.socket.destroyed;
    if (!isGone) log.error(`${request.method} ${api}`, error);
    return answerError(reply, new ApiError("gateway.internalServerError", isGone ? "request aborted" : ""));
  });
}

function answerUnknownPaths(app: FastifyInstance, { config, startedAt }: Gateway): void {
  app.setNotFoundHandler((_request, reply) => {
    reply.code(404);
    if (config["gateway_api.disable_404page"]) {
      return reply.header("content-type", "text/plain").send(Buffer.from("404 page not found"));
    }
    const uptime = formatDuration(process.hrtime.bigint() - startedAt);
    return reply.header("content-type", "text/html; charset=utf-8").send(Buffer.from(page404("gateway", uptime)));
  });
}

function serveRoute(
  app: FastifyInstance,
  gateway: Gateway,
  route: Route,
  { access, contentTypes }: { readonly access: Access; readonly contentTypes: ContentTypes },
): void {
  app.route({
    method: route.method,
    url: route.url,
    handler: async (request, reply) => {
      const { raw } = request;
      const sentType = contentTypes.get(request);
      if (sentType !== undefined) raw.headers["content-type"] = sentType;
      const api = apiOf(request);
      const path = pathOf(raw);
      if (route.isLocal) access.check(raw, path);
      const query = (raw.url ?? "").slice(path.length + 1);
      return await route.handle(gateway, {
        request,
        reply,
        path,
        api,
        query,
        token: new URLSearchParams(query).get("token") || headerOf(raw, "x-token"),
        globalTags: globalTagsOf(gateway, api, headerLines(raw, headerName)),
        hops: hopsOf(raw),
      });
    },
  });
}

const openPaths = new Set(routes.flatMap(({ isOpen, url }) => (isOpen === true ? [url] : [])));

function pathOf(raw: IncomingMessage): string {
  const url = raw.url ?? "/";
  const end = url.indexOf("?");
  return end < 0 ? url : url.slice(0, end);
}

/**
 * Returns the label of a request for metrics and logs. The label is the path of the request if this is one of
 * the known write paths. Otherwise it is the path pattern of the route, because a client may invent a path or
 * put a token into it.
 */
function apiOf(request: FastifyRequest): string {
  if (request.is404) return "404-page";
  const path = pathOf(request.raw);
  return writePaths.has(path) ? path : (request.routeOptions.url ?? "404-page");
}

function hopsOf(raw: IncomingMessage): number {
  const hops = Number(raw.headers[hopsHeader] ?? 0);
  return Number.isSafeInteger(hops) && hops > 0 ? hops : 0;
}

/** Returns the values of all header lines with the given name. */
function headerLines({ rawHeaders }: IncomingMessage, name: string): string[] {
  const wanted = name.toLowerCase();
  const lines: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at].toLowerCase() === wanted) lines.push(rawHeaders[at + 1]);
  }
  return lines;
}
