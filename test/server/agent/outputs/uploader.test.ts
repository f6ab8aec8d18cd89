// The uploader sends queued points to the gateway. The tests check which uploads it compresses, depending on the
// setting and on free processor time, and when it reports its queue as full.

import { randomBytes } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, expect, it, vi } from "vitest";
import type { Batch } from "../../../../server/agent/outputs/batch.ts";
import type { GatewayAnswer } from "../../../../server/agent/outputs/gateways.ts";
import type { UploaderOptions } from "../../../../server/agent/outputs/uploader.ts";
import { taken, uploaderOfTest } from "./uploader-of-test.ts";

const line = "cpu,host=a load=1 1700000000000000000";
const batch: Batch = { category: "metric", body: Buffer.from(line), points: 1 };
afterEach(() => void vi.useRealTimers());

const spare = { isLeft: true };
const none = { isLeft: false };

it.each<[string, UploaderOptions["gzip"], { readonly isLeft: boolean }, boolean]>([
  ["unset, with time to spare", "unset", spare, true],
  ["unset, with none", "unset", none, false],
  ["true, with none", true, none, true],
  ["false, with time to spare", false, spare, false],
])("compresses uploads only as the setting allows: gzip %s", async (_name, gzip, spareTime, isCompressed) => {
  const { output, calls } = await uploaderOfTest({ gzip, spareTime });
  expect(output.wantsCompressed).toBe(isCompressed);
  await output.put([batch]);
  await expect.poll(() => calls.length).toBe(1);
  const { headers, body } = calls[0]!;
  expect(headers!["content-encoding"]).toBe(isCompressed ? "gzip" : undefined);
  expect((isCompressed ? gunzipSync(body!) : Buffer.from(body!)).toString()).toBe(line);
});

it("copies small bodies before put returns, also the first body of a category", async () => {
  const { output, calls } = await uploaderOfTest({ gzip: false, spareTime: spare });
  const lent = Buffer.from("a load=1 1");
  const put = (name: string) => {
    lent.write(name);
    return output.put([{ category: "metric", body: lent, points: 1 }]);
  };
  await Promise.all(["a", "b"].map(put));
  await Promise.all(["c", "d", "e"].map(put));
  await expect
    .poll(() => calls.flatMap(({ body }) => Buffer.from(body!).toString().split("\n")).join(" "))
    .toBe(["a", "b", "c", "d", "e"].map((name) => `${name} load=1 1`).join(" "));
});

it("uploads long batches alone and shorter ones together", async () => {
  const { output, calls } = await uploaderOfTest({
    gzip: false,
    spareTime: spare,
    enoughPoints: 1000,
    maxAgeMs: 50,
  });
  const lengths = [262_144, 262_144, 262_143, 100_000, 300_000];
  await output.put(lengths.map((length) => ({ ...batch, body: Buffer.alloc(length, line) })));
  await expect.poll(() => calls.map(({ body }) => body!.length)).toEqual([262_144, 262_144, 362_144, 300_000]);
});

it("uploads a body in its compressed form while there is no spare time", async () => {
  const { output, calls } = await uploaderOfTest({ gzip: "unset", spareTime: none });
  const body = gzipSync(line);
  await output.put([{ ...batch, body, gzip: true }]);
  await expect.poll(() => calls.length).toBe(1);
  expect(calls[0]!.headers!["content-encoding"]).toBe("gzip");
  expect(Buffer.from(calls[0]!.body!).equals(body)).toBe(true);
});

it("compresses uploads that are more than two seconds late, until they have caught up", async () => {
  const began = 1_700_000_000_000;
  vi.useFakeTimers({ now: began, toFake: ["Date"] });
  let goOn = () => {};
  const held = new Promise<GatewayAnswer>((resolve) => {
    goOn = () => resolve(taken);
  });
  const { output, calls } = await uploaderOfTest({ gzip: "unset", spareTime: none }, () => held);
  await output.put([batch]);
  await expect.poll(() => calls.length).toBe(1);
  vi.setSystemTime(began + 2_000);
  expect(output.wantsCompressed).toBe(false);
  vi.setSystemTime(began + 2_001);
  expect(output.wantsCompressed).toBe(true);
  await output.put([batch]);
  await expect.poll(() => calls.length).toBe(2);
  expect(calls.map(({ headers }) => headers!["content-encoding"])).toEqual([undefined, "gzip"]);
  goOn();
  await expect.poll(() => output.wantsCompressed).toBe(false);
});

it("reports a small queue as full only after it refused a batch, until all batches are sent", async () => {
  let status = 500;
  const answer = () => Promise.resolve({ ...taken, status });
  const { output } = await uploaderOfTest({ gzip: true, spareTime: spare, queueBytes: 1024 * 1024 }, answer);
  // Random text, which compression cannot shrink much, so that few writes fill the queue.
  const body = Buffer.from(`l message="${randomBytes(150_000).toString("base64")}" 1`);
  const put = () => output.put([{ category: "logging", body, points: 1 }]);
  await put();
  expect(output.problems()).toEqual([]);
  const puts = await Promise.allSettled(Array.from({ length: 8 }, put));
  expect(puts.at(-1)).toMatchObject({ status: "rejected", reason: { code: "agent.queueFull" } });
  expect(output.problems()).toEqual([expect.stringMatching(/^the queue of logging is full \(\d+ bytes\)$/)]);
  status = 200;
  await expect.poll(() => output.problems()).toEqual([]);
  await put();
});

const sent: GatewayAnswer = { ...taken, isSent: true };

it.each<[string, Partial<UploaderOptions>, number, readonly GatewayAnswer[], number, number]>([
  ["the only gateway took it", {}, 1, [sent], 50_000, 0],
  ["the only gateway took a compressed copy", { gzip: true }, 1, [sent], 50_000, 0],
  ["the first of two gateways took it", {}, 2, [sent], 50_000, 0],
  ["it is small", {}, 1, [sent], 20_000, 20_000],
  ["the answer came before the body was sent", {}, 1, [taken], 50_000, 50_000],
  ["both of two gateways took it", { mode: "all" }, 2, [sent, sent], 50_000, 50_000],
  ["an earlier request to the same gateway failed", {}, 1, [{ ...sent, status: 500 }, sent], 50_000, 50_000],
  ["an earlier request to another gateway failed", {}, 2, [{ ...sent, status: 500 }, sent], 50_000, 50_000],
])("frees the memory of a batch only when nothing uses it any more: %s", async (...row) => {
  const [, more, gatewayCount, given, length, left] = row;
  const answers: GatewayAnswer[] = [];
  const options = { gzip: false, spareTime: spare, ...more };
  const answer = () => Promise.resolve(answers.shift() ?? sent);
  const { output, calls } = await uploaderOfTest(options, answer, gatewayCount);
  const whenSent = (count: number) =>
    expect
      .poll(() => [calls.length, ...output.queues().flatMap(({ gateways }) => gateways.map(({ points }) => points))])
      .toEqual([count, ...output.queues().flatMap(({ gateways }) => gateways.map(() => 0))]);
  // The uploader reads the first batch of a queue from its file, and keeps only later batches in memory.
  await output.put([batch]);
  const first = options.mode === "all" ? gatewayCount : 1;
  await whenSent(first);
  answers.push(...given);
  const body = new Uint8Array(length).fill(0x61);
  await output.put([{ ...batch, body }]);
  await whenSent(first + given.length);
  expect(body.buffer.byteLength).toBe(left);
});

it("never frees the memory of a body that passes through unchanged", async () => {
  const { output, calls } = await uploaderOfTest({ gzip: false, spareTime: spare }, () => Promise.resolve(sent));
  const bodies = [1, 2].map(() => new Uint8Array(50_000).fill(0x61));
  for (const [at, body] of bodies.entries()) {
    await output.putPassThrough!("rum_replay", { body, contentType: "", contentEncoding: "", globalTags: undefined });
    await expect.poll(() => calls.length).toBe(at + 1);
  }
  await output.close();
  expect(bodies.map(({ length }) => length)).toEqual([50_000, 50_000]);
});
