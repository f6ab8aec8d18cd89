// GET /v1/ntp (agent document, A.5): the machine's clock, not wrapped.

import { answerJson } from "../../http/answer.ts";
import type { Route } from "../serving/route.ts";

export const ntp: Route = {
  method: "GET",
  url: "/v1/ntp",
  handle: (_agent, { reply }) => answerJson(reply, { timestamp_sec: Math.floor(Date.now() / 1000) }),
};
