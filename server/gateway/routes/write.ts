// The routes POST /v1/write/:category, /v1/write/rum/replay and /v1/upload/profiling. They send the body to
// every target without decoding it (docs/reference/gateway.md#conditions), except in one case: the request has
// no header X-Global-Tags, and rules are configured that generate this header from the points. Then the body is
// decoded.

import { randomUUID } from "node:crypto";
import type { FastifyReply } from "fastify";
import { type CategoryName, categories } from "../../../lib/point/index.ts";
import { toHeaderBytes } from "../../../lib/sharding/index.ts";
import { readBody } from "../../http/body/body.ts";
import type { Reservation } from "../../http/body/inflight.ts";
import { ApiError } from "../../http/errors.ts";
import { relayAnswer } from "../answers.ts";
import type { Destination } from "../destination.ts";
import type { Copy, ForwardOutcome } from "../forward.ts";
import { type ForwardedRequest, headersOf, pointsOf } from "../forwarded-request.ts";
import type { Gateway } from "../gateway.ts";
import { answerDropped, destinationOfCall, targetsOf } from "../routing.ts";
import type { TaggedRequest } from "../tagging.ts";
import type { Call, Route } from "./route.ts";

const points: Route = {
  method: "POST",
  url: "/v1/write/:category",
  handle: async (gateway, call) => {
    const name = call.path.slice("/v1/write/".length);
    const category = categories.find((each) => each === name);
    if (category === undefined) throw new ApiError("gateway.invalidCategory", `invalid category "${name}"`);
    return await bring(gateway, call, category);
  },
};

const passThrough = (url: string): Route => ({
  method: "POST",
  url,
  handle: (gateway, call) => bring(gateway, call, undefined),
});

export const writes: readonly Route[] = [
  points,
  passThrough("/v1/write/rum/replay"),
  passThrough("/v1/upload/profiling"),
];

/** Reads the body and sends it to its targets. `category` is undefined when the body contains no points. */
async function bring(gateway: Gateway, call: Call, category: CategoryName | undefined): Promise<FastifyReply> {
  const destination = destinationOfCall(gateway, call);
  // The body counts against the memory limit for bodies until the outcome for every target is known. For each
  // target, the outcome is that the target has accepted the request, that it has refused the request, or that
  // sending has failed.
  return await gateway.budget.hold(call.request.raw, async (held) => {
    const body = await readBody(call.request.raw, gateway.config["gateway_api.max_http_body_bytes"], held);
    return await bringBody(gateway, call, { category, destination, body, held });
  });
}

interface Brought {
  readonly category: CategoryName | undefined;
  readonly destination: Destination;
  readonly body: Uint8Array;
  readonly held: Reservation;
}

async function bringBody(gateway: Gateway, call: Call, brought: Brought): Promise<FastifyReply> {
  const { config, metrics, tagging } = gateway;
  const { api, globalTags } = call;
  const { category, destination, body, held } = brought;
  metrics.requestBytes.observe({ api }, body.length);
  const received = receivedPackage(call, body);
  metrics.receivedPoints.inc({ api }, received.points);

  const packages =
    destination.kind === "sink" && globalTags === undefined && category !== undefined && tagging !== undefined
      ? await tagging.tagged(received, category, held)
      : [{ header: globalTags ?? "", sent: received }];
  const mode = config["sinker.match_mode"] === "first" ? "first" : "all";
  const copies: Copy[] = [];
  const dropped: TaggedRequest[] = [];
  for (const each of packages) {
    const targets = targetsOf(gateway, call, destination, each.header, mode);
    if (targets.length === 0) dropped.push(each);
    for (const target of targets) copies.push({ sent: each.sent, target });
  }
  if (copies.length === 0) return await answerDropped(call, dropped[0]?.header ?? "");
  const droppedPoints = dropped.reduce((sum, { sent }) => sum + sent.points, 0);
  return await answerOutcomes(call, await gateway.forwarder.sendAll(copies), droppedPoints);
}

function receivedPackage({ request, path, api, query, globalTags, hops }: Call, body: Uint8Array): ForwardedRequest {
  const headers = headersOf(request.raw, globalTags === undefined ? undefined : toHeaderBytes(globalTags), hops);
  return {
    method: "POST",
    path,
    api,
    query,
    // The header X-Pkg-Id lets a target recognize a repeated request. A request without this header gets a new id.
    headers: { ...headers, "x-pkg-id": headers["x-pkg-id"] ?? `gw_${randomUUID()}` },
    body,
    points: pointsOf(request.raw),
  };
}

/**
 * Answers the client after all copies of the request were sent. When there is one copy, the client gets the
 * answer of its target. When there are several copies, the client gets an error only if a copy was neither
 * accepted nor stored on disk, or if every copy was refused; in all other cases the client need not send the
 * request again. The answer includes the number of points that no rule matches.
 */
async function answerOutcomes(
  { reply, token }: Call,
  outcomes: readonly ForwardOutcome[],
  droppedPoints: number,
): Promise<FastifyReply> {
  const failed = outcomes.filter((outcome) => outcome.kind === "failed");
  if (failed.length > 0) {
    if (failed.some(({ keeping }) => keeping === "not written")) {
      const message = "a target took nothing, and the disk queue for it cannot be written";
      throw new ApiError("gateway.queueFailed", message, { "retry-after": "5" });
    }
    const isLate = failed.every(({ status }) => status === "timeout");
    throw new ApiError(
      isLate ? "gateway.upstreamTimeout" : "gateway.upstreamFailed",
      `${failed.length} of ${outcomes.length} targets took nothing and nothing could be kept for them`,
      { "retry-after": "5" },
    );
  }
  const answered = outcomes.filter((outcome) => outcome.kind === "answered");
  const refusal = answered.find(({ taken }) => !taken);
  if (refusal !== undefined && answered.length === outcomes.length && answered.every(({ taken }) => !taken)) {
    return await relayAnswer(reply, refusal, token);
  }
  const isCached = answered.length < outcomes.length;
  if (isCached || droppedPoints > 0) {
    const answerBody = {
      ...(isCached && { cached: true }),
      ...(droppedPoints > 0 && { dropped_points: droppedPoints }),
    };
    return reply
      .code(200)
      .header("content-type", "application/json")
      .send(Buffer.from(JSON.stringify(answerBody)));
  }
  if (outcomes.length === 1) return await relayAnswer(reply, answered[0], token);
  return reply.code(200).send();
}
