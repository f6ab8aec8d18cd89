// The agent's HTTP application: the order of the guards (checks before a handler runs;
// docs/reference/agent.md#order-of-the-checks), the routes and the 404 page.

import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import fastifyStatic from "@fastify/static";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { categories } from "../../../lib/point/index.ts";
import { formatDuration } from "../../config/go-duration.ts";
import type { RequestAbort } from "../../http/abort-signal.ts";
import { answerError } from "../../http/answer.ts";
import { ApiError } from "../../http/errors.ts";
import { headerOf } from "../../http/guards/client.ts";
import { noSchemas } from "../../http/no-schemas.ts";
import { page404 } from "../../http/page-404.ts";
import { uptimeNs } from "../../telemetry/process-use.ts";
import type { Agent } from "../agent.ts";
import { createWriteFront } from "../inputs/http-write/write-front.ts";
import { inputs } from "../inputs/inputs.ts";
import { sendPush } from "../inputs/push/push-route.ts";
import { answerUnknown, suggestedPath } from "../inputs/push/unknown-path.ts";
import { dialtestingDebug } from "../routes/dialtesting-debug.ts";
import { envVariable } from "../routes/env-variable.ts";
import { gatewayRules } from "../routes/gateway-rules.ts";
import { globalTags } from "../routes/global-tags.ts";
import { health } from "../routes/health.ts";
import { labels } from "../routes/labels.ts";
import { lastError } from "../routes/last-error.ts";
import { livePoints } from "../routes/live-points.ts";
import { metricsRoute, monitorRoute } from "../routes/metrics.ts";
import { ntp } from "../routes/ntp.ts";
import { openApiRoutes } from "../routes/open-api.ts";
import { ping } from "../routes/ping.ts";
import { pipelineDebug } from "../routes/pipeline-debug.ts";
import { playgroundAsset, playgroundFolder, playgroundPage, playgroundWorker } from "../routes/playground.ts";
import { queryRaw } from "../routes/query-raw.ts";
import { restart } from "../routes/restart.ts";
import { scripts } from "../routes/scripts.ts";
import { sessionReplay } from "../routes/session-replay.ts";
import { sourceMaps } from "../routes/source-maps.ts";
import { createGuards, type Guards, pathOf } from "../serving/guards.ts";
import type { Call, Route } from "../serving/route.ts";

const allRoutes: readonly Route[] = [
  ping,
  ntp,
  ...labels,
  ...globalTags,
  pipelineDebug,
  ...scripts,
  livePoints,
  dialtestingDebug,
  ...sourceMaps,
  sessionReplay,
  envVariable,
  metricsRoute,
  monitorRoute,
  lastError,
  queryRaw,
  ...openApiRoutes,
  gatewayRules,
  ...health,
  ...inputs.flatMap((input) => input.routes),
  restart,
  playgroundPage,
  playgroundWorker,
  playgroundAsset,
];

/** The data that the guards (checks before a handler runs) attach to a request for its handler. */
interface Guarded {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly contentType: string;
  readonly abort: RequestAbort;
}

declare module "fastify" {
  interface FastifyRequest {
    guarded: Guarded | null;
  }
}

export interface App {
  readonly listener: RequestListener;
  /** Number of requests that the application has not answered yet. */
  readonly underWay: number;
  /** Prepares the HTTP application. Must be called before the first request arrives. */
  ready(): Promise<unknown>;
  /** Closes the HTTP application, which then refuses new requests. */
  close(): Promise<unknown>;
}

/** Creates the agent's HTTP application. The application answers requests but does not listen for connections. */
export function createApp(agent: Agent, listenHost: string): App {
  const { config } = agent;
  const routes = allRoutes.filter(({ isOn }) => isOn === undefined || isOn(config));
  const guards = createGuards(agent, listenHost);
  const takeWrite = createWriteFront(agent, guards);
  const { app, take } = fastifyWithoutServer();
  let isClosing = false;
  app.addHook("preClose", (done) => {
    isClosing = true;
    done();
  });
  leaveBodies(app);
  guardRequests(app, guards, routes);
  answerErrors(app, guards);
  answerUnknownPaths(app, agent, routes);
  // The plugin for static files is registered only because it gives replies the function that sends a file. It serves
  // no paths by itself (`serve: false`): the agent's own routes decide which files of the playground are sent.
  if (playgroundFolder !== null)
    app.register(fastifyStatic, { root: playgroundFolder, serve: false, preCompressed: true });
  for (const route of withoutTwins(routes)) serveRoute(app, agent, route);
  return {
    listener: (request, response) => {
      if (isClosing || !takeWrite(request, response)) take(request, response);
    },
    get underWay() {
      return guards.underWay;
    },
    ready: async () => await app.ready(),
    close: () => app.close(),
  };
}

/**
 * Returns a Fastify application that gets its requests through `take`: the agent's HTTP servers outlive the application
 * and pass requests to it.
 */
function fastifyWithoutServer(): { readonly app: FastifyInstance; readonly take: RequestListener } {
  let listener: RequestListener;
  const app = Fastify({
    ...noSchemas,
    // Fastify requires an HTTP server of its own, but this server gets no connections: the agent's HTTP servers, which
    // outlive the application, pass requests to the application.
    serverFactory: (own) => {
      listener = own;
      return createServer();
    },
    exposeHeadRoutes: false,
    // Fastify calls the function `frameworkErrors` for a request whose path it cannot decode.
    frameworkErrors: (_error, request, reply) => {
      answerError(reply as FastifyReply, new ApiError("agent.badRequest", `invalid URL "${pathOf(request.raw)}"`));
    },
    routerOptions: { maxParamLength: 8192, ignoreTrailingSlash: false, caseSensitive: true },
  });
  return { app, take: (request, response) => listener(request, response) };
}

/**
 * Prevents Fastify from reading bodies: the handlers read them, each with its own size limit. So any content type is
 * accepted; the handlers treat an unknown one as line protocol.
 */
function leaveBodies(app: FastifyInstance): void {
  for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }
}

/**
 * Passes each request through the guards (checks before a handler runs). Redirects known paths that have a trailing
 * slash.
 */
function guardRequests(app: FastifyInstance, guards: Guards, routes: readonly Route[]): void {
  app.decorateRequest("guarded", null);
  app.addHook("onRequest", (request, reply, done) => {
    const { raw } = request;
    const path = pathOf(raw);
    const query = new URLSearchParams((raw.url ?? "/").slice(path.length + 1));
    const abort = guards.begin(
      raw,
      reply.raw,
      () => apiLabel(request, path),
      () => reply.hijack(),
    );
    request.guarded = { path, query, contentType: headerOf(raw, "content-type"), abort };
    const headers = guards.headersOf(raw, path);
    if (raw.method === "OPTIONS") {
      addHeaders(reply, headers);
      reply.code(204).send();
      return;
    }
    let location: string | undefined;
    try {
      guards.admit(raw, path, headers, !request.is404);
      if (request.is404) location = redirected(routes, raw, path);
    } finally {
      // An answer that is a redirect gets none of the usual response headers.
      if (location === undefined) addHeaders(reply, headers);
    }
    if (location === undefined) done();
    else redirect(reply, raw.method === "GET" ? 301 : 307, location);
  });
}

function answerErrors(app: FastifyInstance, guards: Guards): void {
  app.setErrorHandler((error, request, reply) => {
    if (reply.raw.headersSent) return;
    return answerError(reply, guards.refusalOf(error, request.raw, request.guarded?.abort));
  });
}

/**
 * Answers requests for paths that have no route. When the path looks like one of a known protocol, the answer has the
 * format of this protocol; otherwise the answer is a page that names the path that the client probably meant.
 */
function answerUnknownPaths(app: FastifyInstance, { config }: Agent, routes: readonly Route[]): void {
  const known = [...writePaths, ...routes.map(({ url }) => url).filter((url) => !url.includes(":"))];
  app.setNotFoundHandler((request, reply) => {
    reply.code(404);
    if (config["http_api.disable_404page"]) {
      return reply.header("content-type", "text/plain").send(Buffer.from("404 page not found"));
    }
    const path = pathOf(request.raw);
    const answer = answerUnknown(request.method, path, config);
    if (answer !== undefined) return sendPush(reply, answer);
    const page = page404("agent", formatDuration(uptimeNs()), suggestedPath(path, known));
    return reply.header("content-type", "text/html; charset=utf-8").send(Buffer.from(page));
  });
}

/**
 * Joins each pair of routes that have the same method and URL into one route. In a pair, the route with `isFor`
 * answers the requests for which `isFor` returns true, and the other route answers the remaining requests.
 */
function withoutTwins(routes: readonly Route[]): readonly Route[] {
  const own = routes.filter(({ isFor }) => isFor === undefined);
  const special = routes.filter(({ isFor }) => isFor !== undefined);
  const isTwin = (one: Route) => (other: Route) => one.method === other.method && one.url === other.url;
  const alone = special.filter((one) => !own.some(isTwin(one)));
  const joined = own.map((one) => {
    const other = special.find(isTwin(one));
    if (other === undefined) return one;
    const handle: Route["handle"] = (agent, call) => (other.isFor!(call) ? other : one).handle(agent, call);
    return { ...one, handle };
  });
  return [...joined, ...alone];
}

function serveRoute(app: FastifyInstance, agent: Agent, route: Route): void {
  app.route({
    method: route.method,
    url: route.url,
    handler: (request, reply) => {
      const { path, query, contentType, abort } = request.guarded!;
      const call: Call = {
        request,
        reply,
        path,
        query,
        contentType,
        get signal() {
          return abort.signal;
        },
        keep: () => abort.keep(),
      };
      return route.handle(agent, call);
    },
  });
}

/** Adds headers to a reply. The array `headers` alternates names and values. */
function addHeaders(reply: FastifyReply, headers: readonly string[]): void {
  for (let at = 0; at < headers.length; at += 2) reply.header(headers[at]!, headers[at + 1]!);
}

function redirect(reply: FastifyReply, status: 301 | 307, location: string): void {
  reply.code(status).header("location", location).send();
}

/** Returns the target of a redirect when the path without its trailing slash is a known route; undefined otherwise. */
function redirected(routes: readonly Route[], raw: IncomingMessage, path: string): string | undefined {
  if (path.length < 2 || !path.endsWith("/")) return undefined;
  const bare = path.slice(0, -1);
  const isKnown = routes.some((route) => route.method === raw.method && matches(route.url, bare));
  return isKnown ? bare + (raw.url ?? "").slice(path.length) : undefined;
}

/** Returns whether a path matches a route. A parameter such as `:category` matches one path segment. */
function matches(url: string, path: string): boolean {
  const asked = path.split("/");
  const own = url.split("/");
  return (
    own.length === asked.length &&
    own.every((part, at) => (part.startsWith(":") ? asked[at] !== "" : part === asked[at]))
  );
}

const writePaths = new Set(categories.map((category) => `/v1/write/${category}`));

/**
 * Returns the metrics label of a request. All paths that are no routes share one label, since clients could invent any
 * number of paths.
 */
function apiLabel(request: FastifyRequest, path: string): string {
  if (request.is404) return "404-page";
  const url = request.routeOptions.url ?? path;
  return writePaths.has(path) ? path : url;
}
