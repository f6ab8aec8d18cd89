// The write path's workers as the rest of the agent sees them: a job in, an answer out; scripts kept up to date in all.

import { availableParallelism } from "node:os";
import type { CategoryName } from "../../lib/point/category.ts";
import type { Log } from "../http/log.ts";
import type { Metrics } from "../http/metrics.ts";
import { Pool } from "./pool.ts";
import type {
  FilterSources,
  FromWorker,
  Job,
  RumSetup,
  ScriptReport,
  ScriptSources,
  StackAnswer,
  StackJob,
  WorkerSetup,
  WriteAnswer,
  WriteJob,
} from "./protocol.ts";

export interface Workers {
  run(job: WriteJob, signal: AbortSignal): Promise<WriteAnswer>;
  resolveStack(job: StackJob, signal: AbortSignal): Promise<StackAnswer>;
  setScripts(scripts: ScriptSources): void;
  setFilters(filters: FilterSources): void;
  /** Resolves when the first worker has compiled the scripts and can answer. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

export interface WorkersOptions {
  readonly wasm: WebAssembly.Module;
  /** 0 = cores - 1, at least 1. */
  readonly count: number;
  readonly maxSteps: number;
  readonly scripts: ScriptSources;
  readonly filters: FilterSources;
  readonly strictTypes: boolean;
  readonly rum: RumSetup;
  readonly log: Log;
  readonly metrics: Metrics;
}

const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";

export function startWorkers(options: WorkersOptions): Workers {
  const { log, metrics } = options;
  let { scripts, filters } = options;
  let lastReport = "";
  let stateful = new Set<string>();
  let isReady = () => {};
  const ready = new Promise<void>((resolve) => {
    isReady = resolve;
  });

  const heard = (report: ScriptReport) => {
    isReady();
    // Every worker compiles the same scripts and says the same; once is enough.
    const text = JSON.stringify(report);
    if (text === lastReport) return;
    lastReport = text;
    stateful = new Set(report.stateful.map(({ category, name }) => pinOf(category, name)));
    for (const { category, name, error } of report.failed) {
      log.error(`script ${category}/${name} is not in force: ${error}`);
    }
    for (const [category, sources] of Object.entries(scripts)) {
      for (const name of Object.keys(sources)) {
        if (report.failed.some((each) => each.category === category && each.name === name)) continue;
        metrics.pipelineUpdated.set({ category, name, namespace: "default" }, Date.now() / 1000);
      }
    }
  };

  const pool = new Pool<Job, WriteAnswer | StackAnswer>({
    script: new URL(`./worker.${extension}`, import.meta.url),
    size: options.count > 0 ? options.count : Math.max(1, availableParallelism() - 1),
    workerData: (): WorkerSetup => ({
      wasm: options.wasm,
      maxSteps: options.maxSteps,
      scripts,
      filters,
      strictTypes: options.strictTypes,
      rum: options.rum,
    }),
    onCrash: (reason) => {
      metrics.workerCrashes.inc();
      log.error(`a worker thread died and is replaced: ${reason}`);
    },
    onMessage: (message) => {
      const said = message as FromWorker;
      if (said.kind === "scripts") heard(said);
      else if (said.kind === "warning") log.warn(said.message);
    },
  });

  return {
    run: (job, signal) => {
      const pin = job.script === undefined ? undefined : pinOf(job.category, job.script);
      const pinned = pin !== undefined && stateful.has(pin) ? pin : undefined;
      const transfer = [job.body.buffer as ArrayBuffer];
      return pool.run({ of: "write", ...job }, transfer, signal, pinned) as Promise<WriteAnswer>;
    },
    resolveStack: (job, signal) => pool.run({ of: "stack", ...job }, [], signal) as Promise<StackAnswer>,
    setScripts: (next) => {
      scripts = next;
      lastReport = "";
      pool.tell({ kind: "scripts", scripts: next });
    },
    setFilters: (next) => {
      filters = next;
      pool.tell({ kind: "filters", filters: next });
    },
    ready,
    close: () => pool.close(),
  };
}

function pinOf(category: CategoryName, name: string): string {
  return `${category}/${name}`;
}
