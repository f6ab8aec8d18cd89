// GET /v1/ntp (docs/reference/agent.md#ping-and-time): returns the time of the machine's clock, without the usual
// `content` wrapper.

import { answerJson } from "../../http/answer.ts";
import type { Route } from "../serving/route.ts";

export const ntp: Route = {
  method: "GET",
  url: "/v1/ntp",
  handle: (_agent, { reply }) => answerJson(reply, { timestamp_sec: Math.floor(Date.now() / 1000) }),
};
