// POST /v1/query/raw (agent document, A.13): handed on to the gateway, with its token where the request has none. Queries
// on a store of the agent's own are not built yet.

import { ApiError } from "../../http/errors.ts";
import { isRecord, readJson } from "../../http/json-body.ts";
import { relay } from "../relay.ts";
import type { Route } from "./route.ts";

const maxBytes = 8 * 1024 * 1024;
const prefix = "json.Unmarshal: ";

export const queryRaw: Route = {
  method: "POST",
  url: "/v1/query/raw",
  handle: async ({ gateways, sharding, budget }, call) => {
    const code = "agent.invalidJSON";
    const body = await readJson(call.request.raw, { budget, maxBytes, code, prefix });
    if (!isRecord(body)) throw new ApiError(code, `${prefix}an object is expected`);
    const { queries, token = "", echo_explain: explain = false } = body;
    if (queries !== undefined && queries !== null && !Array.isArray(queries)) {
      throw new ApiError(code, `${prefix}queries is not a list`);
    }
    if (typeof token !== "string") throw new ApiError(code, `${prefix}token is not a string`);
    if (typeof explain !== "boolean") throw new ApiError(code, `${prefix}echo_explain is not a boolean`);
    if (gateways === undefined) throw new ApiError("agent.noGatewayAvailable", "a query needs [gateway] urls");
    const filled = token || gateways.all[0].token;
    if (filled === "") throw new ApiError("agent.gatewayTokenMissing");
    return await relay(gateways, call, { body: { ...body, token: filled }, globalTags: sharding?.header() });
  },
};
