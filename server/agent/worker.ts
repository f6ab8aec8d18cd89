// One worker thread of the write path. It answers every job; a job it dies under is answered by the pool.

import { parentPort, workerData } from "node:worker_threads";
import { compileDropRules, type DropRules } from "../../lib/filter/drop-rules.ts";
import type { CategoryName } from "../../lib/point/category.ts";
import { decompressZstd, ZstdTooLarge } from "../http/zstd.ts";
import { createEngine, type Engine, PointError, plErrorText } from "./engine.ts";
import { StreamError, streamAsJson } from "./log-stream.ts";
import type {
  FilterSources,
  FromWorker,
  ScriptReport,
  ScriptSources,
  StackAnswer,
  StackJob,
  ToWorker,
  WorkerSetup,
  WriteAnswer,
  WriteJob,
} from "./protocol.ts";
import { openSourceMaps, type SourceMaps } from "./source-maps/source-maps.ts";
import { StackError } from "./source-maps/stack-error.ts";
import { processWrite } from "./write-job.ts";

const port = parentPort!;
const setup = workerData as WorkerSetup;
const { rum } = setup;
const sourceMaps: SourceMaps | undefined =
  rum.sourceMaps === undefined
    ? undefined
    : openSourceMaps(rum.sourceMaps, (message) => say({ kind: "warning", message }));

const rulesOf = (filters: FilterSources) => compileDropRules(filters, { strictTypes: setup.strictTypes });
let rules: DropRules = rulesOf(setup.filters);

const engine: Promise<Engine> = createEngine(setup.wasm, setup.maxSteps).then((made) => {
  say(load(made, setup.scripts));
  return made;
});

// One message after the other: a write that waits for a source map is not interrupted by new scripts.
let turn: Promise<void> = Promise.resolve();
port.on("message", (message: ToWorker) => {
  turn = turn.then(() => handle(message));
});

async function handle(message: ToWorker): Promise<void> {
  const ready = await engine;
  if (message.kind === "scripts") return say(load(ready, message.scripts));
  if (message.kind === "filters") {
    rules = rulesOf(message.filters);
    return;
  }
  const { job } = message;
  say({ kind: "answer", answer: job.of === "write" ? await write(ready, job) : await resolveStack(job) });
}

/** Code of the answer to a body that its decoder refuses. */
const refusals = {
  "line-protocol": "agent.invalidLinePoint",
  json: "agent.invalidJsonPoint",
  protobuf: "agent.invalidProtobufPoint",
} as const;

function say(message: FromWorker): void {
  const batches = message.kind === "answer" && "batches" in message.answer ? message.answer.batches : [];
  port.postMessage(
    message,
    batches.map((batch) => batch.body.buffer as ArrayBuffer),
  );
}

async function resolveStack({ platform, application, stack }: StackJob): Promise<StackAnswer> {
  try {
    if (sourceMaps === undefined) throw new StackError("source maps are switched off");
    return { stack: await sourceMaps.resolve(platform, application, stack) };
  } catch (error) {
    if (!(error instanceof StackError)) throw error;
    return { failure: error.message };
  }
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
    if (job.stream !== undefined) body = streamAsJson(body, job.stream);
    return await processWrite(ready, rules, job, body, { rules: rum, sourceMaps });
  } catch (error) {
    if (error instanceof StreamError) return { ok: false, code: "agent.invalidJsonPoint", message: error.message };
    if (!(error instanceof PointError)) throw error;
    return { ok: false, code: refusals[error.form], message: error.message };
  }
}
