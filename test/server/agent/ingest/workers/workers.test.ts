// The worker threads of an agent: their default number, and when they are ready.

import { expect, it, onTestFinished, vi } from "vitest";
import { compileWasm } from "../../../../../server/agent/engine.ts";
import { CompiledScripts } from "../../../../../server/agent/ingest/workers/compiled-scripts.ts";
import { usualCount } from "../../../../../server/agent/ingest/workers/workers.ts";
import type { WriteJob } from "../../../../../server/agent/ingest/write-job.ts";
import { anyScript } from "../../../../../server/agent/ingest/write-request.ts";
import type { LocalScripts, ScriptLayers } from "../../../../../server/agent/scripts/script-sources.ts";
import { createLog } from "../../../../../server/telemetry/log.ts";
import { createMetrics } from "../../../../../server/telemetry/metrics.ts";
import { plainJob } from "../plain-job.ts";

// Imports the compiled JavaScript, because the worker threads start from files beside it.
const built = new URL("../../../../../dist/server/agent/ingest/workers/workers.js", import.meta.url).href;
const { startWorkers } = (await import(
  /* @vite-ignore */ built
)) as typeof import("../../../../../server/agent/ingest/workers/workers.ts");

it("the number of workers leaves a core to the main thread on machines with more than two cores", () => {
  expect([1, 2, 3, 4, 16].map(usualCount)).toEqual([1, 2, 2, 3, 15]);
});

const nothing: LocalScripts = { scripts: {}, helpers: {}, patterns: {} };

const layers = (texts: Readonly<Record<string, string>>): ScriptLayers => ({
  remote: {},
  default: { logging: texts },
  helpers: {},
  patterns: {},
});

function start(count: number, scripts: ScriptLayers) {
  const workers = startWorkers({
    wasm: compileWasm(),
    count,
    inPlaceBytes: { lp: 0, pb: 0, json: 0, pbjson: 0 },
    mostWaiting: 2,
    maxSteps: 0,
    maxStepsPerWrite: 0,
    maxBytes: 0,
    requestsMs: 1000,
    scripts,
    matching: { related: {}, defaults: {} },
    filters: {},
    strictTypes: false,
    environment: { geoip: undefined, requests: undefined, ecsPatterns: false },
    aggregating: { hostTags: [], batchBytes: 0, shardKeys: undefined },
    rum: { appIds: [], checkPoints: false, sourceMaps: undefined },
    spareTime: { noteWrite: () => {} },
    showErrors: () => ({ added: [], gone: [] }),
    log: createLog("error", () => {}),
    metrics: createMetrics(),
    onAggregated: () => {},
  });
  onTestFinished(() => workers.close());
  return workers;
}

const job = (script: string, body: string): WriteJob => ({ ...plainJob, body: Buffer.from(body), script });

it("workers become ready with the latest scripts although the scripts change while they compile", async () => {
  const workers = start(1, layers({ "a.p": "" }));
  const before = workers.ready();
  workers.set("scripts", layers({ "a.p": 'add_key(a, "1")' }));
  workers.set("scripts", layers({ "a.p": 'add_key(a, "2")' }));
  await workers.ready();
  await before;
});

it("a worker that starts later applies the current scripts and filters like the first one", async () => {
  const workers = start(2, layers({}));
  const scripts = { "a.p": 'add_key(a, "2")\nif gone == "yes" { drop() }', "forever.p": "for ;; {}" };
  const { failed, ...settled } = await workers.chooseVersions({
    files: { logging: scripts },
    patterns: {},
    before: nothing,
  });
  expect(failed).toEqual([]);
  workers.set("scripts", { remote: {}, default: settled.scripts, helpers: settled.helpers, patterns: {} });
  workers.set("filters", { logging: ["{ filtered = 'yes' }"] });
  await workers.ready();
  const ended = new AbortController();
  // Only one worker thread has started. It is busy with this job, an endless script, until the test ends the job.
  const forever = Promise.resolve(workers.run(job("forever.p", "m v=1i 1"), ended));
  const body = "m v=1i 1\nm,filtered=yes v=2i 2\nm,gone=yes v=3i 3\nm v=4i 4";
  const answer = await workers.run(job("a.p", body), new AbortController());
  if (!answer.ok) throw new Error(answer.message);
  const lines = answer.batches.map((batch) => Buffer.from(batch.body).toString()).join("");
  expect(lines.match(/a="2"|v=\di/g)).toEqual(['a="2"', "v=1i", 'a="2"', "v=4i"]);
  ended.abort();
  await expect(forever).rejects.toThrow();
});

it("workers treat every script as stateful until they have compiled it", () => {
  const compiled = new CompiledScripts({
    showErrors: () => ({ added: [], gone: [] }),
    log: createLog("error", () => {}),
    metrics: createMetrics(),
  });
  const keptBy = () =>
    [job("a.p", ""), job("b.p", ""), job(anyScript, ""), { ...plainJob, body: Buffer.alloc(0) }].map((each) =>
      compiled.keepsState(each),
    );
  expect(keptBy()).toEqual([true, true, true, false]);
  const stateful = [{ category: plainJob.category, name: "b.p", namespace: "default" as const }];
  compiled.take({ kind: "scripts", generation: 0, failed: [], stateful }, layers({ "a.p": "", "b.p": "" }));
  expect(keptBy()).toEqual([false, true, true, false]);
  compiled.generation++;
  expect(keptBy()).toEqual([true, true, true, false]);
});

it("drain waits only for the workers that have started", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const workers = start(3, layers({}));
  await workers.ready();
  // `drain` waits until each worker thread has reported that it is done. It must return even when one of them never
  // sends this report, and when timers never fire.
  await workers.drain();
});

it("workers process bodies beyond 16 MiB one after the other, since their memory never shrinks", async () => {
  const workers = start(2, layers({ "a.p": "", "forever.p": "for ;; {}" }));
  await workers.ready();
  const large = `m v=1i 1\n#${" ".repeat(17 * 1024 * 1024)}`;
  const ended = new AbortController();
  const forever = Promise.resolve(workers.run(job("forever.p", large), ended));
  const answers: string[] = [];
  const note = async (name: string, body: string) => {
    const answer = await workers.run(job("a.p", body), new AbortController());
    answers.push(`${name} ${answer.ok}`);
  };
  const second = note("large", large);
  await note("small", "m v=1i 1");
  await note("small", "m v=1i 1");
  expect(answers).toEqual(["small true", "small true"]);
  ended.abort();
  await expect(forever).rejects.toThrow();
  await second;
  expect(answers).toEqual(["small true", "small true", "large true"]);
});
