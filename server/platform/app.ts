// The platform's HTTP application: receives points from gateways and agents, answers queries and serves the Open API.
// The token of a request names the workspace; a request without a known token is refused.

import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { type CategoryName, categories } from "../../lib/point/index.ts";
import { durationMs } from "../config/go-duration.ts";
import { hostOf, parseListenAddress } from "../config/listen-address.ts";
import type { Config } from "../config/schema.ts";
import { answer, answerContent, answerError, answerJson } from "../http/answer.ts";
import { decompressInTurns, encodingOf, readBody } from "../http/body/body.ts";
import { formDataOf } from "../http/body/form-data.ts";
import type { InflightBudget, Reservation } from "../http/body/inflight.ts";
import { readJsonText } from "../http/body/json-body.ts";
import { labelledObject, labelledObjectId, labelsOf } from "../http/body/labelled-object.ts";
import { formOf, isJsonForm } from "../http/body/point-form.ts";
import { writtenBytesFor } from "../http/body/written-bytes.ts";
import { ApiError, codeFor } from "../http/errors.ts";
import { type Access, createAccess } from "../http/guards/access.ts";
import { createClients, headerOf, peerOf } from "../http/guards/client.ts";
import { answerClientError } from "../http/guards/client-error.ts";
import { noSchemas } from "../http/no-schemas.ts";
import { behindOwnServer } from "../http/server.ts";
import { version } from "../http/version.ts";
import type { RefusalReason, StoreAnswer } from "../store/protocol.ts";
import type { PointsStore } from "../store/store.ts";
import type { Log } from "../telemetry/log.ts";
import { statusText } from "../telemetry/metrics.ts";
import { AsyncQueries } from "./async-queries.ts";
import { registerHealth } from "./health.ts";
import type { Metadata } from "./metadata/metadata.ts";
import type { PlatformMetrics } from "./metrics.ts";
import { createOpenApi } from "./open-api/protocol/dispatch.ts";
import { openApiClientError, openApiInternalError, serveOpenApi } from "./open-api/protocol/serve.ts";
import { type Replays, sessionShape } from "./open-api/replay-parts.ts";
import { answerPull } from "./pull.ts";
import { answerQueries, refusal } from "./query.ts";
import { TooManyReplays } from "./replays.ts";
import { createScriptChecker } from "./script-checker.ts";
import type { Workspaces } from "./workspaces.ts";

export interface Platform {
  readonly config: Config;
  readonly store: PointsStore;
  readonly workspaces: Workspaces;
  readonly replays: Replays;
  readonly metadata: Metadata;
  readonly budget: InflightBudget;
  readonly metrics: PlatformMetrics;
  /**
   * The folders in which the store has its files. The key is the name under which the metrics report the folder's
   * size.
   */
  readonly files: Readonly<Record<string, string>>;
  readonly log: Log;
  /**
   * Says which clients may query without a token, and which workspace they query. When undefined, every client
   * needs a token.
   */
  readonly local?: LocalQueries;
}

export interface LocalQueries {
  readonly access: Pick<Access, "check">;
  /** The token of the workspace of this machine. The agent of `millrace start` stores its points in this workspace. */
  readonly token: string;
}

const maxQueryBytes = 8 * 1024 * 1024;
/**
 * Maximum size in bytes of a query body if the workspace token is in the body. The platform must read such a
 * body before it knows who sent it, so this limit is lower than the limit for other bodies.
 */
const maxUnnamedBytes = 1024 * 1024;
/**
 * A body of line protocol or protobuf may contain this many times the number of points that a JSON body may
 * contain. Ordinary points take fewer bytes in these formats than in JSON, and an agent sends many of them
 * in one body. A limit is needed nevertheless: an empty point takes only two bytes in protobuf, but many
 * more in the platform's memory.
 */
const headroomForCompactForms = 10;
const maxLabelBytes = 1024 * 1024;

const settingsOfRefusals: Readonly<Partial<Record<RefusalReason, string>>> = {
  tooManyPoints: "max_points",
  writtenTooMuch: "max_growth",
};

export function createPlatformApp(platform: Platform): FastifyInstance {
  const { config, store, metadata, metrics, budget, log } = platform;
  const scripts = createScriptChecker();
  const services = { config, store, replays: platform.replays, scripts, log, now: Date.now };
  const openApi: Handler = serveOpenApi(createOpenApi({ metadata, services, version }), budget);
  const notFound: Handler = (request, reply) =>
    isOpenApi(request.raw.url ?? "")
      ? openApi(request, reply)
      : answerError(reply, new ApiError("platform.notFound", "no such interface"));
  const clients = createClients({
    trustedProxies: config["platform.trusted_proxies"],
    localNetworks: config["platform.public_ips"],
  });
  const access = createAccess({
    clients,
    publicApis: config["platform.public_apis"],
    allowedOrigins: [],
    allowedHosts: config["platform.allowed_hosts"],
    listenHost: hostOf(parseListenAddress(config["platform.listen"])),
  });
  const app = fastifyWith(notFound);
  app.addHook("onRequest", async (request, reply) => {
    if (clients.isFromUntrustedProxy(request.raw)) metrics.untrustedProxy.inc();
    measure(metrics, request, reply);
  });
  answerErrors(app, openApi, log);
  app.addHook("onClose", () => scripts.close());
  app.setNotFoundHandler(notFound);
  app.all("/api/*", openApi);
  serveAgents(app, platform);
  registerHealth(app, platform, access);
  servePoints(app, platform);
  return app;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>;

function fastifyWith(notFound: Handler): FastifyInstance {
  const app = Fastify({
    ...noSchemas,
    // Fastify calls this function for a URL path that it cannot decode. Such a path is answered with the status 404.
    frameworkErrors: (_error, request, reply) => void notFound(request as FastifyRequest, reply as FastifyReply),
    ...behindOwnServer({ service: "platform" }),
    clientErrorHandler: (error, socket) =>
      answerClientError(error, socket as Socket, (failed) =>
        isOpenApi(failed.path) ? openApiClientError(failed) : undefined,
      ),
    exposeHeadRoutes: false,
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  return app;
}

/** Counts a request in the metrics when its response is closed. */
function measure(metrics: PlatformMetrics, request: FastifyRequest, reply: FastifyReply): void {
  const startedAt = performance.now();
  reply.raw.once("close", () => {
    const api = request.is404 ? "unknown" : (request.routeOptions.url ?? "unknown");
    const status = statusText(reply.raw.statusCode);
    metrics.apiTotal.inc({ api, status });
    metrics.apiSeconds.observe({ api, method: request.method, status }, (performance.now() - startedAt) / 1000);
  });
}

function answerErrors(app: FastifyInstance, openApi: Handler, log: Log): void {
  app.setErrorHandler((error, request, reply) => {
    if (reply.raw.headersSent) return;
    const isOfOpenApi = isOpenApi(request.raw.url ?? "");
    // The server refuses some HTTP methods before any route is called. If such a request is for the Open API, it is
    // passed to the Open API, which answers it with an error in its own format and changes nothing.
    if (isOfOpenApi && request.method !== "GET" && request.method !== "POST") return openApi(request, reply);
    if (error instanceof ApiError)
      return answerError(reply, new ApiError(codeFor("platform", error.code), error.message, error.headers));
    log.error(`${request.method} ${request.routeOptions.url}`, error);
    if (!isOfOpenApi) return answerError(reply, new ApiError("platform.internalServerError"));
    const { status, headers = {}, body } = openApiInternalError();
    return answer(reply.code(status).headers(headers), "application/json; charset=utf-8", body);
  });
}

/**
 * Adds the routes that only read data: a ping, the time of the server, and the rules and scripts that agents
 * pull.
 */
function serveAgents(app: FastifyInstance, platform: Platform): void {
  app.get("/v1/ping", (_request, reply) => answerJson(reply, { content: { version, uptime: "" } }));
  app.get("/v1/ntp", (_request, reply) => answerJson(reply, { timestamp_sec: Math.floor(Date.now() / 1000) }));
  app.get("/v1/:service/pull", async (request, reply) => {
    const asked = request.query as Readonly<Record<string, string | undefined>>;
    return await answerJson(reply, await answerPull(platform.metadata, await workspaceOf(platform, request), asked));
  });
}

/** Adds the routes that write points, session replays and labels of objects, and the route that queries points. */
function servePoints(app: FastifyInstance, platform: Platform): void {
  const asynchronous = new AsyncQueries<StoreAnswer>();
  app.post("/v1/write/:category", (request, reply) =>
    platform.budget.hold(request.raw, (held) => write(platform, request, reply, held)),
  );
  app.post("/v1/write/rum/replay", (request, reply) =>
    platform.budget.hold(request.raw, (held) => replay(platform, request, reply, held)),
  );
  app.post("/v1/query/raw", (request, reply) =>
    platform.budget.hold(request.raw, (held) => query({ ...platform, asynchronous }, request, reply, held)),
  );
  app.route({
    method: ["POST", "DELETE"],
    url: "/v1/object/labels",
    handler: (request, reply) => platform.budget.hold(request.raw, (held) => label(platform, request, reply, held)),
  });
}

/**
 * Returns whether a URL belongs to the Open API, whose answers have their own format. URLs that normalize to an Open
 * API path count too: `//api/v1`, `/%61pi` and `http://host/api`.
 */
function isOpenApi(url: string): boolean {
  const [path] = url.replace(/^https?:\/\/[^/?]*/i, "").split("?", 1) as [string];
  const plain = path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return /^[/\\]+(?:\.[/\\]+)*api(?:[/\\]|$)/.test(plain);
}

async function workspaceOf({ workspaces, log }: Platform, request: FastifyRequest, inBody = ""): Promise<string> {
  const token = tokenOf(request) || inBody;
  if (token === "") throw new ApiError("platform.emptyToken", "a token is needed: ?token=, or the header X-Token");
  const id = await workspaces.idOf(token);
  if (id === undefined) {
    log.warn(`a token that names no workspace, from ${peerOf(request.raw)}`);
    throw new ApiError("platform.invalidToken", "the token names no workspace");
  }
  return id;
}

function tokenOf(request: FastifyRequest): string {
  const { token } = request.query as Readonly<Record<string, unknown>>;
  return typeof token === "string" && token !== "" ? token : headerOf(request.raw, "x-token");
}

/**
 * Returns the token of the workspace with the points of this machine if the client is local and may query
 * without a token. Otherwise returns an empty string.
 */
function localToken({ local }: Platform, request: FastifyRequest): string {
  try {
    local?.access.check(request.raw, "/v1/query/raw");
    return local?.token ?? "";
  } catch (error) {
    if (error instanceof ApiError) return "";
    throw error;
  }
}

/** Returns the body of a request after decompression. */
async function bodyOf(request: FastifyRequest, cap: number, held: Reservation): Promise<Uint8Array> {
  return (await countedBody(request, cap, held)).body;
}

/** Returns the decompressed body of a request, and the length in bytes of the body as the client sent it. */
async function countedBody({ raw }: FastifyRequest, cap: number, held: Reservation) {
  const sent = await readBody(raw, cap, held);
  const body = await decompressInTurns(sent, encodingOf(headerOf(raw, "content-encoding")), cap, held);
  return { sentBytes: sent.length, body };
}

async function write(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  held: Reservation,
): Promise<FastifyReply> {
  const workspace = await workspaceOf(platform, request);
  const { category: name } = request.params as { readonly category: string };
  const category = categories.find((each): each is CategoryName => each === name);
  if (category === undefined)
    throw new ApiError("platform.invalidCategory", `no category has the name ${JSON.stringify(name)}`);
  const { config, metrics } = platform;
  const { sentBytes, body } = await countedBody(request, config["platform.max_body_bytes"], held);
  if (body.length === 0) throw new ApiError("platform.emptyBody");
  const form = formOf(headerOf(request.raw, "content-type"));
  // The length of the body must be read before `ask` is called, because `ask` transfers the body's memory to the
  // store's worker thread. Afterwards this thread can no longer access the body.
  const { length } = body;
  const startedAt = performance.now();
  const answered = await platform.store.ask({
    kind: "ingest",
    workspace,
    category,
    batchId: headerOf(request.raw, "x-pkg-id") || randomUUID(),
    form,
    precision: (request.query as Readonly<Record<string, string | undefined>>).precision ?? "n",
    index: category === "logging" ? headerOf(request.raw, "x-storage-index-name") || "default" : "default",
    maxPoints: config["platform.max_points"] * (isJsonForm(form) ? 1 : headroomForCompactForms),
    maxBytes: writtenBytesFor(sentBytes, config["platform.max_growth"]),
    body,
  });
  metrics.ingestSeconds.observe({ category }, (performance.now() - startedAt) / 1000);
  if (answered.kind === "refused") {
    metrics.batches.inc({ category, result: "refused" });
    const { reason, message } = answered;
    const setting = settingsOfRefusals[reason];
    throw refusal(reason, setting === undefined ? message : `${message} ([platform] ${setting})`);
  }
  if (answered.kind !== "taken") throw new Error(`the store answered a batch with ${answered.kind}`);
  const { points, repeated } = answered;
  metrics.batches.inc({ category, result: repeated ? "repeated" : "stored" });
  metrics.points.inc({ category }, points);
  if (!repeated) metrics.bytes.inc({ category }, length);
  return await answerContent(reply, { points, repeated });
}

/** Stores an upload of a browser's session replay: a multipart form whose value `session_id` names the session. */
async function replay(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  held: Reservation,
): Promise<FastifyReply> {
  const { config, replays, log } = platform;
  const workspace = await workspaceOf(platform, request);
  const body = await bodyOf(request, config["platform.max_body_bytes"], held);
  if (body.length === 0) throw new ApiError("platform.emptyBody");
  const contentType = headerOf(request.raw, "content-type");
  const form = await formDataOf(body, contentType).catch((error: Error) => {
    throw new ApiError("platform.invalidRequest", `a session replay is a form: ${error.message}`);
  });
  const values: Record<string, string> = Object.create(null);
  for (const [name, value] of form) if (typeof value === "string") values[name] ??= value;
  const { session_id: session = "" } = values;
  if (!sessionShape.test(session)) {
    const message = "the form of a session replay needs session_id: 1 to 128 letters, digits, - and _";
    throw new ApiError("platform.invalidRequest", message);
  }
  try {
    await replays.put(workspace, { id: headerOf(request.raw, "x-pkg-id"), session, contentType, values, body });
  } catch (error) {
    log.error(`a session replay is not kept: ${(error as Error).message}`);
    const reason = error instanceof TooManyReplays ? error.message : "it cannot be written";
    throw new ApiError("platform.storeFailed", `the session replay is not kept: ${reason}`, { "retry-after": "60" });
  }
  return await reply.send();
}

async function query(
  platform: Platform & { readonly asynchronous: AsyncQueries<StoreAnswer> },
  request: FastifyRequest,
  reply: FastifyReply,
  held: Reservation,
): Promise<FastifyReply> {
  const named = tokenOf(request) === "" ? undefined : await workspaceOf(platform, request);
  const body = await bodyOf(request, named === undefined ? maxUnnamedBytes : maxQueryBytes, held);
  const value = readJson(body);
  const { token } = (typeof value === "object" && value !== null ? value : {}) as { readonly token?: unknown };
  const sent = typeof token === "string" ? token : "";
  const workspace = named ?? (await workspaceOf(platform, request, sent || localToken(platform, request)));
  const deadlineMs = durationMs(platform.config["platform.query_timeout"], 60_000);
  const { store, metrics, asynchronous } = platform;
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  const text = await answerQueries(value, {
    ...{ store, metrics, asynchronous, workspace, deadlineMs, now: Date.now() },
    signal: gone.signal,
  });
  reply.header("x-content-type-options", "nosniff");
  return await answer(reply, "application/json", text);
}

/** Sets the labels of an object (POST) or removes them (DELETE) (docs/reference/agent.md#object-labels). */
async function label(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  held: Reservation,
): Promise<FastifyReply> {
  const workspace = await workspaceOf(platform, request);
  const code = "platform.invalidRequest";
  const body = await readJsonText(request.raw, held, { maxBytes: maxLabelBytes, code });
  const labelled = labelledObject(body, code);
  const { object_class: objectClass, object_name: objectName, key, value } = labelled;
  const id = labelledObjectId(labelled);
  const text = value.startsWith('"') ? (JSON.parse(value) as string) : value;
  const isPost = request.method === "POST";
  const answered = await platform.store.ask({
    kind: "label",
    workspace,
    object: { id, objectClass, objectName, key, value: text },
    labels: isPost ? labelsOf(body, code) : null,
  });
  if (answered.kind === "refused") throw refusal(answered.reason, answered.message);
  return await answerContent(reply, isPost ? { _id: id } : { msg: "delete success!" });
}

function readJson(body: Uint8Array): unknown {
  if (body.length === 0) throw new ApiError("platform.invalidJSON", "json.Unmarshal: unexpected end of JSON input");
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (error) {
    throw new ApiError("platform.invalidJSON", `json.Unmarshal: ${(error as Error).message}`);
  }
}
