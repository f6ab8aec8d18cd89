// GET /healthz: answers 200 when the process runs. GET /readyz: answers 200 when the agent accepts points, otherwise
// 503 with the reasons.

import { answerJson, answerReady } from "../../http/answer.ts";
import type { Route } from "../serving/route.ts";
import { takeSnapshot } from "../status-snapshot.ts";

const healthz: Route = {
  method: "GET",
  url: "/healthz",
  handle: (_agent, { reply }) => answerJson(reply, { status: "ok" }),
};

const readyz: Route = {
  method: "GET",
  url: "/readyz",
  handle: async (agent, { reply }) => {
    const { problems } = await takeSnapshot(agent);
    return answerReady(reply, problems);
  },
};

export const health: readonly Route[] = [healthz, readyz];
