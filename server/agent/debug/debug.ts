// Runs a script-debugging request in a worker thread of its own. When the script exceeds its deadline on a point, ends
// the thread and continues with the next point in a new thread (docs/reference/agent.md#script-debugging;
// docs/reference/language.md#limits).

import { Worker } from "node:worker_threads";
import type { PlError } from "../../../lib/pipeline/index.ts";
import { ApiError } from "../../http/errors.ts";
import { JobAborted } from "../thread-pool.ts";
import { failureJson } from "./debug-json.ts";
import type { DebugJob, FromDebugWorker } from "./debug-protocol.ts";

export interface DebugOutcome {
  /** Run time of the script in nanoseconds; undefined when the script has an error. */
  readonly costNs: bigint | undefined;
  readonly benchmark: string;
  readonly scriptError: PlError | undefined;
  /** The results of the script as JSON, one for each point. */
  readonly results: readonly string[];
}

const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
/**
 * Grace period in milliseconds after the deadline. A script stops by itself at its deadline; when it still runs
 * after the grace period, the main thread ends the script's worker thread.
 */
const graceMs = 500;
/**
 * Time limit in milliseconds for the benchmark of a script. A benchmark usually takes a few seconds, but for a
 * slow script even a single run may take as long as this limit.
 */
const benchmarkMs = 15_000;

/** Runs a script-debugging request. Throws ApiError when the request is refused. */
export async function debugScripts(job: Omit<DebugJob, "from">, signal: AbortSignal): Promise<DebugOutcome> {
  const results: string[] = [];
  let costNs = 0n;
  for (;;) {
    const outcome = await oneThread({ ...job, from: results.length }, signal, results);
    if (outcome.kind === "refused") throw new ApiError(outcome.code, outcome.message);
    if (outcome.kind === "script-error")
      return { costNs: undefined, benchmark: "", scriptError: outcome.error, results: [] };
    costNs += outcome.costNs;
    if (outcome.kind === "done") return { costNs, benchmark: outcome.benchmark, scriptError: undefined, results };
    if (outcome.at === undefined) return { costNs, benchmark: "", scriptError: undefined, results };
    const file = job.scriptName.endsWith(".p") ? job.scriptName : `${job.scriptName}.p`;
    const error = `script exceeded ${job.deadlineMs / 1000}s`;
    results.push(failureJson({ pos_chain: [{ file, ln: 1, col: 1, pos: 0 }], error }));
  }
}

/**
 * The outcome after the main thread has ended the worker thread, because the script ran too long on a point or
 * the benchmark took too long. `at`: the index of the point on which the script ran too long; undefined for the
 * benchmark.
 */
type Ended = { readonly kind: "ended"; readonly at: number | undefined; readonly costNs: bigint };
type ThreadOutcome = Exclude<FromDebugWorker, { kind: "begin" | "result" | "aggregated" }> | Ended;

function oneThread(job: DebugJob, signal: AbortSignal, results: string[]): Promise<ThreadOutcome> {
  return new Promise<ThreadOutcome>((resolve, reject) => {
    if (signal.aborted) return reject(new JobAborted());
    const began = process.hrtime.bigint();
    const worker = new Worker(new URL(`./debug-worker.${extension}`, import.meta.url), {
      workerData: job,
      resourceLimits: { maxOldGenerationSizeMb: 1024 },
    });
    let watch: NodeJS.Timeout | undefined;
    const finish = (conclude: () => void) => {
      clearTimeout(watch);
      signal.removeEventListener("abort", abort);
      worker.removeAllListeners();
      worker.on("error", () => {});
      void worker.terminate();
      conclude();
    };
    const abort = () => finish(() => reject(new JobAborted()));
    signal.addEventListener("abort", abort, { once: true });
    worker.on("message", (message: FromDebugWorker) => {
      switch (message.kind) {
        case "begin": {
          clearTimeout(watch);
          const at = message.of === "point" ? message.at : undefined;
          watch = setTimeout(
            () => {
              const costNs = process.hrtime.bigint() - began;
              finish(() => resolve({ kind: "ended", at, costNs }));
            },
            (at === undefined ? Math.max(job.deadlineMs, benchmarkMs) : job.deadlineMs) + graceMs,
          );
          break;
        }
        case "result":
          clearTimeout(watch);
          results.push(message.json);
          break;
        case "aggregated":
          results.push(...message.json);
          break;
        default:
          finish(() => resolve(message));
      }
    });
    worker.on("error", (error) => finish(() => reject(error)));
    worker.on("exit", (code) => finish(() => reject(new Error(`the debug thread ended with code ${code}`))));
  });
}
