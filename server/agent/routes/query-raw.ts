// POST /v1/query/raw (docs/reference/agent.md#queries): passes a query to the gateway, since the agent has no store to
// query. Adds the gateway's token when the request has none. The answer to a refused query keeps its reason, but has
// the agent's own error code (docs/errors.md#queries).

import type { FastifyReply } from "fastify";
import { durationMs, formatDuration } from "../../config/go-duration.ts";
import type { Reservation } from "../../http/body/inflight.ts";
import { isRecord, isTooDeep, readJsonText } from "../../http/body/json-body.ts";
import { withMember } from "../../http/body/json-member.ts";
import { ApiError, declaredErrors, type ErrorCode } from "../../http/errors.ts";
import type { Agent } from "../agent.ts";
import type { GatewayAnswer } from "../outputs/gateways.ts";
import type { Call, Route } from "../serving/route.ts";
import { askGateways, giveBack } from "./relay.ts";

const maxBytes = 8 * 1024 * 1024;
const prefix = "json.Unmarshal: ";

export const queryRaw: Route = {
  method: "POST",
  url: "/v1/query/raw",
  handle: (agent, call) => agent.budget.hold(call.request.raw, (held) => handOn(agent, call, held)),
};

async function handOn({ gateways, sharding, config }: Agent, call: Call, held: Reservation): Promise<FastifyReply> {
  const code = "agent.invalidJSON";
  const { value: body, text } = await readJsonText(call.request.raw, held, { maxBytes, code, prefix });
  if (!isRecord(body)) throw new ApiError(code, `${prefix}an object is expected`);
  const { queries, token = "", echo_explain: explain = false } = body;
  if (queries !== undefined && queries !== null && !Array.isArray(queries)) {
    throw new ApiError(code, `${prefix}queries is not a list`);
  }
  if (typeof token !== "string") throw new ApiError(code, `${prefix}token is not a string`);
  if (typeof explain !== "boolean") throw new ApiError(code, `${prefix}echo_explain is not a boolean`);
  if (gateways === undefined) throw new ApiError("agent.noGatewayAvailable", "a query needs [gateway] urls");
  const own = gateways.all[0].token;
  if (token === "" && own === "") throw new ApiError("agent.gatewayTokenMissing");
  const filled = token === "" ? withMember(text, "token", own) : text;
  const relayed = { body: filled, globalTags: sharding?.header() };
  // After a timeout no other gateway is asked, since it would only run the same slow query again.
  const answered = await askGateways(gateways, call, relayed, ({ status }) => status === 504 || status === "timeout");
  if (answered.status === "timeout") {
    const ms = durationMs(config["gateway.timeout_v2"], 30_000);
    throw new ApiError("agent.queryTimeout", `query timeout after ${formatDuration(BigInt(Math.round(ms * 1e6)))}`);
  }
  throwRefusal(answered);
  return await giveBack(call, answered);
}

/**
 * The agent's own error codes for errors of the gateway or the platform that have another name in the agent. The key is
 * the code that the gateway or the platform sent.
 */
const codes: Readonly<Record<string, ErrorCode>> = {
  "gateway.upstreamTimeout": "agent.queryTimeout",
  "gateway.upstreamFailed": "agent.allRetryFailed",
};

/**
 * Throws an ApiError when the answer says that the gateway or the platform has refused the query. Does nothing for any
 * other answer.
 */
function throwRefusal({ status, bytes, retryAfterMs }: GatewayAnswer): void {
  if (typeof status === "string" || status < 400) return;
  const { code, message } = refusalOf(bytes);
  const own = codes[code] ?? code.replace(/^(?:gateway|platform)\./, "agent.");
  const headers: Record<string, string> =
    retryAfterMs === undefined ? {} : { "retry-after": String(Math.ceil(retryAfterMs / 1000)) };
  if (isAgentCode(own)) throw new ApiError(own, message, headers);
  if (status >= 500 && message !== "") throw new ApiError("agent.queryFailed", message, headers);
}

function isAgentCode(code: string): code is ErrorCode {
  return code.startsWith("agent.") && Object.hasOwn(declaredErrors, code);
}

/** Returns the code and message of a refusal; both are empty when the body is not the JSON of a refusal. */
function refusalOf(bytes: Uint8Array): { readonly code: string; readonly message: string } {
  let body: unknown;
  try {
    body = isTooDeep(bytes) ? undefined : JSON.parse(Buffer.from(bytes).toString());
  } catch {
    // Only JSON bodies name a reason, so for any other body the returned code and message stay empty.
  }
  const { error_code: code, message }: Readonly<Record<string, unknown>> = isRecord(body) ? body : {};
  return { code: typeof code === "string" ? code : "", message: typeof message === "string" ? message : "" };
}
