// Determines the CORS headers of an answer (docs/reference/agent.md#cross-origin-requests). Public interfaces
// allow every origin, or only the configured origins if there are any. All other interfaces allow only the
// service's own origin and the configured origins.

import type { IncomingMessage } from "node:http";
import type { Access } from "./access.ts";

const allowedHeaders = [
  "Accept",
  "Accept-Encoding",
  "Accept-Language",
  "Authorization",
  "Cache-Control",
  "Content-Language",
  "Content-Length",
  "Content-Type",
  "Origin",
  "X-Csrf-Token",
  "X-Lua",
  "X-Precision",
  "X-Requested-With",
  "X-Rp",
  "X-Token",
  "*",
];

/**
 * The path to which web pages of any origin send session replays. It is not public, but its answers get CORS
 * headers, so that a page can read why its request was refused. The headers do not change which requests are
 * refused.
 */
const sentByPages = "/v1/write/rum/replay";

/**
 * Returns the CORS headers as a list of names, each followed by its value; an empty list when the origin is not
 * allowed.
 */
export function corsHeaders(
  request: IncomingMessage,
  path: string,
  access: Access,
  allowedOrigins: readonly string[],
): readonly string[] {
  const { headers } = request;
  const origin = headers.origin || "*";
  if (path === sentByPages || access.isPublic(path)) {
    if (allowedOrigins.length > 0 && !allowedOrigins.includes(origin)) return [];
  } else if (origin === "*") {
    // The path is not public, and the request has no header Origin. In this case only an answer to the method
    // OPTIONS gets CORS headers for every origin. No web page can take advantage of them, because a browser always
    // sends the header Origin in its preflight request.
    if (request.method !== "OPTIONS" || allowedOrigins.length > 0) return [];
  } else if (!access.isFriendlyOrigin(request)) return [];
  const asked = headers["access-control-request-headers"] ?? "";
  return origin === "*" && asked === "" ? forEverybody : headersFor(origin, headerList(asked));
}

function headersFor(origin: string, names: string): string[] {
  return [
    "access-control-allow-origin",
    origin,
    "access-control-allow-credentials",
    "true",
    "access-control-allow-methods",
    "POST, OPTIONS, GET, PUT, DELETE",
    "access-control-allow-headers",
    names,
    "access-control-max-age",
    "7200",
    "vary",
    "Origin",
  ];
}

const allowedList = allowedHeaders.join(", ");
const forEverybody: readonly string[] = headersFor("*", allowedList);

/**
 * Returns the names of all headers that a page may send. First come the names that the page asks for and that
 * are not in `allowedHeaders`, in the order of the request; then come the names in `allowedHeaders`.
 */
function headerList(asked: string): string {
  if (asked === "") return allowedList;
  const known = new Set<string>(allowedHeaders);
  const extra: string[] = [];
  for (const part of asked.split(",")) {
    const name = canonical(part.trim());
    if (name === "" || known.has(name)) continue;
    known.add(name);
    extra.push(name);
  }
  return [...extra, ...allowedHeaders].join(", ");
}

/**
 * Returns the usual spelling of a header name, `X-Foo` for `x-foo`; an empty string when the name is not a valid header
 * name.
 */
function canonical(name: string): string {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return "";
  return name.toLowerCase().replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase());
}
