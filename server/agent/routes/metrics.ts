// GET /metrics (docs/reference/metrics.md), and GET /monitor, a page that shows the metrics.

import { answer } from "../../http/answer.ts";
import { builtAt, version } from "../../http/version.ts";
import { cpuMicroseconds, uptimeNs } from "../../telemetry/process-use.ts";
import { contentPolicy, htmlPage } from "../../telemetry/status/html-page.ts";
import { parseMetrics } from "../../telemetry/status/samples.ts";
import { stateOf } from "../../telemetry/status/state.ts";
import type { MetricsSnapshot } from "../../telemetry/status/view.ts";
import type { Agent } from "../agent.ts";
import { showQueues } from "../queue-gauges.ts";
import type { Route } from "../serving/route.ts";
import { takeSnapshot } from "../status-snapshot.ts";

let before = { cpuMs: cpuMicroseconds() / 1000, at: performance.now() };

export const metricsRoute: Route = {
  method: "GET",
  url: "/metrics",
  handle: async (agent, { reply }) =>
    answer(reply, "text/plain; version=0.0.4; charset=utf-8", await metricsText(agent)),
};

/**
 * Minimum time in milliseconds between two samplings of the metrics. The page /monitor computes rates from two
 * samplings. When they lie closer together, for example because another client opened the page a moment ago, the
 * rates would be inexact.
 */
const rateMs = 1000;
const snapshots = new WeakMap<Agent, { before: MetricsSnapshot | undefined; last: MetricsSnapshot }>();

export const monitorRoute: Route = {
  method: "GET",
  url: "/monitor",
  handle: async (agent, { reply }) => {
    const snapshot: MetricsSnapshot = { samples: parseMetrics(await metricsText(agent)), at: performance.now() };
    const known = snapshots.get(agent) ?? { before: undefined, last: snapshot };
    if (snapshot.at - known.last.at >= rateMs) {
      known.before = known.last;
      known.last = snapshot;
    }
    snapshots.set(agent, known);
    reply
      .header("content-security-policy", contentPolicy)
      .header("x-content-type-options", "nosniff")
      .header("referrer-policy", "no-referrer")
      .header("cache-control", "no-store");
    const page = htmlPage(agent.hostname, stateOf(snapshot, known.before, Date.now()));
    return await answer(reply, "text/html; charset=utf-8", page);
  },
};

async function metricsText(agent: Agent): Promise<string> {
  const { metrics } = agent;
  const seconds = Number(uptimeNs()) / 1e9;
  metrics.uptime.set(
    { hostname: agent.hostname, version, build_at: builtAt, os_arch: `${process.platform}/${process.arch}` },
    seconds,
  );
  const snapshot = await takeSnapshot(agent);
  showQueues(metrics, snapshot.queues);
  metrics.inflightBytes.set(snapshot.inflightBytes);
  metrics.openFiles.set(snapshot.openFiles);
  const now = { cpuMs: snapshot.cpuMicroseconds / 1000, at: performance.now() };
  // The total processor time of all processes can be less than at the previous request, because a restarted
  // process counts its time from zero again. Then 0 is shown.
  metrics.cpu.set((Math.max(0, now.cpuMs - before.cpuMs) / Math.max(now.at - before.at, 1)) * 100);
  before = now;
  return await metrics.registry.metrics();
}
