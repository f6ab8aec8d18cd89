// One worker thread of the write path. It answers every job; a job it dies under is answered by the pool.

import { parentPort, workerData } from "node:worker_threads";
import type { CategoryName } from "../../lib/point/category.ts";
import { ReferTables } from "../../lib/refer-table/tables.ts";
import { decompressZstd, ZstdTooLarge } from "../http/zstd.ts";
import { type Aggregated, createEngine, type Engine, PointError, plErrorText } from "./engine.ts";
import type {
  Batch,
  FromWorker,
  ScriptReport,
  ScriptSources,
  ToWorker,
  WorkerSetup,
  WriteAnswer,
  WriteJob,
} from "./protocol.ts";
import { encodeAggregated, processWrite } from "./write-job.ts";

const port = parentPort!;
const setup = workerData as WorkerSetup;

let tables = setup.tables === null ? null : new ReferTables(setup.tables);

const engine: Promise<Engine> = createEngine(setup.wasm, {
  maxSteps: setup.maxSteps,
  surroundings: setup.surroundings,
  tables: () => tables,
}).then((made) => {
  say(load(made, setup.scripts));
  return made;
});

/** How often aggregations are asked whether a period has ended. */
const lookMs = 1000;

setInterval(async () => {
  const ready = await engine;
  give(ready, ready.takeAggregated());
  reportState(ready);
}, lookMs).unref();

port.on("message", async (message: ToWorker) => {
  const ready = await engine;
  switch (message.kind) {
    case "scripts":
      return say(load(ready, message.scripts));
    case "tables":
      tables = new ReferTables(message.tables);
      return;
    case "close":
      give(ready, ready.takeAggregated(true));
      return say({ kind: "closed" });
    case "job":
      say({ kind: "answer", answer: await write(ready, message.job) });
      give(ready, ready.takeAggregated());
  }
});

function say(message: FromWorker): void {
  port.postMessage(
    message,
    batchesOf(message).map((batch) => batch.body.buffer as ArrayBuffer),
  );
}

function batchesOf(message: FromWorker): readonly Batch[] {
  if (message.kind === "aggregated") return message.buckets.flatMap(({ batches }) => batches);
  return message.kind === "answer" && message.answer.ok ? message.answer.batches : [];
}

function give(ready: Engine, aggregated: readonly Aggregated[]): void {
  if (aggregated.length === 0) return;
  say({ kind: "aggregated", buckets: encodeAggregated(ready, aggregated, setup.hostTags, setup.batchBytes) });
}

let lastState = "[]";

function reportState(ready: Engine): void {
  const scripts = ready.state();
  const text = JSON.stringify(scripts);
  if (text === lastState) return;
  lastState = text;
  say({ kind: "state", scripts });
}

function load(ready: Engine, scripts: ScriptSources): ScriptReport {
  const failed: ScriptReport["failed"][number][] = [];
  const stateful: ScriptReport["stateful"][number][] = [];
  for (const [category, sources] of Object.entries(scripts) as [CategoryName, Record<string, string>][]) {
    const { errors, aggregated } = ready.load(category, sources);
    give(ready, aggregated);
    for (const [name, error] of errors) failed.push({ category, name, error: plErrorText(error) });
    for (const name of Object.keys(sources))
      if (ready.script(category, name)?.isStateful === true) stateful.push({ category, name });
  }
  return { kind: "scripts", failed, stateful };
}

async function write(ready: Engine, job: WriteJob): Promise<WriteAnswer> {
  let body = job.body;
  if (job.encoding === "zstd") {
    try {
      body = decompressZstd(body, job.maxBodyBytes);
    } catch (error) {
      return error instanceof ZstdTooLarge
        ? { ok: false, code: "agent.bodyTooLarge", message: `body exceeds ${job.maxBodyBytes} bytes` }
        : { ok: false, code: "agent.decodeBodyFailed", message: "" };
    }
  }
  try {
    return await processWrite(ready, job, body, setup);
  } catch (error) {
    if (!(error instanceof PointError)) throw error;
    const code = job.form === "lp" ? "agent.invalidLinePoint" : "agent.invalidJsonPoint";
    return { ok: false, code, message: error.message };
  }
}
