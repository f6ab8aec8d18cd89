// The write path's workers as the rest of the agent sees them: a job in, an answer out; scripts kept up to date in all.

import { availableParallelism } from "node:os";
import type { CategoryName } from "../../../../lib/point/category.ts";
import { giveBack, isAlone, setAlone } from "../../../http/body/body-memory.ts";
import { zstdLength } from "../../../http/body/zstd.ts";
import type { TablesInForce } from "../../../refer-table/store.ts";
import type { Log } from "../../../telemetry/log.ts";
import type { Metrics } from "../../../telemetry/metrics.ts";
import { within } from "../../../time/within.ts";
import { namespaces } from "../../scripts/namespaces.ts";
import type { ShowScriptErrors } from "../../scripts/script-errors.ts";
import type { Matching } from "../../scripts/script-layers.ts";
import type { ChooseVersionsJob, ChosenScripts, ScriptLayers, ScriptName } from "../../scripts/script-sources.ts";
import type { SpareTime } from "../../spare-time.ts";
import { Pool } from "../../thread-pool.ts";
import { tooManyWaiting } from "../admission.ts";
import { createSmallWrites, type KnownOfJob, type MostBytes } from "../fast-path/small-writes.ts";
import type { FilterSources } from "../filters.ts";
import type { WriteAnswer, WriteJob } from "../write-job.ts";
import type {
  AggregatedReport,
  Aggregating,
  Answer,
  ArchiveAnswer,
  FromWorker,
  Job,
  ScriptReport,
  StackAnswer,
  StackJob,
  StateReport,
  WorkerReport,
  WorkerSetup,
} from "./messages.ts";

export interface Workers {
  /** `caller.signal` is asked for only where the work may take long. */
  run(job: WriteJob, caller: { readonly signal: AbortSignal }): WriteAnswer | Promise<WriteAnswer>;
  resolveStack(job: StackJob, signal: AbortSignal): Promise<StackAnswer>;
  /** Whether an uploaded archive of source maps may be kept. */
  checkArchive(file: string, signal: AbortSignal): Promise<ArchiveAnswer>;
  /** Which versions of the files' scripts compile; changes nothing. Rejects as Pool.run does. */
  settle(job: ChooseVersionsJob): Promise<ChosenScripts>;
  /** No more may wait for a thread: those that would have to are refused. */
  readonly isFull: boolean;
  /** Whether a write needs no thread. */
  takesInPlace(job: KnownOfJob): boolean;
  /** Up to so many bytes, it may be. */
  readonly inPlaceBytes: MostBytes;
  setScripts(scripts: ScriptLayers): void;
  setMatching(matching: Matching): void;
  setFilters(filters: FilterSources): void;
  setTables(tables: TablesInForce): void;
  setAggregating(aggregating: Aggregating): void;
  /** Has the workers give out what their aggregations hold, before the outlet is closed. */
  drain(): Promise<void>;
  /** Resolves when the first worker has compiled the scripts that are set by then and can answer. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

export interface WorkersOptions extends Omit<WorkerSetup, "tables" | "generation"> {
  /** 0 = as many as `usualCount` gives. */
  readonly count: number;
  /** Writes up to so many bytes that need nothing of the workers are done on this thread. */
  readonly inPlaceBytes: MostBytes;
  /** Writes that may wait. */
  readonly mostWaiting: number;
  readonly spareTime: Pick<SpareTime, "noteWrite">;
  /** Of the scripts of the gateway. */
  readonly showErrors: ShowScriptErrors;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Points of aggregation buckets. */
  readonly onAggregated: (report: AggregatedReport) => void;
}

const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";

const drainMs = 2000;

/**
 * Larger bodies all go to one worker, one after the other: a worker copies a body to the memory of its module, which never shrinks.
 */
const largeBytes = 16 * 1024 * 1024;

export function startWorkers(options: WorkersOptions): Workers {
  const { count, inPlaceBytes, mostWaiting, spareTime, showErrors, log, metrics, onAggregated, ...setup } = options;
  let { scripts, matching, filters, aggregating } = setup;
  let tables: TablesInForce | null = null;
  /** Workers that still have to say that they gave out what they held. */
  let draining = 0;
  let hasDrained = () => {};
  let lastReport = "";
  let stateful = new Set<string>();
  let statefulCategories = new Set<CategoryName>();
  let generation = 0;
  /** Generation of the scripts that a worker has compiled. */
  let compiled = -1;
  const areReady: (() => void)[] = [];
  /** Of the gateway, that are shown as in force. */
  let shown: readonly ScriptName[] = [];

  const size = count > 0 ? count : usualCount(availableParallelism());

  const told = new Set<string>();
  const warn = ({ message, once }: Extract<FromWorker, { kind: "warning" }>) => {
    if (once === true && told.has(message)) return;
    if (once === true) told.add(message);
    log.warn(message);
  };

  const heard = (report: WorkerReport) => {
    switch (report.kind) {
      case "scripts":
        return heardScripts(report);
      case "aggregated":
        return onAggregated(report);
      case "state":
        return showState(report, metrics);
      case "closed":
        if (--draining === 0) hasDrained();
    }
  };

  const heardScripts = (report: ScriptReport) => {
    if (report.generation !== generation) return;
    compiled = generation;
    for (const isReady of areReady.splice(0)) isReady();
    // Every worker compiles the same scripts and says the same; once is enough.
    const text = JSON.stringify(report);
    if (text === lastReport) return;
    lastReport = text;
    stateful = new Set(report.stateful.map(({ category, name }) => `${category}/${name}`));
    statefulCategories = new Set(report.stateful.map(({ category }) => category));
    const failed = new Set(report.failed.map(idOf));
    const inForce = namesOf(scripts).filter((script) => !failed.has(idOf(script)));
    const local = new Set(inForce.filter(({ namespace }) => namespace === "default").map(idOf));
    for (const { category, name, error } of showErrors(ofGateway(report.failed)).added) {
      const instead = local.has(idOf({ category, name, namespace: "default" }))
        ? "; the local one takes its place"
        : "";
      log.error(`script ${category}/${name} of the gateway is not in force: ${error}${instead}`);
    }
    for (const script of shown) metrics.pipelineUpdated.remove({ ...script });
    shown = ofGateway(inForce);
    for (const script of shown) metrics.pipelineUpdated.set({ ...script }, Date.now() / 1000);
  };

  const pool = new Pool<Job, Answer>({
    script: new URL(`../../start/write-worker.${extension}`, import.meta.url),
    size,
    mostWaiting,
    workerData: (): WorkerSetup => ({ ...setup, scripts, generation, matching, filters, aggregating, tables }),
    onCrash: (reason) => {
      metrics.workerCrashes.inc();
      log.error(`a worker thread died and is replaced: ${reason}`);
    },
    onSpare: (memory) => {
      const bytes = new Uint8Array(memory);
      setAlone(bytes);
      giveBack(bytes);
    },
    onMessage: (message) => {
      const said = message as Exclude<FromWorker, { kind: "answer" | "waiting" }>;
      if (said.kind === "warning") warn(said);
      else heard(said);
    },
  });

  const limits = { ...setup, rum: { rules: setup.rum, sourceMaps: undefined } };
  const small = createSmallWrites(setup.wasm, limits, inPlaceBytes);

  return {
    run: (job, caller) => {
      if (small.takes(job, filters)) return small.run(job);
      if (pool.isFull) throw tooManyWaiting();
      const isPinned =
        job.matches === true ? statefulCategories.has(job.category) : stateful.has(`${job.category}/${job.script}`);
      // One worker for all of a category: points that find their script by name may need several of them in one write.
      const pinned = isPinned ? job.category : plainLength(job) > largeBytes ? "large" : undefined;
      const body = aloneInMemory(job.body);
      const transfer = [body.buffer as ArrayBuffer];
      const answer = pool.run({ of: "write", ...job, body, ownsBody: true }, transfer, caller.signal, pinned);
      spareTime.noteWrite(pool.waiting > 0);
      return (answer as Promise<WriteAnswer>).then(received);
    },
    settle: (job) => pool.run({ of: "settle", ...job }, []) as Promise<ChosenScripts>,
    resolveStack: async (job, signal) => {
      if (pool.isFull) throw tooManyWaiting();
      return (await pool.run({ of: "stack", ...job }, [], signal)) as StackAnswer;
    },
    checkArchive: async (file, signal) => {
      if (pool.isFull) throw tooManyWaiting();
      return (await pool.run({ of: "archive", file }, [], signal)) as ArchiveAnswer;
    },
    get isFull() {
      return pool.isFull;
    },
    takesInPlace: (job) => small.takes(job, filters),
    inPlaceBytes,
    setScripts: (next) => {
      scripts = next;
      generation++;
      pool.tell({ kind: "scripts", scripts: next, generation });
    },
    setMatching: (next) => {
      matching = next;
      pool.tell({ kind: "matching", matching: next });
    },
    setFilters: (next) => {
      filters = next;
      pool.tell({ kind: "filters", filters: next });
    },
    setTables: (next) => {
      tables = next;
      pool.tell({ kind: "tables", tables: next });
    },
    setAggregating: (next) => {
      aggregating = next;
      pool.tell({ kind: "aggregating", aggregating: next });
    },
    drain: () =>
      within(
        new Promise<void>((resolve) => {
          hasDrained = resolve;
          draining = pool.tell({ kind: "close" });
        }),
        drainMs,
      ),
    ready: () => (compiled === generation ? Promise.resolve() : new Promise((resolve) => areReady.push(resolve))),
    close: () => pool.close(),
  };
}

/** What a worker hands over is used by nobody else. */
function received(answer: WriteAnswer): WriteAnswer {
  if (answer.ok) for (const { body } of answer.batches) setAlone(body);
  return answer;
}

/** One core is left to the main thread; of two, both work, since beside large bodies that thread has little to do. */
export function usualCount(cores: number): number {
  return Math.max(Math.min(cores, 2), cores - 1);
}

/** The bytes of a body without its compression. */
function plainLength({ body, encoding, maxBodyBytes }: WriteJob): number {
  return encoding === "zstd" ? zstdLength(body, maxBodyBytes) : body.length;
}

/** Only whole memory can be handed to another thread, and only what nobody else uses. */
function aloneInMemory(bytes: Uint8Array): Uint8Array {
  return bytes.length === bytes.buffer.byteLength || isAlone(bytes) ? bytes : new Uint8Array(bytes);
}

function namesOf(layers: ScriptLayers): ScriptName[] {
  return namespaces.flatMap((namespace) =>
    Object.entries(layers[namespace]).flatMap(([category, sources]) =>
      Object.keys(sources).map((name) => ({ category: category as CategoryName, name, namespace })),
    ),
  );
}

function ofGateway<T extends ScriptName>(scripts: readonly T[]): readonly T[] {
  return scripts.filter(({ namespace }) => namespace === "remote");
}

function idOf({ category, name, namespace }: ScriptName): string {
  return `${namespace}/${category}/${name}`;
}

/** What scripts keep between points, as gauges. */
function showState({ scripts }: StateReport, metrics: Metrics): void {
  for (const { category, name, namespace, counters } of scripts) {
    for (const [part, value] of Object.entries(counters)) {
      metrics.pipelineState.set(
        { category, name, namespace, part: part.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) },
        value,
      );
    }
  }
}
