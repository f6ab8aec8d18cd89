// GET /v1/env_variable (docs/reference/agent.md#variables-of-applications): returns the variables that the
// configuration gives to a RUM (real user monitoring) application. When the configuration does not name the
// application, returns the gateway's answer. An application that neither the configuration nor the gateway knows has no
// variables.

import { answerContent } from "../../http/answer.ts";
import { ApiError } from "../../http/errors.ts";
import type { Route } from "../serving/route.ts";
import { askGateways, giveBack } from "./relay.ts";

export const envVariable: Route = {
  method: "GET",
  url: "/v1/env_variable",
  isOn: (config) => config["rum.enable"],
  handle: async ({ gateways, sharding, config }, call) => {
    const appId = call.query.get("app_id") ?? "";
    const table = config["rum.env_variable"];
    if (Object.hasOwn(table, appId)) return await answerContent(call.reply, table[appId]);
    if (gateways !== undefined) {
      if (gateways.all[0].token === "") throw new ApiError("agent.tokenMissing");
      const answered = await askGateways(gateways, call, {
        query: { app_id: appId, scope: "rum" },
        globalTags: sharding?.header(),
      });
      if (answered.status !== 404) return await giveBack(call, answered);
    }
    return await answerContent(call.reply, {});
  },
};
