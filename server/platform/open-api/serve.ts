// Answers requests to the Open API. The order of the checks is part of the interface (Open API document, 1.1): route, key,
// method, rate limit, permission, body and parameters, object, act.

import type { FastifyReply, FastifyRequest } from "fastify";
import { answer } from "../../http/answer.ts";
import { headerOf } from "../../http/client.ts";
import type { InflightBudget } from "../../http/inflight.ts";
import { isStoreRefusal } from "../metadata/database.ts";
import type { Metadata } from "../metadata/metadata.ts";
import { authenticate, mayChange } from "./authenticate.ts";
import { failureText, successText, traceIdOf } from "./envelope.ts";
import { OpenApiError, objectNotFound } from "./errors.ts";
import { createMatcher, type Matched } from "./match.ts";
import type { Paged } from "./page.ts";
import { createRateLimit } from "./rate-limit.ts";
import { readJsonBody } from "./read-body.ts";
import type { Route } from "./route.ts";
import { routes } from "./routes.ts";
import type { OpenApiServices } from "./services.ts";
import { checkBody, readQuery } from "./validate.ts";

export type OpenApi = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

export interface OpenApiParts {
  readonly metadata: Metadata;
  readonly services: OpenApiServices;
  readonly budget: InflightBudget;
}

const contentType = "application/json; charset=utf-8";

export function createOpenApi(parts: OpenApiParts): OpenApi {
  const { services } = parts;
  const match = createMatcher(routes);
  const rateLimit = createRateLimit(services.config, services.now);

  const succeed = async (request: FastifyRequest, matched: Matched, query: string, traceId: string) => {
    const scope = await authenticate(request.raw, parts.metadata.keys, traceId);
    const route = matched.routes.get(request.method);
    if (route === undefined) {
      throw new OpenApiError("MethodNotAllowed", undefined, { headers: { allow: allowed(matched) } });
    }
    rateLimit.count(scope);
    if (route.method === "POST" && route.reads !== true && !mayChange(scope.actor)) {
      throw new OpenApiError("NoPermission");
    }
    const result = await route.handle({
      metadata: parts.metadata,
      services,
      scope,
      query: readQuery(route.query ?? {}, query),
      body: await bodyOf(route, request, parts),
      ids: known(route, matched.ids),
      header: (name) => headerOf(request.raw, name),
    });
    if (!route.isList) return successText(result, traceId);
    const { content, pageInfo } = result as Paged<unknown>;
    return successText(content, traceId, pageInfo);
  };

  return async (request, reply) => {
    const traceId = traceIdOf(headerOf(request.raw, "x-trace-id"));
    reply
      .header("x-trace-id", traceId)
      .header("x-content-type-options", "nosniff")
      // The key is a header that a page must hold itself: nothing is told to a page that has none.
      .header("access-control-allow-origin", "*")
      .header("access-control-expose-headers", "X-Trace-Id, Retry-After, Allow");
    try {
      const [path, query = ""] = splitUrl(request.raw.url ?? "");
      const matched = match(path);
      if (matched === undefined) throw new OpenApiError("RouterNotFound");
      if (request.method === "OPTIONS") return preflight(matched, reply);
      return await answer(reply, contentType, await succeed(request, matched, query, traceId));
    } catch (error) {
      const refusal = refusalOf(error);
      if (!(error instanceof OpenApiError)) {
        const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
        services.log.error(`${traceId} ${request.method} ${request.raw.url?.split("?")[0]}: ${text}`);
      }
      reply.code(refusal.status).headers(refusal.headers);
      return await answer(reply, contentType, failureText(refusal, traceId));
    }
  };
}

/** What a store refuses is a failure that was reported; anything else was not expected. */
function refusalOf(error: unknown): OpenApiError {
  if (error instanceof OpenApiError) return error;
  return new OpenApiError(isStoreRefusal(error) ? "ServerError" : "InternalError");
}

async function bodyOf(route: Route, { raw }: FastifyRequest, { budget, services }: OpenApiParts): Promise<unknown> {
  if (route.method !== "POST") return undefined;
  const sent = await readJsonBody(raw, budget, services.config["open_api.max_body_bytes"]);
  return route.body === undefined ? undefined : checkBody(route.body, sent);
}

/** An identifier of another shape is that of no object. */
function known(route: Route, ids: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [name, shape] of Object.entries(route.ids ?? {})) {
    if (!shape.test(ids[name])) throw objectNotFound(ids[name]);
  }
  return ids;
}

function allowed({ routes }: Matched): string {
  return [...routes.keys()].sort().join(", ");
}

function preflight(matched: Matched, reply: FastifyReply): FastifyReply {
  return reply
    .code(204)
    .header("access-control-allow-methods", allowed(matched))
    .header("access-control-allow-headers", "Content-Type, DF-API-KEY, If-Match, Idempotency-Key, X-Trace-Id")
    .header("access-control-max-age", "7200")
    .send();
}

function splitUrl(url: string): readonly [string, string?] {
  const at = url.indexOf("?");
  return at < 0 ? [url] : [url.slice(0, at), url.slice(at + 1)];
}
