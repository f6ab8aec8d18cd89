// The part of the page that talks to the workers. A worker that does not answer is terminated and replaced.

import * as Comlink from "comlink";
import { t } from "../text/translate.ts";
import type { Job, Report, RunAnswer, WorkerApi } from "./protocol.ts";
import type { Speaking } from "./texts.ts";

interface Started {
  readonly worker: Worker;
  readonly api: Comlink.Remote<WorkerApi>;
}

/**
 * The outcome of a run: the worker's answer, `ended` when the page terminated the worker during the run, or `failed`
 * when the worker crashed or could not start.
 */
export type RunOutcome = RunAnswer | { readonly kind: "ended" } | { readonly kind: "failed"; readonly message: string };

export interface Runner {
  /** Runs a job in the worker. Only one job can run at a time. */
  run(job: Job, report: (report: Report) => void): Promise<RunOutcome>;
  /** Ends the run: asks the worker to stop, and terminates the worker when it does not answer. */
  stop(): void;
}

/** Time in milliseconds within which a worker must answer the request to stop. */
const graceMs = 400;

export function startWorker(): Started {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  return { worker, api: inLanguage(Comlink.wrap<WorkerApi & Speaking>(worker)) };
}

/**
 * The workers that the page has started, as weak references. A reference becomes empty when the browser frees
 * the memory of a terminated worker.
 */
const workers: WeakRef<Comlink.Remote<Speaking>>[] = [];
/** The language in which the page is shown. */
let spoken = "en";

/**
 * Sets the language of the messages that workers write for the user. It applies to all workers, also to those that
 * start later.
 */
export function speakIn(language: string): void {
  if (language === spoken) return;
  spoken = language;
  for (const each of workers) void each.deref()?.speak(language);
}

/** Tells a newly started worker the language of the messages that it writes for the user. Returns the worker. */
export function inLanguage<Api extends Comlink.Remote<Speaking>>(api: Api): Api {
  workers.push(new WeakRef(api));
  if (spoken !== "en") void api.speak(spoken);
  return api;
}

/**
 * A second worker. It starts at the first call of `call`, and is replaced by a new worker when a call takes too long.
 */
export interface SideWorker {
  /** Calls the worker. Resolves to null when the call takes longer than `limitMs`; the worker is then terminated. */
  call<T>(limitMs: number, ask: (api: Comlink.Remote<WorkerApi>) => T): Promise<Awaited<T> | null>;
}

export function createSideWorker(): SideWorker {
  let started: Started | null = null;
  return {
    call: (limitMs, ask) => {
      const own = (started ??= startWorker());
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise<null>((resolve) => {
        timer = setTimeout(() => {
          own.worker.terminate();
          if (started === own) started = null;
          resolve(null);
        }, limitMs);
      });
      return Promise.race([ask(own.api), late]).finally(() => clearTimeout(timer));
    },
  };
}

export function createRunner(): Runner {
  let started = startWorker();
  let end: ((outcome: RunOutcome) => void) | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the page is stopping the run because its time limit has passed, and not because the user asked for it. */
  let isOverdue = false;

  const replace = (outcome: RunOutcome) => {
    started.worker.terminate();
    started = startWorker();
    end?.(outcome);
  };
  const stop = (overdue = false) => {
    if (end === null) return;
    isOverdue = overdue;
    void started.api.stop();
    clearTimeout(timer);
    timer = setTimeout(() => replace({ kind: "ended" }), graceMs);
  };

  return {
    stop: () => stop(),
    run: (job, report) =>
      new Promise<RunOutcome>((resolve) => {
        const { worker, api } = started;
        isOverdue = false;
        end = (outcome) => {
          end = null;
          clearTimeout(timer);
          worker.onerror = null;
          resolve(outcome);
        };
        const finish = end;
        worker.onerror = (event) => {
          event.preventDefault();
          replace({ kind: "failed", message: event.message || t("the worker could not be started") });
        };
        // The worker checks its time limit only between two points, so it cannot end a script that never finishes one
        // point. In this case the page terminates the worker. The limit does not include the time for loading the
        // worker
        // and its data.
        const limit = () => {
          if (end !== finish) return;
          clearTimeout(timer);
          if (job.budgetMs > 0) timer = setTimeout(() => stop(true), job.budgetMs + graceMs);
        };
        void api.ready(job.timeZone, job.now).then(limit, () => {});
        const proxy = Comlink.proxy((each: Report) => {
          if (end !== finish) return;
          if (each.kind === "loading") limit();
          report(each);
        });
        api.run(job, proxy).then(
          (answer) => {
            if (end === finish) finish(isOverdue ? endedByBudget(answer) : answer);
          },
          (error: unknown) => {
            if (end === finish)
              finish({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
          },
        );
      }),
  };
}

/**
 * Changes the reason for the end of a run from `stopped` to `budget` (the time limit). Called when the page has
 * stopped the run because of its time limit. The worker does not know this reason: it counts only the time of
 * its own work, so on a busy machine the page sees that the time limit has passed before the worker sees it.
 */
function endedByBudget(answer: RunAnswer): RunAnswer {
  if (answer.kind !== "ran" || answer.summary.endReason !== "stopped") return answer;
  return { ...answer, summary: { ...answer.summary, endReason: "budget" } };
}
