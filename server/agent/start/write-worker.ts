// The code of one worker thread that processes writes. The worker answers every job. When the worker dies, the thread
// pool rejects the job.

import { parentPort, workerData } from "node:worker_threads";
import { compileDropRules, type DropRules } from "../../../lib/filter/index.ts";
import type { CategoryName } from "../../../lib/point/index.ts";
import { shownText } from "../../../lib/text/index.ts";
import { free } from "../../http/body/own-memory.ts";
import { openTables } from "../../refer-table/open.ts";
import type { TablesInForce } from "../../refer-table/store.ts";
import { createEngine } from "../create-engine.ts";
import { type Aggregated, type Engine, type PlError, plErrorText } from "../engine.ts";
import { answerWrite } from "../ingest/answer-write.ts";
import type { FilterSources } from "../ingest/filters.ts";
import { encodeAggregated, type RunApart, type WriteLimits } from "../ingest/job.ts";
import type {
  Answer,
  ArchiveAnswer,
  ArchiveJob,
  FromWorker,
  Job,
  ScriptReport,
  StackAnswer,
  StackJob,
  ToWorker,
  WorkerSetup,
} from "../ingest/workers/messages.ts";
import { createWaitingWrites } from "../ingest/workers/waiting-writes.ts";
import { converters } from "../inputs/inputs.ts";
import type { Batch } from "../outputs/batch.ts";
import { namespaces } from "../scripts/namespaces.ts";
import type { ChooseVersionsJob, ChosenScripts, FailedScript, PatternTexts } from "../scripts/script-sources.ts";
import { openSourceMaps, type SourceMaps } from "../source-maps/source-maps.ts";
import { StackError } from "../source-maps/stack-error.ts";

const port = parentPort!;
const setup = workerData as WorkerSetup;
const { rum } = setup;
const sourceMaps: SourceMaps | undefined =
  rum.sourceMaps === undefined
    ? undefined
    : openSourceMaps({ ...rum.sourceMaps, warn: (message) => post({ kind: "warning", message }) });
const warned = new Set<string>();
const warnOnce = (message: string) => {
  if (!warned.has(message)) post({ kind: "warning", message });
  warned.add(message);
};
const limits: WriteLimits = { ...setup, converters, rum: { rules: rum, sourceMaps, warn: warnOnce } };

const rulesOf = (filters: FilterSources) => compileDropRules(filters, { strictTypes: setup.strictTypes });
let rules: DropRules = rulesOf(setup.filters);
const open = (inForce: TablesInForce) => openTables(inForce, (message) => post({ kind: "warning", message }));
let tables = setup.tables === null ? null : await open(setup.tables);
let { aggregating, matching } = setup;

const engine: Promise<Engine> = createEngine(setup.wasm, {
  maxSteps: setup.maxSteps,
  maxBytes: setup.maxBytes,
  environment: setup.environment,
  tables: () => tables?.lookup ?? null,
  warn: (message) => post({ kind: "warning", message, once: true }),
}).then((made) => {
  post(load(made, setup));
  return made;
});

/** Interval in milliseconds at which the worker checks whether the period of an aggregation has ended. */
const checkMs = 1000;

setInterval(async () => {
  const ready = await engine;
  postAggregated(ready, ready.takeAggregated());
  reportState(ready);
}, checkMs).unref();

const waiting = createWaitingWrites();

/**
 * Promise that resolves when all messages that have arrived are handled. Messages are handled one after the
 * other. A job counts as handled as soon as its script waits for HTTP requests.
 */
let queue: Promise<void> = Promise.resolve();

port.on("message", (message: ToWorker) => {
  queue = queue.then(() => handleMessage(message));
});

async function handleMessage(message: ToWorker): Promise<void> {
  const ready = await engine;
  switch (message.kind) {
    case "scripts":
      // New scripts take over the state of the old scripts, or the points in that state are released. A write whose
      // script still waits for HTTP requests could change the state later. So all such writes must end before the new
      // scripts are loaded.
      await waiting.whenIdle();
      return post(load(ready, message));
    case "matching":
      matching = message.matching;
      return;
    case "filters":
      rules = rulesOf(message.filters);
      return;
    case "tables": {
      const next = await open(message.tables);
      if (next === null) return;
      tables?.close();
      tables = next;
      return;
    }
    case "aggregating":
      aggregating = message.aggregating;
      return;
    case "close":
      await waiting.whenIdle(true);
      postAggregated(ready, ready.takeAggregated(true));
      return post({ kind: "closed" });
    case "job":
      return untilItWaits(ready, message.id, message.job);
  }
}

/** Does a job. Resolves when the job is answered, or when its script begins to wait for HTTP requests. */
function untilItWaits(ready: Engine, id: number, job: Job): Promise<void> {
  return new Promise((resolve, reject) => {
    const apart = waiting.apart(() => {
      post({ kind: "waiting", id });
      resolve();
    });
    const answered = work(ready, job, apart).then((answer) => {
      post({ kind: "answer", id, answer });
      // The main thread has transferred the memory of the body to this thread, so nothing else uses this memory.
      if (job.of === "write") free(job.body.buffer);
      postAggregated(ready, ready.takeAggregated());
    });
    answered.then(resolve, (error) => {
      reject(error);
      // If the script has waited for HTTP requests, the promise that `untilItWaits` returned is already resolved, and
      // calling `reject` has no effect. Therefore the error is also thrown. The thrown error ends the thread, as any
      // programming error does.
      throw error;
    });
  });
}

function post(message: FromWorker): void {
  port.postMessage(
    message,
    batchesOf(message).map((batch) => batch.body.buffer as ArrayBuffer),
  );
}

function batchesOf(message: FromWorker): readonly Batch[] {
  if (message.kind === "aggregated") return message.buckets.flatMap(({ batches }) => batches);
  return message.kind === "answer" && "batches" in message.answer ? message.answer.batches : [];
}

function work(ready: Engine, job: Job, apart: RunApart): Promise<Answer> {
  switch (job.of) {
    case "write":
      return answerWrite(ready, rules, job, { ...limits, matching, apart });
    case "stack":
      return resolveStack(job);
    case "archive":
      return checkArchive(job);
    case "choose-versions":
      return Promise.resolve(chooseScripts(ready, job));
  }
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

async function checkArchive({ file }: ArchiveJob): Promise<ArchiveAnswer> {
  return { refusal: await sourceMaps?.refusalOf(file) };
}

function postAggregated(ready: Engine, aggregated: readonly Aggregated[]): void {
  if (aggregated.length === 0) return;
  post({ kind: "aggregated", ...encodeAggregated(ready, rules, aggregated, aggregating) });
}

let lastState = "[]";

function reportState(ready: Engine): void {
  const scripts = ready.state();
  const text = JSON.stringify(scripts);
  if (text === lastState) return;
  lastState = text;
  post({ kind: "state", scripts });
}

/**
 * Chooses the script versions to put in force. When the new grok patterns leave some script without any version that
 * compiles, keeps all previous patterns.
 */
function chooseScripts(ready: Engine, job: ChooseVersionsJob): ChosenScripts {
  const { lost, ...changed } = chooseScriptsWith(ready, job, job.patterns);
  if (lost.length === 0) return changed;
  const before = chooseScriptsWith(ready, job, job.before.patterns);
  if (before.lost.length > 0) return changed;
  const { scripts, helpers, patterns } = before;
  const isNew = (each: FailedScript) =>
    !changed.failed.some(({ category, name }) => category === each.category && name === each.name);
  const failed = [...changed.failed, ...before.failed.filter(isNew)];
  const reason = `patterns: the files of before stay in force until ${lost.join(", ")} compiles with those of now`;
  return { scripts, helpers, patterns, failed, wrongPatterns: [...changed.wrongPatterns, shownText(reason)] };
}

/**
 * Chooses the script versions to put in force when the given grok patterns are used. The member `lost` of the
 * result names the scripts, as `category/name`, that have no version that compiles.
 */
function chooseScriptsWith(
  ready: Engine,
  { files, before }: ChooseVersionsJob,
  patterns: PatternTexts,
): ChosenScripts & { readonly lost: readonly string[] } {
  const wrongPatterns = ready.usePatterns(patterns);
  const scripts: Record<string, Readonly<Record<string, string>>> = {};
  const helpers: typeof scripts = {};
  const failed: FailedScript[] = [];
  const lost: string[] = [];
  for (const [category, texts] of Object.entries(files) as [CategoryName, Record<string, string>][]) {
    const chosen = ready.chooseVersions(category, texts, {
      scripts: before.scripts[category] ?? {},
      helpers: before.helpers[category] ?? {},
    });
    scripts[category] = chosen.scripts;
    helpers[category] = chosen.helpers;
    for (const [name, error] of chosen.errors) failed.push({ category, name, ...faultOf(error) });
    for (const name of chosen.lost) lost.push(`${category}/${name}`);
  }
  return { scripts, helpers, patterns, failed, wrongPatterns, lost };
}

function faultOf(error: PlError): Pick<FailedScript, "error" | "places"> {
  const places = error.at === undefined ? error.pos_chain : [error.at, ...error.pos_chain.slice(1)];
  return { error: plErrorText(error), places: places.map(({ file, ln, col }) => ({ file, ln, col })) };
}

type Loading = Pick<WorkerSetup, "scripts" | "generation">;

function load(ready: Engine, { scripts, generation }: Loading): ScriptReport {
  ready.usePatterns(scripts.patterns);
  const failed: ScriptReport["failed"][number][] = [];
  const stateful: ScriptReport["stateful"][number][] = [];
  const all = namespaces.flatMap((namespace) =>
    (Object.entries(scripts[namespace]) as [CategoryName, Record<string, string>][]).map(([category, sources]) => ({
      namespace,
      category,
      sources,
    })),
  );
  for (const { namespace, category, sources } of all) {
    const helpers = namespace === "default" ? scripts.helpers[category] : undefined;
    const { errors, aggregated } = ready.load(category, sources, namespace, helpers);
    postAggregated(ready, aggregated);
    for (const [name, error] of errors) failed.push({ category, name, namespace, ...faultOf(error) });
  }
  for (const { namespace, category, sources } of all) {
    for (const name of Object.keys(sources)) {
      const script = ready.script(category, name);
      if (script?.namespace === namespace && script.isStateful) stateful.push({ category, name, namespace });
    }
  }
  return { kind: "scripts", generation, failed, stateful };
}
