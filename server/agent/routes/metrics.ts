// GET /metrics (agent document, A.11), and GET /monitor, a page that shows them (A.14).

import { statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { answer } from "../../http/answer.ts";
import { version } from "../../http/version.ts";
import { contentPolicy, htmlPage } from "../../monitor/html-page.ts";
import { parseMetrics } from "../../monitor/samples.ts";
import { type Look, stateOf } from "../../monitor/state.ts";
import type { Agent } from "../agent.ts";
import type { Route } from "./route.ts";

const builtAt = statSync(fileURLToPath(import.meta.url)).mtime.toISOString();
let before = { cpu: process.cpuUsage(), at: performance.now() };

export const metricsRoute: Route = {
  method: "GET",
  url: "/metrics",
  handle: async (agent, { reply }) =>
    answer(reply, "text/plain; version=0.0.4; charset=utf-8", await metricsText(agent)),
};

/** Rates are those since a look at least so long ago, whoever took it. */
const rateMs = 1000;
const looks = new WeakMap<Agent, { before: Look | undefined; last: Look }>();

export const monitorRoute: Route = {
  method: "GET",
  url: "/monitor",
  handle: async (agent, { reply }) => {
    const look: Look = { samples: parseMetrics(await metricsText(agent)), at: performance.now() };
    const known = looks.get(agent) ?? { before: undefined, last: look };
    if (look.at - known.last.at >= rateMs) {
      known.before = known.last;
      known.last = look;
    }
    looks.set(agent, known);
    reply
      .header("content-security-policy", contentPolicy)
      .header("x-content-type-options", "nosniff")
      .header("referrer-policy", "no-referrer")
      .header("cache-control", "no-store");
    const page = htmlPage(agent.hostname, stateOf(look, known.before, Date.now()));
    return await answer(reply, "text/html; charset=utf-8", page);
  },
};

async function metricsText(agent: Agent): Promise<string> {
  const { metrics } = agent;
  const seconds = Number(process.hrtime.bigint() - agent.startedAt) / 1e9;
  metrics.uptime.set(
    { hostname: agent.hostname, version, build_at: builtAt, os_arch: `${process.platform}/${process.arch}` },
    seconds,
  );
  agent.outlet.measure();
  metrics.inflightBytes.set(agent.budget.usedBytes);
  metrics.openFiles.set(await openFiles());
  const now = { cpu: process.cpuUsage(), at: performance.now() };
  const busyMs = (now.cpu.user + now.cpu.system - before.cpu.user - before.cpu.system) / 1000;
  metrics.cpu.set((busyMs / Math.max(now.at - before.at, 1)) * 100);
  before = now;
  return await metrics.registry.metrics();
}

/** Less the one that reading the list takes. */
async function openFiles(): Promise<number> {
  const list = await readdir(process.platform === "linux" ? "/proc/self/fd" : "/dev/fd").catch(() => []);
  return Math.max(0, list.length - 1);
}
