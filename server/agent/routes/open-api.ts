// Serves /openapi/ (docs/reference/agent.md#the-open-api): forwards requests of the agent's web page (the playground)
// to the Open API of a platform (the server that stores the points), and returns the dashboards that come with the
// agent.

import type { FastifyReply } from "fastify";
import { readyDashboard, readyDashboards } from "../../dashboards/ready-dashboards.ts";
import { answer, answerContent } from "../../http/answer.ts";
import { readBody } from "../../http/body/body.ts";
import type { Reservation } from "../../http/body/inflight.ts";
import { ApiError } from "../../http/errors.ts";
import { headerOf } from "../../http/guards/client.ts";
import { isOpenApiPath } from "../../http/open-api-paths.ts";
import type { Agent } from "../agent.ts";
import type { OpenApiTarget } from "../outputs/open-api.ts";
import type { Call, Route } from "../serving/route.ts";

const prefix = "/openapi/v1";
const keyHeader = "df-api-key";
/** Headers of a request that are forwarded to the platform, besides the key and the trace id. */
const sentOn = ["content-type", "content-encoding", "if-match", "idempotency-key", "accept-language"];
/** Headers of the platform's answer that are returned to the client, besides the content type. */
const passedBack = ["etag", "retry-after", "allow", "idempotency-replayed"];

/**
 * Headers that protect the answers of the Open API: they keep pages of other origins from reading these answers and
 * from loading them, for example as a script.
 */
const ownPagesOnly = {
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

async function pass(agent: Agent, call: Call, held?: Reservation): Promise<FastifyReply> {
  const { raw } = call.request;
  const path = call.path.slice(prefix.length);
  // The path of a request is compared exactly as the client sent it. So a path that would match a path of the Open API
  // only after decoding is refused.
  if (!call.path.startsWith(`${prefix}/`) || !isOpenApiPath(call.request.method, path))
    throw new ApiError("agent.noOpenApiPath", `the Open API has no ${call.request.method} ${path}`);
  const target = targetOf(agent);
  const maxBytes = agent.config["http_api.open_api.max_body_bytes"];
  const body = held === undefined ? undefined : await readBody(raw, maxBytes, held);
  const url = raw.url ?? "";
  const answered = await agent.openApi.send(target, {
    method: call.request.method,
    path,
    query: url.includes("?") ? url.slice(url.indexOf("?") + 1) : "",
    headers: headersFor(agent, call, target),
    body,
    signal: call.signal,
  });
  const { status, headers, bytes } = answered;
  if (typeof status === "string") throw failureOf(status, answered.cause);
  for (const name of passedBack) {
    const value = headers[name];
    if (typeof value === "string") call.reply.header(name, value);
  }
  return await answer(call.reply.code(status).headers(ownPagesOnly), contentTypeOf(headers["content-type"]), bytes);
}

function targetOf({ openApi }: Agent): OpenApiTarget {
  const target = openApi.target();
  if (target === undefined)
    throw new ApiError("agent.noPlatform", "no platform runs here, and http_api.open_api.url names none");
  return target;
}

function headersFor({ openApi }: Agent, { request, reply }: Call, target: OpenApiTarget): Record<string, string> {
  const headers: Record<string, string> = { "x-trace-id": String(reply.getHeader("x-trace-id") ?? "") };
  for (const name of sentOn) {
    const value = headerOf(request.raw, name);
    if (value !== "") headers[name] = value;
  }
  const key = headerOf(request.raw, keyHeader) || (openApi.mayUseOwnKey(request.raw) ? target.key : "");
  if (key !== "") headers[keyHeader] = key;
  return headers;
}

function failureOf(status: string, cause = ""): ApiError {
  if (status === "timeout") return new ApiError("agent.platformTimeout", "the platform does not answer in time");
  return new ApiError("agent.platformFailed", `the platform does not answer: ${cause === "" ? status : cause}`);
}

/**
 * Returns the content type for the answer to the client. Only JSON keeps its type. Any other type could make the
 * browser run an answer of the platform as a page of the agent.
 */
function contentTypeOf(sent: string | string[] | undefined): string {
  return typeof sent === "string" && /^application\/json\b/.test(sent) ? sent : "application/octet-stream";
}

export const openApiRoutes: readonly Route[] = [
  {
    method: "GET",
    url: "/openapi/",
    handle: async ({ openApi }, { request, reply }) => {
      const target = openApi.target();
      const hasKey = target !== undefined && target.key !== "" && openApi.mayUseOwnKey(request.raw);
      const state = { available: target !== undefined, needsKey: target !== undefined && !hasKey };
      return await answer(reply.headers(ownPagesOnly), "application/json", JSON.stringify(state));
    },
  },
  {
    method: "GET",
    url: "/openapi/ready-dashboards",
    handle: async (_agent, { reply }) => await answerContent(reply.headers(ownPagesOnly), readyDashboards),
  },
  {
    method: "GET",
    url: "/openapi/ready-dashboards/:name",
    handle: async (_agent, { request, reply }) => {
      const template = readyDashboard((request.params as { readonly name: string }).name);
      if (template === undefined) throw new ApiError("agent.noOpenApiPath", "there is no such ready dashboard");
      return await answerContent(reply.headers(ownPagesOnly), template);
    },
  },
  { method: "GET", url: `${prefix}/*`, handle: (agent, call) => pass(agent, call) },
  {
    method: "POST",
    url: `${prefix}/*`,
    handle: (agent, call) => agent.budget.hold(call.request.raw, (held) => pass(agent, call, held)),
  },
];
