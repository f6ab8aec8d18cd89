// Tests a write that is processed in windows. The WebAssembly module returns points in a binary form, the tape;
// a window is the tape of a part of the body. The answer and the output must be the same as when the agent
// processes the whole body at once. Memory must stay bounded even for bodies with very many short points.

import { gunzipSync } from "node:zlib";
import "../../../same-seed.ts";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { compileDropRules } from "../../../../lib/filter/drop-rules.ts";
import { createMillrace } from "../../../../lib/index.ts";
import type { CategoryName } from "../../../../lib/point/category.ts";
import { createEngine } from "../../../../server/agent/create-engine.ts";
import { compileWasm, type Engine } from "../../../../server/agent/engine.ts";
import { answerWrite } from "../../../../server/agent/ingest/answer-write.ts";
import type { WriteLimits } from "../../../../server/agent/ingest/job.ts";
import type { WriteAnswer, WriteJob } from "../../../../server/agent/ingest/write-job.ts";
import { plainJob } from "./plain-job.ts";

const wasm = compileWasm();
// The clock is fixed, because points that scripts create get the current time.
beforeAll(() => void vi.useFakeTimers({ now: 1_700_000_000_000, toFake: ["Date"] }));
afterAll(() => void vi.useRealTimers());
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

const scripts = {
  "edit.p": `if f == 1 { drop() }
add_key("x.y", f)
if f == 3 { create_point("made", {}, {"n": 1}, category="metric") }
if f == 4 { create_point("other", {}, {"n": 2.5}) }
if f == 5 {
  zero = f - 5
  nothing = 1 / zero
}`,
  "count.p": `n = cache_get("n")
if n == nil { n = 0 }
n = n + 1
cache_set("n", n, 30)
add_key(n)`,
  "loop.p": "for i = 0; i < 20; i = i + 1 { add_key(i) }",
  "wait.p": `r = http_request("GET", "http://localhost:9/")
add_key(n, f)`,
};

const limits: WriteLimits = {
  maxStepsPerWrite: 0,
  requestsMs: 1000,
  rum: { rules: { appIds: [], checkPoints: true }, sourceMaps: undefined },
};

const rules = compileDropRules({ logging: ["{ f = 7 }"], metric: ["{ n = 9 }"] }, { strictTypes: false });

/** Makes an engine for one run. Runs do not share an engine, because scripts keep state. */
async function engineOf(windowEntries?: number): Promise<Engine> {
  const engine = await createEngine(wasm, { maxSteps: 0, ...(windowEntries === undefined ? {} : { windowEntries }) });
  const { errors } = engine.load("logging", scripts);
  expect([...errors]).toEqual([]);
  return engine;
}

/** Returns the answer without its durations, which differ from run to run. */
function shown(answer: WriteAnswer): unknown {
  if (!answer.ok) return answer;
  return {
    ...answer,
    echo: answer.echo === undefined ? undefined : textOf(answer.echo),
    batches: answer.batches.map((batch) => ({ ...batch, body: textOf(batch.body) })),
    runs: answer.runs.map((each) => ({ ...each, seconds: 0 })),
    filtered: answer.filtered.map((each) => ({ ...each, seconds: 0 })),
  };
}

const line = fc.oneof(
  { weight: 40, arbitrary: fc.nat(8).map((n) => `m,host=h${n % 3} f=${n}i,status="ok"`) },
  { weight: 4, arbitrary: fc.constantFrom("m f=1", "m,a.b=1 g=2", 'm s="two\nlines",status="x"', "# note", "") },
  { weight: 1, arbitrary: fc.constantFrom("bad", "m f=x", 'm,t=1 f="a') },
);
const point = fc.oneof(
  {
    weight: 40,
    arbitrary: fc.nat(8).map((n) => `{"measurement":"m","tags":{"host":"h${n % 3}"},"fields":{"f":${n}}}`),
  },
  { weight: 4, arbitrary: fc.constantFrom("{}", '{"name":"p","fields":[{"key":"a.b","i":"7"}]}') },
  { weight: 1, arbitrary: fc.constantFrom("null", "{,}", '{"measurement":"m","fields":{"a":1},"time":"x"}') },
);
const body = fc.oneof(
  fc.array(line, { maxLength: 30 }).map((lines) => ["lp", lines.join("\n")] as const),
  fc.array(point, { maxLength: 30 }).map((list) => ["json", `[${list.join(",")}]`] as const),
);
const settings = fc.record({
  category: fc.constantFrom<CategoryName>("logging", "logging", "metric", "rum"),
  script: fc.constantFrom(undefined, ...Object.keys(scripts)),
  strict: fc.constantFrom(false, false, true),
  dry: fc.constantFrom(false, false, false, true),
  echo: fc.constantFrom(undefined, "lp", "json", "pbjson"),
  batchBytes: fc.constantFrom(0, 60, 90, 400),
  shardKeys: fc.constantFrom(undefined, ["host"], ["host", "x"]),
  globalTags: fc.constantFrom<[string, string][]>([], [["zone", "z"]]),
  earlyTags: fc.constantFrom<[string, string][]>([], [["ip", "::1"]]),
  maxStepsPerWrite: fc.constantFrom(0, 0, 30),
} as const);

describe("a write that is processed in windows", () => {
  it("gets the same answer and batches as the whole body, for any window size", async () => {
    await fc.assert(
      fc.asyncProperty(body, settings, fc.integer({ min: 1, max: 25 }), async ([form, text], its, entries) => {
        const { maxStepsPerWrite, ...asked } = its;
        const job: WriteJob = { ...plainJob, ...asked, form, body: utf8(text) } as WriteJob;
        const answerOf = async (engine: Engine) =>
          shown(await answerWrite(engine, rules, job, { ...limits, maxStepsPerWrite }));
        const whole = await answerOf(await engineOf(1e9));
        expect(await answerOf(await engineOf(entries))).toEqual(whole);
      }),
      { numRuns: 150 },
    );
  });

  it("is refused as a whole before its script runs when the body is malformed", async () => {
    const engine = await engineOf(8);
    const job = { ...plainJob, script: "count.p" };
    const good = "m f=1i\n".repeat(40);
    const refused = await answerWrite(engine, rules, { ...job, body: utf8(`${good}bad`) }, limits);
    expect(refused).toMatchObject({ ok: false, code: "agent.invalidLinePoint" });
    expect((refused as { message: string }).message).toContain("with 40 point parse ok, 1 points failed");
    const strict = await answerWrite(engine, rules, { ...job, strict: true, body: utf8(`${good}m a.b=1i`) }, limits);
    expect(strict).toMatchObject({ ok: false, code: "agent.pointGotWarning" });
    const answer = await answerWrite(engine, rules, { ...job, body: utf8("m,a=1 f=2i 1") }, limits);
    expect(answer.ok && textOf(answer.batches[0]!.body)).toContain("n=1i");
  });

  it("is cut into batches of at most the batch size, with each point in exactly one batch", async () => {
    const lines = Array.from({ length: 500 }, (_, at) => `m f=${at}i ${1700000000000000000n + BigInt(at)}`);
    for (const batchBytes of [30, 31, 100, 1000]) {
      const answer = await answerWrite(
        await engineOf(64),
        compileDropRules({}, {}),
        { ...plainJob, category: "metric", batchBytes, body: utf8(lines.join("\n")) },
        limits,
      );
      if (!answer.ok) throw new Error(answer.message);
      for (const { body } of answer.batches) expect(body.length).toBeLessThanOrEqual(batchBytes);
      const left = answer.batches.flatMap(({ body }) => textOf(body).split("\n"));
      expect(left).toEqual(lines.filter((each) => each.length <= batchBytes));
      expect(answer.skipped).toBe(lines.length - left.length);
      expect(answer.batches.reduce((sum, { points }) => sum + points, 0)).toBe(left.length);
    }
  });
});

describe("memory of a write of 64 MB of the densest lines", () => {
  const megabyte = 2 ** 20;
  const dense = utf8("m f=1\n".repeat((64 * megabyte) / 6));

  it.each([true, false])(
    "stays under three times the body size when every large batch is compressed: %s",
    async (compressesLarge) => {
      let most = 0;
      const mill = await createMillrace({ wasm });
      const engine = await engineOf();
      // The methods that make windows and batches are wrapped, so that the test can count windows and batches.
      const counted: Engine = {
        ...engine,
        windows: (bytes, { category, form, precision, now, strict }) =>
          mill.decodeInWindows(bytes, { category, form, precision, now, strict }),
        batcher: (form, options) => {
          const batcher = mill.batcher(form, options);
          return {
            add: (points) => batcher.add(points),
            end: () => batcher.end(),
            each: (points, take) => {
              batcher.each(points, take);
              most = Math.max(most, mill.memory().size);
            },
            get ignored() {
              return batcher.ignored;
            },
            get unwritable() {
              return batcher.unwritable;
            },
          };
        },
      };
      const job = { ...plainJob, category: "metric" as const, batchBytes: megabyte, compressesLarge, body: dense };
      const answer = await answerWrite(counted, compileDropRules({}, {}), job, limits);
      if (!answer.ok) throw new Error(answer.message);
      expect(answer.points).toBe(Math.floor((64 * megabyte) / 6));
      const kept = answer.batches.reduce((sum, { body }) => sum + body.buffer.byteLength, 0);
      // The linear memory of WebAssembly never shrinks. So its size at the end is also the largest size that it had.
      expect(most).toBe(mill.memory().size);
      expect(most).toBeLessThan(dense.length + 16 * megabyte);
      expect(dense.length + most + kept).toBeLessThan(3 * dense.length);
      const last = answer.batches.at(-1)!;
      expect(textOf(last.gzip === true ? gunzipSync(last.body) : last.body)).toMatch(
        /^(m f=1 1700000000000000000\n?)+$/,
      );
    },
  );
});
