// Routes a request: decides by the request's token whether sink rules (rules that choose targets) apply, finds
// the targets by the request's header X-Global-Tags, and counts these decisions in metrics.

import {
  fromHeaderBytes,
  headerName,
  joinHeaderLines,
  type MatchMode,
  maskToken,
  notMatchedBody,
} from "../../lib/sharding/index.ts";
import { ApiError, declaredErrors } from "../http/errors.ts";
import { type Destination, destinationOf } from "./destination.ts";
import type { Gateway } from "./gateway.ts";
import type { Call } from "./routes/route.ts";
import type { Target } from "./targets.ts";

const warnedHeaderBytes = 4 * 1024;
const refusedHeaderBytes = 16 * 1024;

/**
 * Returns the value of the header X-Global-Tags as a string. Throws an ApiError with status 431 when the value is too
 * long.
 */
export function globalTagsOf({ log }: Gateway, api: string, lines: readonly string[]): string | undefined {
  if (lines.length === 0) return undefined;
  const bytes = joinHeaderLines(lines);
  if (bytes.length > refusedHeaderBytes) {
    throw new ApiError("gateway.headerTooLarge", `${headerName} exceeds ${refusedHeaderBytes} bytes`);
  }
  if (bytes.length > warnedHeaderBytes) log.warn(`${api}: ${headerName} has ${bytes.length} bytes`);
  return fromHeaderBytes(bytes);
}

/**
 * Returns whether a request is routed by sink rules (rules that choose the targets of a request) or sent
 * directly to the platform. Throws an ApiError with status 403 for a wrong token. Throws an ApiError with status
 * 503 when the sink rules are needed but invalid, or when the platform is needed but not configured.
 */
export function destinationOfCall({ config, sinker }: Gateway, { token, globalTags }: Call): Destination {
  const destination = destinationOf(config, sinker.state.kind !== "off", token, globalTags !== undefined);
  if (destination.kind === "sink" && sinker.state.kind === "invalid") {
    throw new ApiError("gateway.sinkRulesInvalid", "the sink rules cannot be used", { "retry-after": "5" });
  }
  if (destination.kind === "direct" && config["gateway_api.remote_host"] === "") {
    throw new ApiError("gateway.noRemoteHost", "no sink rule routes this request and there is no remote_host", {
      "retry-after": "5",
    });
  }
  return destination;
}

/**
 * Returns the targets of a request. `header`: the value of its header X-Global-Tags. Returns an empty list when
 * no sink rule (rule that chooses the targets of a request) matches the header.
 */
export function targetsOf(
  gateway: Gateway,
  call: Call,
  destination: Destination,
  header: string,
  mode: MatchMode,
): Target[] {
  const { sinker, targets, metrics, log } = gateway;
  const { api, path, request } = call;
  const count = (result: string, rule: string) => metrics.sinkerRequests.inc({ api, result, rule });
  if (destination.kind === "direct") {
    count("direct", "");
    return [targets.direct(destination.token)];
  }
  const { result, entries } = sinker.decide(header, path, mode);
  if (result === "dropped") {
    count("dropped", "");
    metrics.dropped.inc({ api, method: request.method });
    log.warn(`for API ${api} with ${headerName} ${header} dropped`);
    return [];
  }
  for (const { info, index, token } of entries) {
    count(result, info || String(index));
    if (result === "default") metrics.defaultHits.inc({ info: info || String(index) });
    if (entries.length > 1) metrics.forked.inc({ api, method: request.method, token: maskToken(token) });
  }
  return entries.map((entry) => targets.of(entry));
}

/** Answers a request that no sink rule (rule that routes requests to targets) matches. */
export async function answerDropped({ reply, path }: Call, header: string) {
  return reply
    .code(declaredErrors["gateway.sinkRulesNotMatched"].status)
    .header("content-type", "application/json")
    .header("x-content-type-options", "nosniff")
    .send(Buffer.from(notMatchedBody(header, path)));
}
