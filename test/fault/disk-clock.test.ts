// Runs the real agent with a disk that is full or fails, and with a clock that jumps back. Points answered with 200
// arrive at the gateway, other points are refused with 503, and the agent keeps running.

import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startAgent } from "../server/support/running-agent.ts";
import { createLedger, lostOf, writeUntil } from "./ledger.ts";
import { configOf, during, gatewayOfTest, settle } from "./setting.ts";

const preload = new URL("./preload.mjs", import.meta.url).href;

async function faultyAgent(more: string) {
  const gateway = await gatewayOfTest();
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-faults-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, "faults.json");
  const put = (faults: { readonly disk?: string; readonly at?: string; readonly clockMs?: number }): string => {
    const text = JSON.stringify({ disk: "", at: "", clockMs: 0, ...faults });
    // The agent may read faults.json at any moment. So a complete file is written under another name, and then renamed.
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
    return text;
  };
  /** Sets the faults of the disk and of the clock, and waits until the agent has read them. */
  const set = async (faults: Parameters<typeof put>[0]): Promise<void> => {
    const text = put(faults);
    await expect.poll(() => readFileSync(`${file}.seen`, "utf8")).toBe(text);
  };
  put({});
  const agent = await startAgent({
    config: configOf(gateway, more),
    env: { MILLRACE_FAULTS: file, NODE_OPTIONS: `--import=${preload}` },
  });
  onTestFinished(() => agent.stop());
  return { gateway, agent, set };
}

// The queue has segment files of 2 MiB, which large points fill soon. So the agent opens new segment files and syncs
// their folder while a fault lasts.
const wal = (sync: string) => `[gateway.wal]\nsync = "${sync}"\nmax_capacity_gb = 0.0078125`;
const padding = 1000;
const mostPoints = 200;

it.each([
  [
    "fdatasync",
    [
      ["ENOSPC", "write"],
      ["EIO", "write"],
      ["ENOSPC", "sync"],
      ["EIO", "sync"],
      ["ENOSPC", "open"],
      ["EIO", "open"],
      ["EIO", "folder"],
    ],
  ],
  [
    "os",
    [
      ["ENOSPC", "write"],
      ["EIO", "write"],
      ["ENOSPC", "open"],
    ],
  ],
] as const)(
  "a disk that fails, policy %s: writes are refused with 503 while it lasts, nothing acknowledged is lost",
  async (sync, faults) => {
    const { gateway, agent, set } = await faultyAgent(`gzip = false\n${wal(sync)}`);
    for (const [disk, at] of faults) {
      const ledger = createLedger();
      // The gateway refuses points. So the points that the agent acknowledged before the fault are still waiting on the
      // disk when the disk fails.
      gateway.behave(500);
      await during(agent, ledger, 50);
      expect(ledger.refused).toBe(0);

      await set({ disk, at });
      // The agent may still fill the open segment file to its end before it refuses a write.
      await writeUntil(agent, ledger, 4, () => ledger.refused > 0, padding, mostPoints);
      const before = ledger.accepted.size;
      expect(before).toBeGreaterThan(0);
      const refused = await agent.send("/v1/write/metric", { body: "fault number=0i 1" });
      expect(refused.status).toBe(503);
      expect(refused.text).toContain(`the queue could not be written: ${disk}`);
      await during(agent, ledger, 50);
      expect(ledger.accepted.size).toBe(before);
      expect((await agent.send("/v1/ping")).status).toBe(200);

      await set({});
      await during(agent, ledger, 50);
      expect(ledger.accepted.size).toBeGreaterThan(before);
      gateway.behave(200);
      await settle(`${disk} at ${at}, ${sync}`, ledger, gateway, agent);
    }
  },
);

it("an agent that cannot read its disk logs this once, accepts writes, and sends the points later", async () => {
  const { gateway, agent, set } = await faultyAgent("gzip = false");
  const ledger = createLedger();
  gateway.behave(500);
  // The queue keeps only its newest points in memory, and the test writes more points than that. So the agent must read
  // some of the points from the disk.
  const many = 16_000;
  await writeUntil(agent, ledger, 4, () => ledger.accepted.size > many, padding, mostPoints);
  await set({ disk: "EIO", at: "read" });
  gateway.behave(200);
  await expect.poll(() => agent.log()).toMatch(/ERROR queue metric: \d{16}\.seg: EIO: injected by the test/);
  const before = ledger.accepted.size;
  await during(agent, ledger, 50);
  expect(ledger.accepted.size).toBeGreaterThan(before);
  expect(ledger.refused).toBe(0);
  expect(lostOf(ledger, gateway).length).toBeGreaterThan(0);
  expect(agent.log().split("EIO: injected").length - 1).toBe(1);
  await set({});
  await settle("EIO at read", ledger, gateway, agent);
});

it("no point is lost when the clock jumps two hours back and forth and the gateway sometimes answers 500", async () => {
  const { gateway, agent, set } = await faultyAgent("");
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
    await during(agent, ledger, 100);
    expect(ledger.accepted.size).toBeGreaterThan(before);
    const ahead = Number(JSON.parse((await agent.send("/v1/ntp")).text).timestamp_sec) * 1000 - Date.now() - clockMs;
    expect(Math.abs(ahead)).toBeLessThan(30_000);
    // The reported age of the oldest waiting point is never negative.
    expect(
      await agent.metric('agent_io_queue_oldest_seconds{category="metric",gateway="failover"}'),
    ).toBeGreaterThanOrEqual(0);
  }
  await settle("clock jumps", ledger, gateway, agent);
});
