// GET /metrics (agent document, A.11).

import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { answer } from "../../http/answer.ts";
import { version } from "../../http/version.ts";
import type { Route } from "./route.ts";

const builtAt = statSync(fileURLToPath(import.meta.url)).mtime.toISOString();
let before = { cpu: process.cpuUsage(), at: performance.now() };

export const metricsRoute: Route = {
  method: "GET",
  url: "/metrics",
  handle: async (agent, { reply }) => {
    const { metrics } = agent;
    const seconds = Number(process.hrtime.bigint() - agent.startedAt) / 1e9;
    metrics.uptime.set(
      { hostname: agent.hostname, version, build_at: builtAt, os_arch: `${process.platform}/${process.arch}` },
      seconds,
    );
    agent.outlet.measure();
    metrics.inflightBytes.set(agent.budget.usedBytes);
    const now = { cpu: process.cpuUsage(), at: performance.now() };
    const busyMs = (now.cpu.user + now.cpu.system - before.cpu.user - before.cpu.system) / 1000;
    metrics.cpu.set((busyMs / Math.max(now.at - before.at, 1)) * 100);
    before = now;
    return answer(reply, "text/plain; version=0.0.4; charset=utf-8", await metrics.registry.metrics());
  },
};
