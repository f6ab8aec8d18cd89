// What the fault tests share: the agent's configuration, writing for a while, and the reckoning at the end.

import { expect, onTestFinished } from "vitest";
import { type RecordingGateway, startGateway } from "../server/support/recording-gateway.ts";
import type { AgentProcess } from "../server/support/running-agent.ts";
import { type Ledger, lostOf, print, report, writeUntil } from "./ledger.ts";

/** A short-tempered agent that forwards to the gateway. */
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

/** Waits until everything that was accepted has arrived and the agent has heard so, prints the line, expects no loss. */
export async function settle(
  name: string,
  ledger: Ledger,
  gateway: RecordingGateway,
  agent: AgentProcess,
): Promise<void> {
  await expect.poll(() => lostOf(ledger, gateway).length, { timeout: settleMs, interval: 100 }).toBe(0);
  // Uploads that were accepted but not answered in time are sent again.
  const waiting = () => agent.metric('agent_io_queue_points{category="metric",gateway="failover"}');
  await expect.poll(waiting, { timeout: settleMs, interval: 100 }).toBe(0);
  const result = report(ledger, gateway);
  print(name, result);
  expect(result.arrived).toBe(result.sent);
  expect(result.sent).toBeGreaterThan(0);
}

/** Writes from four connections for `ms`, and on a busy machine until some have been answered. */
export async function during(agent: AgentProcess, ledger: Ledger, ms: number): Promise<void> {
  const end = performance.now() + ms;
  const before = ledger.accepted.size + ledger.refused;
  const enough = before + 100;
  await writeUntil(agent, ledger, 4, () => performance.now() > end && ledger.accepted.size + ledger.refused > enough);
}
