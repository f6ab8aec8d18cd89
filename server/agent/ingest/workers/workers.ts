// Manages the worker threads that process writes. The function `run` takes the job of a write and returns its
// answer. The scripts, filters and reference tables of all workers are kept up to date. A thread takes 40 MB of
// memory. So the first thread starts only when there is a job for it, or when scripts of the gateway must be
// compiled. A thread ends when it has had no job for a while.

import { availableParallelism } from "node:os";
import { hasOwnMemory } from "../../../http/body/own-memory.ts";
import { zstdLength } from "../../../http/body/zstd.ts";
import type { Log } from "../../../telemetry/log.ts";
import type { Metrics } from "../../../telemetry/metrics.ts";
import { within } from "../../../time/within.ts";
import type { ShowScriptErrors } from "../../scripts/script-errors.ts";
import type { ChooseVersionsJob, ChosenScripts, ScriptSources } from "../../scripts/script-sources.ts";
import type { SpareTime } from "../../spare-time.ts";
import { Pool } from "../../thread-pool.ts";
import { tooManyWaiting } from "../admission.ts";
import { createSmallWrites, type KnownOfJob, type MostBytes } from "../fast-path/small-writes.ts";
import type { WriteAnswer, WriteJob } from "../write-job.ts";
import { CompiledScripts } from "./compiled-scripts.ts";
import type {
  AggregatedReport,
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
  /**
   * Processes a write on the main thread or a worker thread. `caller.signal` is read only when a worker does the
   * job, because reading it creates the signal, which takes time. `isAlone`: whether no other request is under
   * way; the main thread may then process larger bodies.
   */
  run(job: WriteJob, caller: { readonly signal: AbortSignal }, isAlone?: boolean): WriteAnswer | Promise<WriteAnswer>;
  resolveStack(job: StackJob, signal: AbortSignal): Promise<StackAnswer>;
  /** Lets a worker check whether an uploaded archive of source maps may be kept. */
  checkArchive(file: string, signal: AbortSignal): Promise<ArchiveAnswer>;
  /**
   * Lets a worker find out which versions of changed script files compile. Does not change the scripts in force.
   * Rejects when the worker dies or the thread pool is closed.
   */
  chooseVersions(job: ChooseVersionsJob): Promise<ChosenScripts>;
  /**
   * Whether the largest permitted number of jobs already wait for a worker thread. Writes that need a thread are then
   * refused.
   */
  readonly isFull: boolean;
  /** Returns whether the main thread, without a worker thread, can process the write. */
  takesInPlace(job: KnownOfJob): boolean;
  /** Length in bytes of the largest body that the main thread may process, by wire format. */
  readonly inPlaceBytes: MostBytes;
  /** Changes one of the settings that apply to all worker threads. */
  set<Part extends keyof InForce>(part: Part, value: InForce[Part]): void;
  /**
   * Makes the workers send all points that the aggregations of scripts (`agg_create`) have collected. Waits for
   * these points for at most `drainMs` milliseconds. Called before the output is closed, so that the output can store
   * these points.
   */
  drain(): Promise<void>;
  /**
   * Resolves when the first worker can process writes with the current set of scripts; resolves at once when no worker
   * was started.
   */
  ready(): Promise<void>;
  close(): Promise<void>;
}

export interface WorkersOptions extends Omit<WorkerSetup, "tables" | "generation"> {
  /** Number of worker threads; 0 = a number that depends on the number of processor cores. */
  readonly count: number;
  /** Length in bytes of the largest body that the main thread may process, by wire format. */
  readonly inPlaceBytes: MostBytes;
  /** Largest number of jobs that may wait for a worker. */
  readonly mostWaiting: number;
  readonly spareTime: Pick<SpareTime, "noteWrite">;
  /** Shows in the metrics the compile errors of the scripts that the gateway sent. */
  readonly showErrors: ShowScriptErrors;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Called with the encoded points that aggregations (`agg_create`) released, by name of the aggregation. */
  readonly onAggregated: (report: AggregatedReport) => void;
}

const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";

const drainMs = 2000;

/**
 * Milliseconds without a job after which a worker ends: `surplusMs` when other workers run, `lastMs` when it is
 * the only worker. The only worker runs longer, because many clients send a write every few seconds, and
 * starting a worker takes 0.1 s of processor time.
 */
const idle = { surplusMs: 5000, lastMs: 60_000 };

/**
 * Length in bytes above which a body counts as large. All large bodies go to the same worker, one after the
 * other. The reason is that a worker copies each body to its WebAssembly memory, and this memory never shrinks.
 * If all workers got large bodies, the memory of every worker would stay large.
 */
const largeBytes = 16 * 1024 * 1024;

/**
 * The settings that the workers apply. The settings may change while workers run; a worker that starts later gets the
 * current settings.
 */
type InForce = {
  -readonly [Key in "scripts" | "matching" | "filters" | "aggregating" | "tables"]: WorkerSetup[Key];
};

export function startWorkers(options: WorkersOptions): Workers {
  const { count, inPlaceBytes, mostWaiting, spareTime, showErrors, log, metrics, onAggregated, ...setup } = options;
  const { scripts, matching, filters, aggregating } = setup;
  const inForce: InForce = { scripts, matching, filters, aggregating, tables: null };
  const compiled = new CompiledScripts({ showErrors, log, metrics });
  /** Number of workers that have not yet sent all points that their aggregations had collected. */
  let undrained = 0;
  let hasDrained = () => {};
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
        if (--undrained === 0) hasDrained();
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
    onMessage: (message) => heard(message as WorkerReport | WorkerWarning),
    idle: {
      ...idle,
      mayEnd: (isPinned) => compiled.isCurrent && ![...compiled.categoriesWithState].some(isPinned),
    },
  });

  if (hasAny(scripts.remote) || hasAny(scripts.default)) pool.startFirst();
  const limits = { ...setup, rum: { rules: setup.rum, sourceMaps: undefined } };
  const small = createSmallWrites(setup.wasm, limits, inPlaceBytes);

  return {
    run: (job, caller, isAlone) => {
      if (small.takes(job, inForce.filters, isAlone)) return small.run(job);
      if (pool.isFull) throw tooManyWaiting();
      // A write whose script keeps state goes to the worker of its category. No worker is reserved for a single script,
      // because a write may need several scripts when the names of its points decide which scripts run.
      const pinned = compiled.keepsState(job) ? job.category : plainLength(job) > largeBytes ? "large" : undefined;
      const body = hasOwnMemory(job.body) ? job.body : new Uint8Array(job.body);
      const transfer = [body.buffer as ArrayBuffer];
      const answer = pool.run({ of: "write", ...job, body }, transfer, caller.signal, pinned);
      spareTime.noteWrite(pool.waiting > 0);
      return answer as Promise<WriteAnswer>;
    },
    ...otherJobs(pool),
    get isFull() {
      return pool.isFull;
    },
    takesInPlace: (job) => small.takes(job, inForce.filters),
    inPlaceBytes,
    set: (part, value) => {
      inForce[part] = value;
      const isScripts = part === "scripts";
      if (isScripts) compiled.generation++;
      pool.broadcast({ kind: part, [part]: value, generation: compiled.generation });
      // The first worker is started so that it compiles the gateway's scripts: errors in these scripts are logged only
      // when a worker has compiled them. Errors in script files are already known at this time.
      if (isScripts && hasAny(inForce.scripts.remote)) pool.startFirst();
    },
    drain: async () => {
      const drained = new Promise<void>((resolve) => {
        hasDrained = resolve;
      });
      undrained = pool.broadcast({ kind: "close" });
      if (undrained > 0) await within(drained, drainMs);
    },
    ready: async () => {
      if (pool.hasStarted) await compiled.ready();
    },
    close: () => pool.close(),
  };
}

function hasAny(scripts: ScriptSources): boolean {
  return Object.values(scripts).some((texts) => Object.keys(texts).length > 0);
}

type WritePool = Pool<Job, Answer>;

/**
 * Returns the functions of the interface `Workers` by which a worker does other jobs than writes: choosing script
 * versions, resolving an error stack, and checking an archive.
 */
function otherJobs(pool: WritePool): Pick<Workers, "chooseVersions" | "resolveStack" | "checkArchive"> {
  return {
    chooseVersions: (job) => pool.run({ of: "choose-versions", ...job }, []) as Promise<ChosenScripts>,
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

type WorkerWarning = Extract<FromWorker, { kind: "warning" }>;

/**
 * Returns a function that logs warnings of workers. Every worker sends the warnings marked `once`, but each of these
 * warnings is logged only once.
 */
function createWarn(log: Log): (warning: WorkerWarning) => void {
  const logged = new Set<string>();
  return ({ message, once }) => {
    if (once === true && logged.has(message)) return;
    if (once === true) logged.add(message);
    log.warn(message);
  };
}

/**
 * Returns the usual number of worker threads: one core stays free for the main thread. With two cores there are two
 * workers, since the main thread has little to do while workers process large bodies.
 */
export function usualCount(cores: number): number {
  return Math.max(Math.min(cores, 2), cores - 1);
}

/** Returns the length in bytes of a write's body after decompression. */
function plainLength({ body, encoding, maxBodyBytes }: WriteJob): number {
  return encoding === "zstd" ? zstdLength(body, maxBodyBytes) : body.length;
}

/** Sets the gauges about the state that scripts keep between points. */
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
