// The metrics of the uploader (the part that sends queued points to the gateway) about its queues and uploads
// (docs/reference/metrics.md).

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Batch } from "../../../../server/agent/outputs/batch.ts";
import type { GatewayAnswer } from "../../../../server/agent/outputs/gateways.ts";
import { showQueues } from "../../../../server/agent/queue-gauges.ts";
import { createMetrics } from "../../../../server/telemetry/metrics.ts";
import { parseMetrics } from "../../../../server/telemetry/status/samples.ts";
import { taken, uploaderOfTest } from "./uploader-of-test.ts";

const batch: Batch = { category: "metric", body: Buffer.from("cpu,host=a load=1 1700000000000000000"), points: 1 };
const plain = { gzip: false, spareTime: { isLeft: true } } as const;

/** Returns the values of a metric's samples. The key of a sample is its label values, joined by spaces. */
async function samplesOf(metrics: ReturnType<typeof createMetrics>, name: string): Promise<Record<string, number>> {
  const samples = parseMetrics(await metrics.registry.metrics()).filter((each) => each.name === name);
  return Object.fromEntries(samples.map(({ labels, value }) => [Object.values(labels).join(" "), value]));
}

it("counts active and waiting uploads of all queues of a category together", async () => {
  let goOn = () => {};
  const held = new Promise<GatewayAnswer>((resolve) => {
    goOn = () => resolve(taken);
  });
  const metrics = createMetrics();
  // At most two uploads of a queue run at once. So the third upload of each queue waits until one of the first two is
  // answered.
  const options = { ...plain, metrics, maxBodyBytes: 10 };
  const all = [await uploaderOfTest(options, () => held), await uploaderOfTest(options, () => held)];
  for (const { output, calls } of all) {
    for (let count = 0; count < 3; count++) await output.put([batch]);
    await expect.poll(() => calls.length).toBe(2);
  }
  const gauges = async () => {
    showQueues(
      metrics,
      all.flatMap(({ output }) => output.queues()),
    );
    const names = ["chan_usage", "gateway_wal_mem_len", "chan_capacity", "flush_workers"];
    return await Promise.all(names.map((name) => samplesOf(metrics, `agent_io_${name}`)));
  };
  expect(await gauges()).toEqual([{ metric: 4 }, { metric: 2 }, { "all-the-same": 8 }, { metric: 2 }]);
  expect(await samplesOf(metrics, "agent_diskcache_capacity")).toEqual({ metric: 2 * 64 * 1024 * 1024 });
  goOn();
  await expect.poll(gauges).toEqual([{ metric: 0 }, { metric: 0 }, { "all-the-same": 8 }, { metric: 2 }]);
});

it("counts points that a full queue refuses or deletes as dropped", async () => {
  const body = Buffer.alloc(1000, "x");
  const counts = async (full: "refuse" | "drop-oldest") => {
    const metrics = createMetrics();
    const away = { ...taken, status: "timeout" };
    const { output } = await uploaderOfTest({ ...plain, metrics, full, queueBytes: 4000 }, async () => away);
    let refused = 0;
    for (let at = 0; at < 8; at++) {
      await output.put([{ ...batch, body }]).catch(() => refused++);
    }
    const { "M D": kept, "M drop": dropped } = await samplesOf(metrics, "agent_io_wal_point_total");
    return { refused, kept, dropped };
  };
  const { refused, kept, dropped } = await counts("refuse");
  expect(refused).toBeGreaterThan(0);
  expect([kept, dropped]).toEqual([8 - refused, refused]);
  const oldest = await counts("drop-oldest");
  expect([oldest.refused, oldest.kept]).toEqual([0, 8]);
  expect(oldest.dropped).toBeGreaterThan(0);
});

it("distinguishes uploads read back from disk from those still in memory", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-upload-metrics-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const before = createMetrics();
  let status: GatewayAnswer["status"] = 200;
  const first = await uploaderOfTest({ ...plain, metrics: before, folder }, async () => ({ ...taken, status }));
  const uploads = async () => await samplesOf(before, "agent_io_gateway_wal_flush_count");
  // A queue keeps new records in memory only after it was read for the first time. So the uploader reads the first
  // record from the file.
  await first.output.put([batch]);
  await expect.poll(() => first.calls.length).toBe(1);
  const once = { "metric F M": 0, ...(await uploads()) };
  status = "timeout";
  await first.output.put([batch]);
  await expect.poll(() => first.calls.length).toBeGreaterThan(1);
  await first.output.close();
  expect(await uploads()).toEqual({ ...once, "metric F M": once["metric F M"] + 1 });

  const metrics = createMetrics();
  const { calls } = await uploaderOfTest({ ...plain, metrics, folder });
  await expect.poll(() => calls.length).toBe(1);
  expect(await samplesOf(metrics, "agent_io_gateway_wal_flush_sum")).toEqual({ "metric F D": batch.body.length });
  const read = await samplesOf(metrics, "agent_diskcache_get_bytes_sum");
  expect(read.metric).toBeGreaterThan(batch.body.length);
  expect(Object.keys(await samplesOf(metrics, "agent_diskcache_get_latency_count"))).toEqual(["metric"]);
});
