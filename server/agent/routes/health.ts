// GET /healthz: the process answers. GET /readyz: it takes points; else 503 and the reasons.

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
