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
