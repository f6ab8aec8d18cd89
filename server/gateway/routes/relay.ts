// The routes for requests that are sent to exactly one target, because the client needs its answer. The target
// is the one of the first matching sink rule (rule that chooses targets), or else the platform
// (docs/reference/gateway.md#interfaces).

import type { FastifyReply } from "fastify";
import { hasTokenShape, toHeaderBytes } from "../../../lib/sharding/index.ts";
import { readBody } from "../../http/body/body.ts";
import { isRecord, isTooDeep } from "../../http/body/json-body.ts";
import { withMember } from "../../http/body/json-member.ts";
import { isSameToken } from "../../http/guards/token.ts";
import { relayAnswer } from "../answers.ts";
import type { Destination } from "../destination.ts";
import { headersOf } from "../forwarded-request.ts";
import type { Gateway } from "../gateway.ts";
import { answerDropped, destinationOfCall, targetsOf } from "../routing.ts";
import type { Target } from "../targets.ts";
import type { Call, Route } from "./route.ts";

interface Changes {
  /** Returns the URL path to send to a target. A route without this function sends the path of the client's request. */
  readonly path?: (target: Target) => string;
  /** Returns the body to send to a target. A route without this function sends the body of the client's request. */
  readonly body?: (body: Uint8Array, target: Target) => Uint8Array;
}

async function relay(gateway: Gateway, call: Call, changes: Changes = {}): Promise<FastifyReply> {
  const destination = destinationOfCall(gateway, call);
  return await gateway.budget.hold(call.request.raw, async (held) => {
    const body = await readBody(call.request.raw, gateway.config["gateway_api.max_http_body_bytes"], held);
    return await handOn(gateway, call, destination, body, changes);
  });
}

async function handOn(
  gateway: Gateway,
  call: Call,
  destination: Destination,
  bytes: Uint8Array,
  { path, body }: Changes,
): Promise<FastifyReply> {
  const { request, reply, api, globalTags, hops } = call;
  const [target] = targetsOf(gateway, call, destination, globalTags ?? "", "first");
  if (target === undefined) return await answerDropped(call, globalTags ?? "");
  const headers = headersOf(request.raw, globalTags === undefined ? undefined : toHeaderBytes(globalTags), hops);
  const sent = {
    method: request.method,
    path: call.path,
    api,
    query: call.query,
    headers,
    body: body === undefined ? bytes : body(bytes, target),
    points: 0,
  };
  const answer = await gateway.forwarder.ask(sent, target, path?.(target) ?? call.path);
  return await relayAnswer(reply, { target, answer }, call.token);
}

const plain = (method: Route["method"], url: string): Route => ({
  method,
  url,
  handle: (gateway, call) => relay(gateway, call),
});

/**
 * The route for queries. The body of a query contains a token, which names the workspace to query. When this is
 * the same token with which the client called the gateway, the gateway replaces it in the body by the target's
 * token.
 */
const query: Route = {
  method: "POST",
  url: "/v1/query/raw",
  handle: (gateway, call) =>
    relay(gateway, call, {
      body: (bytes, target) => {
        if (isTooDeep(bytes)) return bytes;
        const text = Buffer.from(bytes).toString();
        let body: unknown;
        try {
          body = JSON.parse(text);
        } catch {
          // A body that is not JSON is forwarded unchanged, so that the platform reports the error.
          return bytes;
        }
        if (!isRecord(body) || typeof body.token !== "string" || body.token !== call.token) return bytes;
        return Buffer.from(withMember(text, "token", target.token));
      },
    }),
};

const checkToken = (url: string): Route => ({
  method: "GET",
  url,
  handle: async (gateway, call) => {
    const { token } = call.request.params as { token: string };
    const secret = gateway.config["gateway_api.secret_token"];
    const isSecret = secret !== "" && isSameToken(token, secret);
    if (!isSecret && !hasTokenShape(token)) {
      const refusal = { code: 403, errorCode: "gateway.invalidToken", message: "this is no token" };
      return call.reply
        .code(403)
        .header("content-type", "application/json")
        .send(Buffer.from(JSON.stringify(refusal)));
    }
    const path = ({ token: replaced }: Target) => `${call.path.slice(0, call.path.lastIndexOf("/"))}/${replaced}`;
    return await relay(gateway, { ...call, token }, { path });
  },
});

export const relays: readonly Route[] = [
  plain("POST", "/v1/election"),
  plain("POST", "/v1/election/heartbeat"),
  plain("GET", "/v1/:service/pull"),
  query,
  plain("POST", "/v1/workspace"),
  plain("POST", "/v1/object/labels"),
  plain("DELETE", "/v1/object/labels"),
  checkToken("/v1/check/token/:token"),
  checkToken("/v1/check/:token"),
  plain("GET", "/v1/env_variable"),
  plain("POST", "/v1/write/heartbeat"),
  plain("POST", "/v1/:service/usage_trace"),
  plain("POST", "/v1/log"),
];
