// The platform's HTTP application: takes points of gateways and agents, answers queries. The token names the workspace; without a known
// one nothing is taken or told.

import { randomUUID } from "node:crypto";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { type CategoryName, categories } from "../../lib/point/category.ts";
import { durationMs } from "../config/go-duration.ts";
import type { Config } from "../config/schema.ts";
import { answer, answerContent, answerError, answerJson } from "../http/answer.ts";
import { decompress, encodingOf, readBody } from "../http/body.ts";
import { headerOf, peerOf } from "../http/client.ts";
import { ApiError, codeFor } from "../http/errors.ts";
import type { InflightBudget } from "../http/inflight.ts";
import { readJson as readJsonBody } from "../http/json-body.ts";
import { labelledObject, labelledObjectId, labelsOf } from "../http/labelled-object.ts";
import type { Log } from "../http/log.ts";
import { statusText } from "../http/metrics.ts";
import { formOf } from "../http/point-form.ts";
import { version } from "../http/version.ts";
import type { RefusalReason } from "../store/protocol.ts";
import type { PointsStore } from "../store/store.ts";
import { registerHealth } from "./health.ts";
import type { PlatformMetrics } from "./metrics.ts";
import type { Workspaces } from "./workspaces.ts";

export interface Platform {
  readonly config: Config;
  readonly store: PointsStore;
  readonly workspaces: Workspaces;
  readonly budget: InflightBudget;
  readonly metrics: PlatformMetrics;
  /** Paths of the store's files. */
  readonly files: Readonly<Record<string, string>>;
  readonly log: Log;
}

const maxQueryBytes = 8 * 1024 * 1024;
const maxLabelBytes = 1024 * 1024;

const codes = {
  invalidPoints: "platform.invalidPoints",
  invalidJSON: "platform.invalidJSON",
  invalidRequest: "platform.invalidRequest",
  queryParseError: "platform.queryParseError",
  queryTimeout: "platform.queryTimeout",
  queryCancelled: "platform.queryCancelled",
  queryFailed: "platform.queryFailed",
  storeFailed: "platform.storeFailed",
} as const satisfies Record<RefusalReason, string>;

export function createPlatformApp(platform: Platform): FastifyInstance {
  const { log, metrics } = platform;
  const app = Fastify({
    exposeHeadRoutes: false,
    forceCloseConnections: "idle",
    keepAliveTimeout: 72_000,
    requestTimeout: 120_000,
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));

  app.addHook("onRequest", async (request, reply) => {
    const startedAt = performance.now();
    reply.raw.once("close", () => {
      const api = request.is404 ? "unknown" : (request.routeOptions.url ?? "unknown");
      const status = statusText(reply.raw.statusCode);
      metrics.apiTotal.inc({ api, status });
      metrics.apiSeconds.observe({ api, method: request.method, status }, (performance.now() - startedAt) / 1000);
    });
  });
  app.setErrorHandler((error, request, reply) => {
    if (reply.raw.headersSent) return;
    if (error instanceof ApiError)
      return answerError(reply, new ApiError(codeFor("platform", error.code), error.message, error.headers));
    log.error(`${request.method} ${request.routeOptions.url}: ${error instanceof Error ? error.stack : String(error)}`);
    return answerError(reply, new ApiError("platform.internalServerError"));
  });
  app.setNotFoundHandler((_request, reply) =>
    answerError(reply, new ApiError("platform.notFound", "no such interface")),
  );

  app.get("/v1/ping", (_request, reply) => answerJson(reply, { content: { version, uptime: "" } }));
  app.get("/v1/ntp", (_request, reply) => answerJson(reply, { timestamp_sec: Math.floor(Date.now() / 1000) }));
  registerHealth(app, platform);
  app.post("/v1/write/:category", (request, reply) => write(platform, request, reply));
  app.post("/v1/query/raw", (request, reply) => query(platform, request, reply));
  app.post("/v1/object/labels", (request, reply) => label(platform, request, reply));
  app.delete("/v1/object/labels", (request, reply) => label(platform, request, reply));
  return app;
}

function workspaceOf({ workspaces, log }: Platform, request: FastifyRequest, inBody = ""): string {
  const token = tokenOf(request) || inBody;
  if (token === "") throw new ApiError("platform.emptyToken", "a token is needed: ?token=, or the header X-Token");
  const id = workspaces.idOf(token);
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

/** The body as sent by clients, without its compression. */
async function bodyOf(
  { budget }: Platform,
  { raw }: FastifyRequest,
  reply: FastifyReply,
  cap: number,
): Promise<Uint8Array> {
  const held = budget.reserve();
  reply.raw.once("close", held.release);
  const sent = await readBody(raw, cap, held);
  return await decompress(sent, encodingOf(headerOf(raw, "content-encoding")), cap, held);
}

async function write(platform: Platform, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const workspace = workspaceOf(platform, request);
  const { category: name } = request.params as { readonly category: string };
  const category = categories.find((each): each is CategoryName => each === name);
  if (category === undefined)
    throw new ApiError("platform.invalidCategory", `no category has the name ${JSON.stringify(name)}`);
  const body = await bodyOf(platform, request, reply, platform.config["platform.max_body_bytes"]);
  if (body.length === 0) throw new ApiError("platform.emptyBody");
  const { metrics } = platform;
  const form = formOf(headerOf(request.raw, "content-type"));
  // The body belongs to the store from here on.
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
    body,
  });
  metrics.ingestSeconds.observe({ category }, (performance.now() - startedAt) / 1000);
  if (answered.kind === "refused") {
    metrics.batches.inc({ category, result: "refused" });
    throw new ApiError(codes[answered.reason], answered.message);
  }
  if (answered.kind !== "taken") throw new Error(`the store answered a batch with ${answered.kind}`);
  const { points, repeated } = answered;
  metrics.batches.inc({ category, result: repeated ? "repeated" : "stored" });
  metrics.points.inc({ category }, points);
  if (!repeated) metrics.bytes.inc({ category }, length);
  return await answerContent(reply, { points, repeated });
}

async function query(platform: Platform, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const body = await bodyOf(platform, request, reply, maxQueryBytes);
  const value = readJson(body);
  const { token } = (typeof value === "object" && value !== null ? value : {}) as { readonly token?: unknown };
  const workspace = workspaceOf(platform, request, typeof token === "string" ? token : "");
  const deadlineMs = durationMs(platform.config["platform.query_timeout"], 60_000);
  const { metrics } = platform;
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  metrics.queriesRunning.inc();
  const startedAt = performance.now();
  const answered = await platform.store
    .ask({ kind: "query", workspace, request: value, deadlineMs }, gone.signal)
    .finally(() => metrics.queriesRunning.dec());
  metrics.querySeconds.observe((performance.now() - startedAt) / 1000);
  metrics.queries.inc({ result: answered.kind === "refused" ? answered.reason : "ok" });
  if (answered.kind === "refused") {
    const prefix = answered.reason === "invalidJSON" ? "json.Unmarshal: " : "";
    throw new ApiError(codes[answered.reason], prefix + answered.message);
  }
  reply.header("x-content-type-options", "nosniff");
  return await answer(reply, "application/json", answered.kind === "answer" ? answered.body : "{}");
}

/** POST puts labels on an object, DELETE takes them away (agent document, A.4). */
async function label(platform: Platform, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const workspace = workspaceOf(platform, request);
  const code = "platform.invalidRequest";
  const sent = await readJsonBody(request.raw, { budget: platform.budget, maxBytes: maxLabelBytes, code });
  const body = labelledObject(sent, code);
  const { object_class: objectClass, object_name: objectName, key, value = null } = body;
  const id = labelledObjectId(body);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const isPost = request.method === "POST";
  const answered = await platform.store.ask({
    kind: "label",
    workspace,
    object: { id, objectClass, objectName, key, value: text },
    labels: isPost ? labelsOf(body, code) : null,
  });
  if (answered.kind === "refused") throw new ApiError(codes[answered.reason], answered.message);
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
