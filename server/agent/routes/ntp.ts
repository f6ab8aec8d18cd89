// GET /v1/ntp (docs/reference/agent.md#ping-and-time): returns the time of the machine's clock. The answer has no
// member `content`, in which most other answers wrap their data.

import { answerJson } from "../../http/answer.ts";
import type { Route } from "../serving/route.ts";

export const ntp: Route = {
  method: "GET",
  url: "/v1/ntp",
  handle: (_agent, { reply }) => answerJson(reply, { timestamp_sec: Math.floor(Date.now() / 1000) }),
};
