// Shared by the fault tests: the agent's configuration, a function that writes points for some time, and the final
// check that no point is lost.

import { expect, onTestFinished } from "vitest";
import { type RecordingGateway, startGateway } from "../server/support/recording-gateway.ts";
import type { AgentProcess } from "../server/support/running-agent.ts";
import { type Ledger, lostOf, print, report, writeUntil } from "./ledger.ts";

/** Returns the configuration of an agent that forwards to the gateway, with short delays and timeouts. */
export const configOf = (gateway: RecordingGateway, more = "") => `[http_api]
request_rate_limit = 0
workers = 1
[gateway]
urls = ["${gateway.url}"]
retry_delay = "20ms"
timeout_v2 = "1s"
${more}
[io]
flush_interval = "20ms"`;

export async function gatewayOfTest(): Promise<RecordingGateway> {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  return gateway;
}

const settleMs = 120_000;

/**
 * Waits until every accepted point has arrived and the agent's queue is empty, prints the counts, and expects that
 * no point is lost.
 */
export async function settle(
  name: string,
  ledger: Ledger,
  gateway: RecordingGateway,
  agent: AgentProcess,
): Promise<void> {
  await expect.poll(() => lostOf(ledger, gateway).length, { timeout: settleMs, interval: 100 }).toBe(0);
  // All points have arrived, but the agent may still send an upload again whose answer came too late. So the queue may
  // become empty only later.
  const waiting = () => agent.metric('agent_io_queue_points{category="metric",gateway="failover"}');
  await expect.poll(waiting, { timeout: settleMs, interval: 100 }).toBe(0);
  const result = report(ledger, gateway);
  print(name, result);
  expect(result.arrived).toBe(result.sent);
  expect(result.sent).toBeGreaterThan(0);
}

/**
 * Writes points to the agent over four connections for `ms` milliseconds. Continues after this time until 100 points
 * are accepted or refused.
 */
export async function during(agent: AgentProcess, ledger: Ledger, ms: number): Promise<void> {
  const end = performance.now() + ms;
  const before = ledger.accepted.size + ledger.refused;
  const enough = before + 100;
  await writeUntil(agent, ledger, 4, () => performance.now() > end && ledger.accepted.size + ledger.refused > enough);
}
