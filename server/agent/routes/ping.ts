// GET /v1/ping (docs/reference/agent.md#ping-and-time): returns the version, uptime and host name of the agent.

import { formatDuration } from "../../config/go-duration.ts";
import { answerContent } from "../../http/answer.ts";
import { commit, version } from "../../http/version.ts";
import { uptimeNs } from "../../telemetry/process-use.ts";
import type { Route } from "../serving/route.ts";

export const ping: Route = {
  method: "GET",
  url: "/v1/ping",
  handle: (agent, { reply }) => {
    const uptime = formatDuration(uptimeNs());
    return answerContent(reply, { version, uptime, host: agent.hostname, commit });
  },
};
