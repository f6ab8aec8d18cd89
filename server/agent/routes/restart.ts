// GET /restart (docs/reference/agent.md#restart): reloads configuration, scripts and listeners in this process, after
// the answer is sent.

import { ApiError } from "../../http/errors.ts";
import { isSameToken } from "../../http/guards/token.ts";
import type { Route } from "../serving/route.ts";

export const restart: Route = {
  method: "GET",
  url: "/restart",
  handle: async ({ gateways, restart }, { query, reply }) => {
    const token = gateways?.all[0].token ?? "";
    if (token === "" || !isSameToken(query.get("token") ?? "", token)) throw new ApiError("agent.invalidToken");
    reply.raw.once("close", restart);
    return reply.send();
  },
};
