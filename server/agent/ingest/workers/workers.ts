// The write path's workers as the rest of the agent sees them: a job in, an answer out; scripts kept up to date in all.

import { availableParallelism } from "node:os";
import { giveBack, isAlone, setAlone } from "../../../http/body/body-memory.ts";
import { zstdLength } from "../../../http/body/zstd.ts";
import type { TablesInForce } from "../../../refer-table/store.ts";
import type { Log } from "../../../telemetry/log.ts";
import type { Metrics } from "../../../telemetry/metrics.ts";
import { within } from "../../../time/within.ts";
import type { ShowScriptErrors } from "../../scripts/script-errors.ts";
import type { Matching } from "../../scripts/script-layers.ts";
import type { ChooseVersionsJob, ChosenScripts, ScriptLayers } from "../../scripts/script-sources.ts";
import type { SpareTime } from "../../spare-time.ts";
import { Pool } from "../../thread-pool.ts";
import { tooManyWaiting } from "../admission.ts";
import { createSmallWrites, type KnownOfJob, type MostBytes } from "../fast-path/small-writes.ts";
import type { FilterSources } from "../filters.ts";
import type { WriteAnswer, WriteJob } from "../write-job.ts";
import { CompiledScripts } from "./compiled-scripts.ts";
import type {
  AggregatedReport,
  Aggregating,
  Answer,
  ArchiveAnswer,
  FromWorker,
  Job,
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
  /** Has the workers give out what their aggregations hold, before the output is closed. */
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

/** What the workers go by. It changes while they run: those that start later begin with what is in force by then. */
type InForce = {
  -readonly [Key in "scripts" | "matching" | "filters" | "aggregating" | "tables"]: WorkerSetup[Key];
};

export function startWorkers(options: WorkersOptions): Workers {
  const { count, inPlaceBytes, mostWaiting, spareTime, showErrors, log, metrics, onAggregated, ...setup } = options;
  const { scripts, matching, filters, aggregating } = setup;
  const inForce: InForce = { scripts, matching, filters, aggregating, tables: null };
  const compiled = new CompiledScripts({ showErrors, log, metrics });
  const draining = new Draining();
  const warn = createWarn(log);

  const heard = (message: WorkerReport | WorkerWarning) => {
    switch (message.kind) {
      case "warning":
        return warn(message);
      case "scripts":
        return compiled.take(message, inForce.scripts);
      case "aggregated":
        return onAggregated(message);
      case "state":
        return showState(message, metrics);
      case "closed":
        return draining.noteClosed();
    }
  };

  const pool = new Pool<Job, Answer>({
    script: new URL(`../../start/write-worker.${extension}`, import.meta.url),
    size: count > 0 ? count : usualCount(availableParallelism()),
    mostWaiting,
    workerData: (): WorkerSetup => ({ ...setup, ...inForce, generation: compiled.generation }),
    onCrash: (reason) => {
      metrics.workerCrashes.inc();
      log.error(`a worker thread died and is replaced: ${reason}`);
    },
    onSpare: giveBackSpare,
    onMessage: (message) => heard(message as WorkerReport | WorkerWarning),
  });

  const limits = { ...setup, rum: { rules: setup.rum, sourceMaps: undefined } };
  const small = createSmallWrites(setup.wasm, limits, inPlaceBytes);

  return {
    run: (job, caller) => {
      if (small.takes(job, inForce.filters)) return small.run(job);
      if (pool.isFull) throw tooManyWaiting();
      // One worker for all of a category: points that find their script by name may need several of them in one write.
      const pinned = compiled.keepsState(job) ? job.category : plainLength(job) > largeBytes ? "large" : undefined;
      const body = aloneInMemory(job.body);
      const transfer = [body.buffer as ArrayBuffer];
      const answer = pool.run({ of: "write", ...job, body, ownsBody: true }, transfer, caller.signal, pinned);
      spareTime.noteWrite(pool.waiting > 0);
      return (answer as Promise<WriteAnswer>).then(received);
    },
    ...otherJobs(pool),
    get isFull() {
      return pool.isFull;
    },
    takesInPlace: (job) => small.takes(job, inForce.filters),
    inPlaceBytes,
    ...setters(pool, inForce, compiled),
    drain: () => draining.end(() => pool.tell({ kind: "close" })),
    ready: () => compiled.ready(),
    close: () => pool.close(),
  };
}

type WritePool = Pool<Job, Answer>;

/** Returns the jobs that are no writes. */
function otherJobs(pool: WritePool): Pick<Workers, "settle" | "resolveStack" | "checkArchive"> {
  return {
    settle: (job) => pool.run({ of: "settle", ...job }, []) as Promise<ChosenScripts>,
    resolveStack: async (job, signal) => {
      if (pool.isFull) throw tooManyWaiting();
      return (await pool.run({ of: "stack", ...job }, [], signal)) as StackAnswer;
    },
    checkArchive: async (file, signal) => {
      if (pool.isFull) throw tooManyWaiting();
      return (await pool.run({ of: "archive", file }, [], signal)) as ArchiveAnswer;
    },
  };
}

/** Returns the functions that change what the workers go by. */
function setters(
  pool: WritePool,
  inForce: InForce,
  compiled: CompiledScripts,
): Pick<Workers, "setScripts" | "setMatching" | "setFilters" | "setTables" | "setAggregating"> {
  return {
    setScripts: (scripts) => {
      inForce.scripts = scripts;
      pool.tell({ kind: "scripts", scripts, generation: ++compiled.generation });
    },
    setMatching: (matching) => {
      inForce.matching = matching;
      pool.tell({ kind: "matching", matching });
    },
    setFilters: (filters) => {
      inForce.filters = filters;
      pool.tell({ kind: "filters", filters });
    },
    setTables: (tables) => {
      inForce.tables = tables;
      pool.tell({ kind: "tables", tables });
    },
    setAggregating: (aggregating) => {
      inForce.aggregating = aggregating;
      pool.tell({ kind: "aggregating", aggregating });
    },
  };
}

/** Waits until each worker has given out what its aggregations hold. */
class Draining {
  /** Workers that have not reported yet. */
  private left = 0;
  private hasDrained = () => {};

  /** `tellAll` asks the workers, and returns how many there are. */
  async end(tellAll: () => number): Promise<void> {
    const drained = new Promise<void>((resolve) => {
      this.hasDrained = resolve;
    });
    this.left = tellAll();
    await within(drained, drainMs);
  }

  noteClosed(): void {
    if (--this.left === 0) this.hasDrained();
  }
}

type WorkerWarning = Extract<FromWorker, { kind: "warning" }>;

/** Every worker may warn of the same thing: a warning that says so is logged once. */
function createWarn(log: Log): (warning: WorkerWarning) => void {
  const logged = new Set<string>();
  return ({ message, once }) => {
    if (once === true && logged.has(message)) return;
    if (once === true) logged.add(message);
    log.warn(message);
  };
}

/** Gives memory that a worker sends back to the bodies that are read next. */
function giveBackSpare(memory: ArrayBuffer): void {
  const bytes = new Uint8Array(memory);
  setAlone(bytes);
  giveBack(bytes);
}

/** Notes that nobody else uses the bodies that a worker hands over. */
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

/** Shows what scripts keep between points, as gauges. */
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
