// A typed client of the Open API for any JavaScript runtime. It imports nothing but its own files; the caller
// passes in the function `fetch`.

import { OpenApiError } from "./error.ts";
import { type OpenApiClient, operations } from "./operations.ts";
import type { Asked, Listed, Operation, PageInfo } from "./wire.ts";

export { OpenApiError } from "./error.ts";
export type * from "./operations.ts";
export type { Json, JsonObject, Listed, PageInfo } from "./wire.ts";

/** The part of the type of `fetch` that the client uses. */
export type Fetch = (
  url: string,
  init: { readonly method: string; readonly headers: Record<string, string>; readonly body?: string },
) => Promise<FetchAnswer>;

export interface FetchAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

export interface OpenApiClientOptions {
  /** The URL of the platform without the path /api/v1, such as `http://localhost:9527`. */
  readonly baseUrl: string;
  /** The API key for the requests. The key also determines the workspace. */
  readonly key: string;
  readonly fetch: Fetch;
}

/**
 * Returns a client. Its methods throw OpenApiError when an answer is not a success. Errors of `fetch` reach the caller
 * unchanged.
 */
export function createOpenApiClient(options: OpenApiClientOptions): OpenApiClient {
  const methods = Object.entries<Operation>(operations).map(([name, operation]) => [
    name,
    (asked: Asked = {}) => call(options, operation, asked),
  ]);
  return Object.fromEntries(methods) as unknown as OpenApiClient;
}

async function call(options: OpenApiClientOptions, operation: Operation, asked: Asked): Promise<unknown> {
  const { baseUrl, key, fetch } = options;
  const body = operation.method === "POST" && asked.body !== undefined ? JSON.stringify(asked.body) : undefined;
  const headers: Record<string, string> = { "DF-API-KEY": key };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  for (const [name, value] of Object.entries(asked.headers ?? {})) if (value !== undefined) headers[name] = value;
  const url = `${baseUrl.replace(/\/+$/, "")}/api/v1${pathOf(operation, asked)}${queryOf(operation, asked)}`;
  const answer = await fetch(url, { method: operation.method, headers, ...(body === undefined ? {} : { body }) });
  return contentOf(operation, answer, await answer.text());
}

function pathOf({ path }: Operation, { ids = {} }: Asked): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = Object.hasOwn(ids, name) ? ids[name] : "";
    // The identifiers `.` and `..` and the empty string are refused. A URL parser would remove them from the path,
    // so that the request would reach another operation.
    if (typeof id !== "string" || /^\.{0,2}$/.test(id)) {
      throw new TypeError(`ids.${name}: ${JSON.stringify(id)} is no identifier`);
    }
    return encodeURIComponent(id);
  });
}

function queryOf({ spellings }: Operation, { query = {} }: Asked): string {
  const parts = Object.entries(query).flatMap(([name, value]: [string, unknown]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(spelled(value, spellings[name]))}`],
  );
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

function spelled(value: unknown, spelling: "json" | "commas" | undefined): string {
  if (spelling === "json") return JSON.stringify(value);
  return spelling === "commas" ? (value as readonly string[]).join(",") : String(value);
}

function contentOf({ isList }: Operation, answer: FetchAnswer, text: string): unknown {
  const { status } = answer;
  const envelope = envelopeOf(text);
  const traceId = textOr(envelope?.traceId, answer.headers.get("x-trace-id") ?? "");
  const isDone = status >= 200 && status < 300 && envelope?.success === true;
  const isWhole = envelope !== undefined && "content" in envelope && (!isList || isPageInfo(envelope.pageInfo));
  if (envelope !== undefined && isDone && isWhole) {
    const { content, pageInfo } = envelope;
    return isList ? ({ content, pageInfo } as Listed<unknown>) : content;
  }
  const errorCode = isDone ? "" : textOr(envelope?.errorCode, "");
  if (errorCode !== "") throw new OpenApiError(status, errorCode, textOr(envelope?.message, errorCode), traceId);
  const message = `HTTP ${status}: not an answer of the Open API: ${JSON.stringify(text.slice(0, shownLength))}`;
  throw new OpenApiError(status, "InvalidResponse", message, traceId);
}

/** Maximum number of characters that an error message quotes from an answer that cannot be parsed. */
const shownLength = 200;

/** Parses a string as JSON. Returns the value if it is a JSON object, otherwise undefined. */
function envelopeOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}

function isPageInfo(value: unknown): value is PageInfo {
  return typeof value === "object" && value !== null;
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === "string" && value !== "" ? value : otherwise;
}
