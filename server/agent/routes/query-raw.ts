// POST /v1/query/raw (agent document, A.13): handed on to the gateway, with its token where the request has none. Queries
// on a store of the agent's own are not built yet.

import type { FastifyReply } from "fastify";
import { ApiError } from "../../http/errors.ts";
import type { Reservation } from "../../http/inflight.ts";
import { isRecord, readJsonText } from "../../http/json-body.ts";
import { withMember } from "../../http/json-member.ts";
import type { Agent } from "../agent.ts";
import { relay } from "../relay.ts";
import type { Call, Route } from "./route.ts";

const maxBytes = 8 * 1024 * 1024;
const prefix = "json.Unmarshal: ";

export const queryRaw: Route = {
  method: "POST",
  url: "/v1/query/raw",
  handle: (agent, call) => agent.budget.hold(call.request.raw, (held) => handOn(agent, call, held)),
};

async function handOn({ gateways, sharding }: Agent, call: Call, held: Reservation): Promise<FastifyReply> {
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
  return await relay(gateways, call, { body: filled, globalTags: sharding?.header() });
}
