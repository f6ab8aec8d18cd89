// Answers requests to the Open API in any JavaScript runtime. An HTTP server or a web page calls this code; it
// first converts its requests to the type `OpenApiRequest`. Clients can rely on the order of the checks
// (docs/reference/open-api.md#the-envelope): route, key, method, rate limit, permission, body and parameters,
// object, action.

import type { Metadata } from "../../metadata/metadata.ts";
import { StoreFailure } from "../../metadata/store.ts";
import { authenticate, mayAdminister, mayChange } from "../access/authenticate.ts";
import { createRateLimit } from "../access/rate-limit.ts";
import { documentPath, openApiDocument, referencePath } from "../documents/document.ts";
import { referencePage, referencePolicy } from "../documents/reference-page.ts";
import { routes } from "../routes.ts";
import type { OpenApiServices } from "../services.ts";
import { inChinese, wantsChinese } from "./chinese.ts";
import { contentText, failureText, successText, traceIdOf } from "./envelope.ts";
import { OpenApiError, objectNotFound } from "./errors.ts";
import { performOnce } from "./idempotency.ts";
import { etagOf } from "./if-match.ts";
import { createMatcher, type Matched } from "./match.ts";
import type { Paged } from "./page.ts";
import { parsedBody } from "./read-body.ts";
import type { Call, Route } from "./route.ts";
import type { Members } from "./schema.ts";
import { checkBody, readQuery } from "./validate.ts";
import { createWrittenObjects } from "./written-objects.ts";

/**
 * The common format of requests to the Open API. The HTTP server or web page that receives a request converts it
 * to this format.
 */
export interface OpenApiRequest {
  readonly method: string;
  /** The path and the query string of the request's URL, not decoded. */
  readonly url: string;
  /** Returns the value of a header, or `""` for a header that was not sent. */
  header(name: string): string;
  /**
   * Returns the complete body after decompression; empty when the client sent none. `cap`: the maximum size in
   * bytes. Throws OpenApiError.
   */
  body(cap: number): Promise<Uint8Array>;
}

export interface OpenApiAnswer {
  readonly status: number;
  /** The headers of the answer, with their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body of the answer; an empty string when there is no body. */
  readonly text: string;
}

export type OpenApi = (request: OpenApiRequest) => Promise<OpenApiAnswer>;

export interface OpenApiParts {
  readonly metadata: Metadata;
  readonly services: OpenApiServices;
  /** The version of Millrace, for the OpenAPI document. */
  readonly version: string;
}

const json = { "content-type": "application/json; charset=utf-8" };
const html = { "content-type": "text/html; charset=utf-8" };
const common = {
  "x-content-type-options": "nosniff",
  // Pages of any origin may call the Open API. This is safe because every request needs an API key in a header. A
  // browser adds cookies to requests by itself, but never this header. So only a page that knows the key can send
  // it.
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "X-Trace-Id, Retry-After, Allow, Idempotency-Replayed, ETag",
};

export function createOpenApi(parts: OpenApiParts): OpenApi {
  const { services } = parts;
  const match = createMatcher(routes);
  const rateLimit = createRateLimit(services.config, services.now);
  const open = openPages(parts.version);
  const written = createWrittenObjects();

  return async (request) => {
    const traceId = traceIdOf(request.header("x-trace-id"));
    const headers = { ...common, "x-trace-id": traceId };
    try {
      const [path, query] = splitUrl(request.url);
      const page = open.get(path);
      if (page !== undefined) {
        if (request.method !== "GET") throw notAllowed("GET");
        return { status: 200, headers: { ...headers, ...page.headers }, text: page.text() };
      }
      const matched = match(path);
      if (matched === undefined) throw new OpenApiError("RouterNotFound");
      if (request.method === "OPTIONS")
        return { status: 204, headers: { ...headers, ...preflight(matched) }, text: "" };
      const scope = await authenticate(request.header("df-api-key"), parts.metadata.keys, traceId);
      const route = matched.routes.get(request.method);
      if (route === undefined) throw notAllowed(allowed(matched));
      rateLimit.count(scope);
      if (route.method === "POST" && route.reads !== true && !mayChange(scope.actor)) {
        throw new OpenApiError("NoPermission");
      }
      if (route.isForAdmins === true && !mayAdminister(scope.actor)) throw new OpenApiError("NoPermission");
      const bytes = route.method === "POST" ? await request.body(services.config["open_api.max_body_bytes"]) : nothing;
      let etag = "";
      const act = async (): Promise<Performed> => {
        const performed = await perform(route, {
          metadata: parts.metadata,
          services,
          written,
          scope,
          query: readQuery(route.query ?? {}, query),
          body: bodyOf(route, bytes, request),
          ids: known(route, matched.ids),
          header: (name) => request.header(name),
          setEtag: (stored) => {
            etag = etagOf(stored);
          },
        });
        return { ...performed, etag };
      };
      const name = request.header("idempotency-key");
      if (name === "" || route.method === "GET" || route.reads === true) {
        const performed = await act();
        const text = successText(performed, traceId);
        return { status: 200, headers: { ...headers, ...json, ...tagged(performed) }, text };
      }
      const ifMatch = request.header("if-match");
      const sent = { name, actor: scope.actor.uuid, method: request.method, url: request.url, ifMatch, bytes };
      const { performed, isReplay } = await performOnce(parts.metadata.replays, sent, route, act);
      const replayed: OpenApiAnswer["headers"] = isReplay ? { "idempotency-replayed": "true" } : {};
      return {
        status: 200,
        headers: { ...headers, ...json, ...replayed, ...tagged(performed) },
        text: successText(performed, traceId),
      };
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal !== error) {
        services.log.error(`${traceId} ${request.method} ${splitUrl(request.url)[0]}`, error);
      }
      const message = wantsChinese(request.header("accept-language")) ? inChinese(refusal) : refusal.message;
      return {
        status: refusal.status,
        headers: { ...headers, ...json, ...refusal.headers },
        text: failureText(refusal, message, traceId),
      };
    }
  };
}

const nothing = new Uint8Array(0);

/**
 * Returns the pages that need no key: the OpenAPI document and the reference page. They are generated when they
 * are first requested.
 */
function openPages(version: string) {
  const document = once(() => openApiDocument(routes, version));
  const policy = { "content-security-policy": referencePolicy };
  return new Map([
    [documentPath, { headers: { ...json, ...policy }, text: once(() => JSON.stringify(document())) }],
    [referencePath, { headers: { ...html, ...policy }, text: once(() => referencePage(document())) }],
  ]);
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** The result of a route, before it is put into the envelope (the JSON object that wraps every answer). */
export interface Performed {
  /** The value of the answer's member `content`, as JSON text. */
  readonly content: string;
  readonly pageInfo?: Paged<unknown>["pageInfo"];
  /** The ETag of the returned object; "" when the object has none. */
  readonly etag?: string;
}

function tagged({ etag = "" }: Performed): OpenApiAnswer["headers"] {
  return etag === "" ? {} : { etag };
}

async function perform(route: Route, call: Call<Members, unknown>): Promise<Performed> {
  const result = await route.handle(call);
  if (!route.isList) return { content: contentText(result) };
  const { content, pageInfo } = result as Paged<unknown>;
  const text = contentText(content);
  return { content: route.rowsIn === undefined ? text : `{"${route.rowsIn}":${text}}`, pageInfo };
}

function bodyOf(route: Route, bytes: Uint8Array, request: OpenApiRequest): unknown {
  if (route.method !== "POST") return undefined;
  const sent = parsedBody(bytes, request.header("content-type"));
  return route.body === undefined ? undefined : checkBody(route.body, sent);
}

/**
 * Returns the error with which a request is answered. An OpenApiError is returned unchanged. A StoreFailure
 * becomes ServerError; it was already logged where it occurred. Any other error becomes InternalError.
 */
function refusalOf(error: unknown): OpenApiError {
  if (error instanceof OpenApiError) return error;
  return new OpenApiError(error instanceof StoreFailure ? "ServerError" : "InternalError");
}

/**
 * Checks the format of the identifiers in the path and returns them. Throws ObjectNotFound for an identifier
 * with a wrong format, because no object can have such an identifier.
 */
function known(route: Route, ids: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [name, shape] of Object.entries(route.ids ?? {})) {
    if (!shape.test(ids[name]!)) throw objectNotFound(ids[name]!);
  }
  return ids;
}

function notAllowed(allow: string): OpenApiError {
  return new OpenApiError("MethodNotAllowed", undefined, { headers: { allow } });
}

function allowed({ routes }: Matched): string {
  return [...routes.keys()].sort().join(", ");
}

function preflight(matched: Matched): Readonly<Record<string, string>> {
  return {
    "access-control-allow-methods": allowed(matched),
    "access-control-allow-headers": "Content-Type, DF-API-KEY, If-Match, Idempotency-Key, X-Trace-Id",
    "access-control-max-age": "7200",
  };
}

function splitUrl(url: string): readonly [string, string] {
  const at = url.indexOf("?");
  return at < 0 ? [url, ""] : [url.slice(0, at), url.slice(at + 1)];
}
