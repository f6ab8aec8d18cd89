// Tests the fast path of small writes, which the main thread handles without a worker thread. The answers and
// batches of this path must equal those of the general path.

import "../../../../same-seed.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileDropRules } from "../../../../../lib/filter/drop-rules.ts";
import { MemoryError } from "../../../../../lib/wasm/memory-error.ts";
import { createEngine } from "../../../../../server/agent/create-engine.ts";
import { compileWasm } from "../../../../../server/agent/engine.ts";
import { answerWrite } from "../../../../../server/agent/ingest/answer-write.ts";
import { createSmallWrites } from "../../../../../server/agent/ingest/fast-path/small-writes.ts";
import type { WriteLimits } from "../../../../../server/agent/ingest/job.ts";
import type { WriteAnswer, WriteJob } from "../../../../../server/agent/ingest/write-job.ts";
import { limited, wasmBytes } from "../../../../lib/wasm/load.ts";
import { plainJob } from "../plain-job.ts";

const wasm = compileWasm();
const engine = await createEngine(wasm, { maxSteps: 0 });
const limits: WriteLimits = {
  maxStepsPerWrite: 0,
  requestsMs: 1000,
  rum: { rules: { appIds: [], checkPoints: true }, sourceMaps: undefined },
};
const small = createSmallWrites(wasm, limits);
const noRules = compileDropRules({}, { strictTypes: true });

const metricJob: Omit<WriteJob, "body"> = {
  ...plainJob,
  category: "metric",
  globalTags: [["host", "here"]],
  batchBytes: 1024 * 1024,
};

const shown = (answer: WriteAnswer): unknown =>
  answer.ok
    ? {
        ...answer,
        batches: answer.batches.map((batch) => ({ ...batch, body: Buffer.from(batch.body).toString("latin1") })),
      }
    : answer;

async function bothWays(body: string, its: Partial<WriteJob> = {}): Promise<[unknown, unknown]> {
  const job: WriteJob = { ...metricJob, body: Buffer.from(body), ...its };
  expect(small.takes(job, {})).toBe(true);
  return [shown(await small.run(job)), shown(await answerWrite(engine, noRules, job, limits))];
}

const cases: readonly (readonly [name: string, body: string, its?: Partial<WriteJob>])[] = [
  ["a point", "m f=1i 1700000000000000001\n"],
  ["points with and without a global tag", "m,host=x f=1\nm f=2\n\nm,host=y f=3"],
  ["no line", "# nothing\n"],
  ["a fault", "m f=1\nm f=\n"],
  ["a fault in the last of three", 'm f=1\nm f=2\nm,t= f="x"'],
  ["a text without end", 'm f="a\n'],
  ["a point that loses all its fields", 'm s="text"\n', { category: "metric" }],
  ["points that fill more than one batch", "m f=1 1\nm f=2 2\nm f=3 3", { batchBytes: 25 }],
  ["a point larger than a batch", "m f=1 1\nm,tag=abcdefghijklmnop f=2 2\nm f=3 3", { batchBytes: 30 }],
  ["global tags that make chunks of it", "m f=1\n".repeat(2700), { globalTags: [["t", "x".repeat(200)]] }],
  ["JSON", '[{"measurement":"m","fields":{"f":1}}]', { form: "json" }],
  ["JSON with a fault", '[{"measurement":"m","fields":{"f":1}},{"fields":{}}]', { form: "json" }],
  ["an empty list in JSON", "[]", { form: "json" }],
  ["protobuf that is none", "\u0001\u0002", { form: "pb" }],
  ["strict", "m,a=1,a=2 f=1", { strict: true }],
  ["an echo", "m f=1 1", { echo: "json" }],
  ["a dry run", "m f=1 1", { dry: true }],
  ["shard keys", "m,a=1 f=1 1\nm,a=2 f=1 1", { shardKeys: ["a"] }],
  ["early tags", "m f=1 1", { earlyTags: [["ip", "1.2.3.4"]] }],
  ["precision", "m f=1 17", { precision: "s" }],
];

describe("small writes", () => {
  for (const [name, body, its] of cases) {
    it(`get the same answer from the fast path and the normal path: ${name}`, async () => {
      const [here, there] = await bothWays(body, its);
      expect(here).toEqual(there);
    });
  }

  it("get the same answer from the fast path and the normal path for arbitrary bytes", async () => {
    const piece = fc.constantFrom(
      "m",
      ",t=a",
      " ",
      "f=1",
      "f=2i",
      'g="x y"',
      ",",
      "\n",
      "\\",
      '"',
      "=",
      "#",
      "1700000000",
      "é",
      "\r",
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 25 }),
        fc.constantFrom("metric", "logging", "object"),
        async (parts, category) => {
          const [here, there] = await bothWays(parts.join(""), { category: category as WriteJob["category"] });
          expect(here).toEqual(there);
        },
      ),
      { numRuns: 400 },
    );
  });

  it("return a small batch in memory that the next write overwrites", async () => {
    await small.run({ ...metricJob, body: Buffer.from("m f=1") });
    const run = (body: string) =>
      small.run({ ...metricJob, precision: "n", globalTags: [], body: Buffer.from(body) }) as WriteAnswer;
    const bodyOf = (answer: WriteAnswer) => (answer.ok ? answer.batches[0]!.body : undefined)!;
    const first = bodyOf(run("m f=1i 1"));
    expect(Buffer.from(first).toString()).toBe("m f=1i 1");
    const second = bodyOf(run("m f=2i 2"));
    expect([first, second].map((body) => Buffer.from(body).toString())).toEqual(["m f=2i 2", "m f=2i 2"]);
  });

  it("exclude writes that need a worker thread: with a script, zstd, RUM, a filter or a large body", () => {
    const job: WriteJob = { ...metricJob, body: Buffer.from("m f=1") };
    expect(small.takes({ ...job, script: "a.p" }, {})).toBe(false);
    expect(small.takes({ ...job, encoding: "zstd" }, {})).toBe(false);
    expect(small.takes({ ...job, category: "rum" }, {})).toBe(false);
    expect(small.takes({ ...job, body: Buffer.alloc(17_000) }, {})).toBe(false);
    expect(small.takes(job, { metric: ["{ f = 1 }"] })).toBe(false);
  });

  it("may be up to 1 MiB long while no other write waits", () => {
    const taken = (length: number, isAlone: boolean, its: Partial<WriteJob> = {}) =>
      small.takes({ ...metricJob, body: Buffer.alloc(length), ...its }, {}, isAlone);
    const mebibyte = 1024 * 1024;
    expect([false, true].map((isAlone) => taken(mebibyte, isAlone))).toEqual([false, true]);
    expect([false, true].map((isAlone) => taken(128 * 1024, isAlone, { form: "json" }))).toEqual([false, true]);
    expect(taken(mebibyte + 1, true)).toBe(false);
    expect(taken(mebibyte, true, { script: "a.p" })).toBe(false);
  });

  it("need no extra memory when 200 of them arrive at once", async () => {
    const scarce = createSmallWrites(new WebAssembly.Module(limited(new Uint8Array(await wasmBytes()), 25)), limits);
    const job: WriteJob = { ...metricJob, body: Buffer.from("m f=1i 1"), globalTags: [], strict: true };
    const answers = await Promise.all(Array.from({ length: 200 }, () => scarce.run(job)));
    expect(answers.filter(({ ok }) => ok)).toHaveLength(200);
  });

  it("fail with a memory error when the memory is used up, and the next write succeeds", async () => {
    const scarce = createSmallWrites(new WebAssembly.Module(limited(new Uint8Array(await wasmBytes()), 25)), limits);
    const run = async (body: string): Promise<WriteAnswer> =>
      await scarce.run({ ...metricJob, body: Buffer.from(body), globalTags: [] });
    const large = `m ${Array.from({ length: 2700 }, (_, at) => `${at.toString(36)}=1`).join(",")}\n`;
    for (let turn = 0; turn < 3; turn++) {
      expect(await run("m f=1i 1")).toMatchObject({ ok: true, points: 1 });
      await expect(run(large)).rejects.toThrow(MemoryError);
    }
    expect(await run("m f=1i 1")).toMatchObject({ ok: true, points: 1 });
  });
});
