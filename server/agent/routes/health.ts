// GET /healthz: the process answers. GET /readyz: it takes points; else 503 and the reasons.

import { answerJson } from "../../http/answer.ts";
import type { Route } from "./route.ts";

const healthz: Route = {
  method: "GET",
  url: "/healthz",
  handle: (_agent, { reply }) => answerJson(reply, { status: "ok" }),
};

const readyz: Route = {
  method: "GET",
  url: "/readyz",
  handle: (agent, { reply }) => {
    const problems = [...agent.outlet.problems()];
    if (agent.budget.usedBytes >= agent.budget.limit) problems.push("too many bytes in flight");
    if (problems.length > 0) reply.code(503);
    return answerJson(reply, problems.length === 0 ? { status: "ready" } : { status: "not ready", problems });
  },
};

export const health: readonly Route[] = [healthz, readyz];
