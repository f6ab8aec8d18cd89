// The platform's HTTP application: takes points of gateways and agents, answers queries, serves the Open API. The token names the workspace; without a known
// one nothing is taken or told.

import { randomUUID } from "node:crypto";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { type CategoryName, categories } from "../../lib/point/category.ts";
import { durationMs } from "../config/go-duration.ts";
import type { Config } from "../config/schema.ts";
import { answer, answerError, answerJson } from "../http/answer.ts";
import { decompress, encodingOf, readBody } from "../http/body.ts";
import { headerOf, peerOf } from "../http/client.ts";
import { ApiError, codeFor } from "../http/errors.ts";
import type { InflightBudget } from "../http/inflight.ts";
import type { Log } from "../http/log.ts";
import { formOf } from "../http/point-form.ts";
import { version } from "../http/version.ts";
import type { StoreAnswer } from "../store/protocol.ts";
import type { PointsStore } from "../store/store.ts";
import { AsyncQueries } from "./async-queries.ts";
import type { Metadata } from "./metadata/metadata.ts";
import { createOpenApi } from "./open-api/serve.ts";
import { answerQueries, refusal } from "./query.ts";
import type { Workspaces } from "./workspaces.ts";

export interface Platform {
  readonly config: Config;
  readonly store: PointsStore;
  readonly workspaces: Workspaces;
  readonly metadata: Metadata;
  readonly budget: InflightBudget;
  readonly log: Log;
}

const maxQueryBytes = 8 * 1024 * 1024;

export function createPlatformApp(platform: Platform): FastifyInstance {
  const { config, store, metadata, budget, log } = platform;
  const openApi = createOpenApi({ metadata, services: { config, store, log, now: Date.now }, budget });
  const notFound = (request: FastifyRequest, reply: FastifyReply) =>
    isOpenApi(request)
      ? openApi(request, reply)
      : answerError(reply, new ApiError("platform.notFound", "no such interface"));
  const asynchronous = new AsyncQueries<StoreAnswer>();
  const app = Fastify({
    // Of a path that cannot be decoded.
    frameworkErrors: (_error, request, reply) => void notFound(request as FastifyRequest, reply as FastifyReply),
    exposeHeadRoutes: false,
    forceCloseConnections: "idle",
    keepAliveTimeout: 72_000,
    requestTimeout: 120_000,
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));

  app.setErrorHandler((error, request, reply) => {
    if (reply.raw.headersSent) return;
    if (error instanceof ApiError)
      return answerError(reply, new ApiError(codeFor("platform", error.code), error.message, error.headers));
    log.error(`${request.method} ${request.routeOptions.url}: ${error instanceof Error ? error.stack : String(error)}`);
    return answerError(reply, new ApiError("platform.internalServerError"));
  });
  app.setNotFoundHandler(notFound);
  app.all("/api/*", openApi);

  app.get("/v1/ping", (_request, reply) => answerJson(reply, { content: { version, uptime: "" } }));
  app.get("/v1/ntp", (_request, reply) => answerJson(reply, { timestamp_sec: Math.floor(Date.now() / 1000) }));
  app.get("/healthz", (_request, reply) => reply.send("ok"));
  app.post("/v1/write/:category", (request, reply) => write(platform, request, reply));
  app.post("/v1/query/raw", (request, reply) => query(platform, asynchronous, request, reply));
  return app;
}

/** Its answers have a form of their own, also those about paths that nothing has. */
function isOpenApi({ raw }: FastifyRequest): boolean {
  return /^\/api(?:[/?]|$)/.test(raw.url ?? "");
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
  const workspace = await workspaceOf(platform, request);
  const { category: name } = request.params as { readonly category: string };
  const category = categories.find((each): each is CategoryName => each === name);
  if (category === undefined)
    throw new ApiError("platform.invalidCategory", `no category has the name ${JSON.stringify(name)}`);
  const body = await bodyOf(platform, request, reply, platform.config["platform.max_body_bytes"]);
  if (body.length === 0) throw new ApiError("platform.emptyBody");
  const form = formOf(headerOf(request.raw, "content-type"));
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
  if (answered.kind === "refused") throw refusal(answered.reason, answered.message);
  return await answerJson(reply, {
    content: answered.kind === "taken" ? { points: answered.points, repeated: answered.repeated } : {},
  });
}

async function query(
  platform: Platform,
  asynchronous: AsyncQueries<StoreAnswer>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const body = await bodyOf(platform, request, reply, maxQueryBytes);
  const value = readJson(body);
  const { token } = (typeof value === "object" && value !== null ? value : {}) as { readonly token?: unknown };
  const workspace = await workspaceOf(platform, request, typeof token === "string" ? token : "");
  const deadlineMs = durationMs(platform.config["platform.query_timeout"], 60_000);
  const { store } = platform;
  const text = await answerQueries(value, { store, asynchronous, workspace, deadlineMs, now: Date.now() });
  reply.header("x-content-type-options", "nosniff");
  return await answer(reply, "application/json", text);
}

function readJson(body: Uint8Array): unknown {
  if (body.length === 0) throw new ApiError("platform.invalidJSON", "json.Unmarshal: unexpected end of JSON input");
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (error) {
    throw new ApiError("platform.invalidJSON", `json.Unmarshal: ${(error as Error).message}`);
  }
}
