// The type of a request that the gateway forwards (also called a package): the parts that are sent to targets
// and the parts that are stored on disk.

import type { IncomingMessage } from "node:http";
import { headerName } from "../../lib/sharding/index.ts";
import { peerAddress } from "../http/guards/client.ts";

export interface ForwardedRequest {
  readonly method: string;
  /** The URL path under which the request is sent to the target. */
  readonly path: string;
  /** The label of the request in metrics and logs, which contains no secrets. */
  readonly api: string;
  /**
   * The query string without the question mark. The token in it is replaced by the token of the target before the
   * request is sent.
   */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly points: number;
}

/**
 * The metadata of a stored request; the queue stores it beside the body. The URL contains a token. The token
 * stays secret, because only the user who owns the queue's files can read them.
 */
export interface KeptMeta {
  readonly method: string;
  readonly api: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The headers of a client's request that are not sent to targets. Some of them describe only one connection.
 * Content-Length and Host are set by the gateway. The client's credentials are meant only for the gateway.
 * Accept-Encoding is left out, because the gateway reads the targets' answers and needs them uncompressed.
 */
const notSentOn = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "host",
  "content-length",
  "expect",
  "x-token",
  "authorization",
  "cookie",
  "accept-encoding",
]);

export const hopsHeader = "x-gateway-hops";

/**
 * Returns the headers for the target. `globalTags` is the value of the header X-Global-Tags, as a string with one
 * character for each byte; undefined when the request has no such header.
 */
export function headersOf(
  request: IncomingMessage,
  globalTags: string | undefined,
  hops: number,
): Record<string, string> {
  const headers: Record<string, string> = {};
  const named = new Set(
    String(request.headers.connection ?? "")
      .split(",")
      .map((name) => name.trim().toLowerCase()),
  );
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || notSentOn.has(name) || named.has(name)) continue;
    headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  delete headers[headerName.toLowerCase()];
  if (globalTags !== undefined) headers[headerName.toLowerCase()] = globalTags;
  const peer = peerAddress(request);
  const before = headers["x-forwarded-for"];
  if (peer !== "") headers["x-forwarded-for"] = before === undefined ? peer : `${before}, ${peer}`;
  headers[hopsHeader] = String(hops + 1);
  return headers;
}

export function pointsOf(request: IncomingMessage): number {
  const points = Number(request.headers["x-points"] ?? 0);
  return Number.isSafeInteger(points) && points > 0 ? points : 0;
}
