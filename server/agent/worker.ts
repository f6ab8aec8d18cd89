// One worker thread of the write path. It answers every job; a job it dies under is answered by the pool.

import { parentPort, workerData } from "node:worker_threads";
import { compileDropRules, type DropRules } from "../../lib/filter/drop-rules.ts";
import type { CategoryName } from "../../lib/point/category.ts";
import { decompressZstd, ZstdTooLarge } from "../http/zstd.ts";
import { createEngine, type Engine, PointError, plErrorText } from "./engine.ts";
import type {
  FilterSources,
  FromWorker,
  ScriptReport,
  ScriptSources,
  ToWorker,
  WorkerSetup,
  WriteAnswer,
  WriteJob,
} from "./protocol.ts";
import { processWrite } from "./write-job.ts";

const port = parentPort!;
const setup = workerData as WorkerSetup;

const rulesOf = (filters: FilterSources) => compileDropRules(filters, { strictTypes: setup.strictTypes });
let rules: DropRules = rulesOf(setup.filters);

const engine: Promise<Engine> = createEngine(setup.wasm, setup.maxSteps).then((made) => {
  say(load(made, setup.scripts));
  return made;
});

port.on("message", async (message: ToWorker) => {
  const ready = await engine;
  if (message.kind === "scripts") say(load(ready, message.scripts));
  else if (message.kind === "filters") rules = rulesOf(message.filters);
  else say({ kind: "answer", answer: write(ready, message.job) });
});

/** Code of the answer to a body that its decoder refuses. */
const refusals = {
  "line-protocol": "agent.invalidLinePoint",
  json: "agent.invalidJsonPoint",
  protobuf: "agent.invalidProtobufPoint",
} as const;

function say(message: FromWorker): void {
  const answer = message.kind === "answer" && message.answer.ok ? message.answer : undefined;
  port.postMessage(message, answer?.batches.map((batch) => batch.body.buffer as ArrayBuffer) ?? []);
}

function load(ready: Engine, scripts: ScriptSources): ScriptReport {
  const failed: ScriptReport["failed"][number][] = [];
  const stateful: ScriptReport["stateful"][number][] = [];
  for (const [category, sources] of Object.entries(scripts) as [CategoryName, Record<string, string>][]) {
    const { errors } = ready.load(category, sources);
    for (const [name, error] of errors) failed.push({ category, name, error: plErrorText(error) });
    for (const name of Object.keys(sources)) if (ready.isStateful(category, name)) stateful.push({ category, name });
  }
  return { kind: "scripts", failed, stateful };
}

function write(ready: Engine, job: WriteJob): WriteAnswer {
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
    return processWrite(ready, rules, job, body);
  } catch (error) {
    if (!(error instanceof PointError)) throw error;
    return { ok: false, code: refusals[error.form], message: error.message };
  }
}
