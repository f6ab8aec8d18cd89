// One request on its way through the gateway: what is sent on of it, and what is kept on disk of it.

import type { IncomingMessage } from "node:http";
import { headerName } from "../../lib/sharding/header.ts";
import { peerAddress } from "../http/guards/client.ts";

export interface Package {
  readonly method: string;
  /** As sent on. */
  readonly path: string;
  /** Label of the metrics and logs; holds nothing secret. */
  readonly api: string;
  /** Without the question mark; its token is replaced by that of each target. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly points: number;
}

/** What the queue keeps beside the body. The URL holds the token; the files are readable for their owner only. */
export interface KeptMeta {
  readonly method: string;
  readonly api: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Headers that belong to one connection or to this gateway only; the gateway makes lengths and Host anew. A client's credentials are for
 * this gateway, not for a target. Targets send answers uncompressed, since the gateway reads them.
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

/** Headers as they are sent on: `globalTags` is the header as bytes, undefined when there is none. */
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
