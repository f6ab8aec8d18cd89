// GET /v1/env_variable (agent document, A.10): the gateway's answer, or the table of the configuration.

import { answerContent } from "../../http/answer.ts";
import { ApiError } from "../../http/errors.ts";
import { relay } from "../relay.ts";
import type { Route } from "./route.ts";

export const envVariable: Route = {
  method: "GET",
  url: "/v1/env_variable",
  isOn: (config) => config["rum.enable"],
  handle: async ({ gateways, sharding, config }, call) => {
    const appId = call.query.get("app_id") ?? "";
    if (gateways !== undefined) {
      if (gateways.all[0].token === "") throw new ApiError("agent.tokenMissing");
      return await relay(gateways, call, {
        query: { app_id: appId, scope: "rum" },
        globalTags: sharding?.header(),
      });
    }
    const table = config["rum.env_variable"];
    return await answerContent(call.reply, Object.hasOwn(table, appId) ? table[appId] : {});
  },
};
