// The routes that report the health of the gateway. GET / and GET /healthz answer as long as the process runs.
// GET /readyz answers with 200 when the gateway can route requests and store them on disk, otherwise with 503
// and the reasons.

import { answer, answerJson, answerReady } from "../../http/answer.ts";
import type { Route } from "./route.ts";

const page: Route = {
  method: "GET",
  url: "/",
  isOpen: true,
  handle: (_gateway, { reply }) =>
    answer(
      reply,
      "text/html; charset=utf-8",
      `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Millrace gateway</title></head>
<body>
<h1>Millrace gateway</h1>
<p>It's working! Points are taken at <code>POST /v1/write/keyevent</code> and so on, <code>GET /metrics</code> counts them.</p>
</body>
</html>
`,
    ),
};

const healthz: Route = {
  method: "GET",
  url: "/healthz",
  isOpen: true,
  handle: (_gateway, { reply }) => answerJson(reply, { status: "ok" }),
};

const readyz: Route = {
  method: "GET",
  url: "/readyz",
  isOpen: true,
  handle: ({ sinker, forwarder, budget, config }, { reply }) => {
    const { state } = sinker;
    const problems = [...forwarder.problems()];
    if (state.kind === "invalid") problems.push(`the sink rules cannot be used: ${state.reason}`);
    if (state.kind === "off" && config["gateway_api.remote_host"] === "") {
      problems.push("there are neither sink rules nor gateway_api.remote_host");
    }
    if (budget.usedBytes >= budget.limit) problems.push("too many bytes in flight");
    return answerReady(reply, problems);
  },
};

export const health: readonly Route[] = [page, healthz, readyz];
