// A disk that is full or fails, and a clock that jumps back, inside the real agent: what was answered 200 arrives, the rest is refused
// with 503, and the agent goes on.

import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startAgent } from "../server/running-agent.ts";
import { createLedger } from "./ledger.ts";
import { configOf, during, gatewayOfTest, settle } from "./setting.ts";

const preload = new URL("./preload.mjs", import.meta.url).href;

async function faultyAgent(sync: "fdatasync" | "os") {
  const gateway = await gatewayOfTest();
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-faults-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, "faults.json");
  const put = (faults: { readonly disk?: string; readonly clockMs?: number }): string => {
    const text = JSON.stringify({ disk: "", clockMs: 0, ...faults });
    // The agent looks at any time: there is never a part of it.
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
    return text;
  };
  /** Until the agent has seen it. */
  const set = async (faults: Parameters<typeof put>[0]): Promise<void> => {
    const text = put(faults);
    await expect.poll(() => readFileSync(`${file}.seen`, "utf8")).toBe(text);
  };
  put({});
  const agent = await startAgent({
    config: configOf(gateway, `[gateway.wal]\nsync = "${sync}"`),
    env: { MILLRACE_FAULTS: file, NODE_OPTIONS: `--import=${preload}` },
  });
  onTestFinished(() => agent.stop());
  return { gateway, agent, set };
}

for (const [disk, sync] of [
  ["ENOSPC", "fdatasync"],
  ["ENOSPC", "os"],
  ["EIO", "fdatasync"],
] as const) {
  it(`${disk} with policy ${sync}: writes are refused with 503 while it lasts, nothing acknowledged is lost`, async () => {
    const { gateway, agent, set } = await faultyAgent(sync);
    const ledger = createLedger();
    // What was acknowledged before is still on the disk that fails.
    gateway.behave(500);
    await during(agent, ledger, 400);
    const before = ledger.accepted.size;
    expect(before).toBeGreaterThan(0);

    await set({ disk });
    const refused = await agent.send("/v1/write/metric", { body: "fault number=0i 1" });
    expect(refused.status).toBe(503);
    expect(refused.text).toContain("the queue could not be written");
    await during(agent, ledger, 400);
    expect(ledger.accepted.size).toBe(before);
    expect(ledger.refused).toBeGreaterThan(0);
    expect((await agent.send("/v1/ping")).status).toBe(200);

    await set({});
    await during(agent, ledger, 400);
    expect(ledger.accepted.size).toBeGreaterThan(before);
    gateway.behave(200);
    await settle(`${disk}, ${sync}`, ledger, gateway);
  });
}

it("a clock that jumps back two hours and forth again, with a gateway that answers 500 at times", async () => {
  const { gateway, agent, set } = await faultyAgent("fdatasync");
  const ledger = createLedger();
  for (const [clockMs, status] of [
    [0, 500],
    [-7_200_000, 500],
    [-7_200_000, 200],
    [7_200_000, 500],
    [0, 200],
  ] as const) {
    await set({ clockMs });
    gateway.behave(status);
    const before = ledger.accepted.size;
    await during(agent, ledger, 300);
    expect(ledger.accepted.size).toBeGreaterThan(before);
    const ahead = Number(JSON.parse((await agent.send("/v1/ntp")).text).timestamp_sec) * 1000 - Date.now() - clockMs;
    expect(Math.abs(ahead)).toBeLessThan(30_000);
    // The age of what waits is never told as negative.
    expect(
      await agent.metric('agent_io_queue_oldest_seconds{category="metric",gateway="failover"}'),
    ).toBeGreaterThanOrEqual(0);
  }
  await settle("clock jumps", ledger, gateway);
});
