// The benchmark of the scripts in the page's project: its last result, and for each statement the fraction of
// the run time that the statement took. The editor shows these fractions in its gutter.

import { t } from "../../text/translate.ts";
import type { Benchmark } from "../../worker/bench/benchmark.ts";
import type { SideWorker } from "../../worker/client.ts";
import type { Job, ScriptText } from "../../worker/protocol.ts";

/** Time in milliseconds for which each set of scripts is measured. */
export const benchMs = 3000;

export class Bench {
  result = $state.raw<Benchmark | null>(null);
  isRunning = $state(false);
  /** The reason why the last benchmark has no result; empty when it has a result, and before the first benchmark. */
  problem = $state("");
  /** The scripts that were measured. The shares of statements are valid only for these texts. */
  scripts = $state.raw<readonly ScriptText[]>([]);

  private readonly worker: SideWorker;
  private readonly job: () => Job;
  private runs = 0;

  constructor(worker: SideWorker, job: () => Job) {
    this.worker = worker;
    this.job = job;
  }

  /**
   * Measures the scripts of the project. When `other` is not null, measures the scripts in `other` alternately with the
   * scripts of the project.
   */
  async run(other: readonly ScriptText[] | null): Promise<void> {
    const own = ++this.runs;
    const job = this.job();
    this.isRunning = true;
    const answer = await this.worker.call(12 * benchMs, (api) => api.measure({ job, other, ms: benchMs }));
    if (own !== this.runs) return;
    this.isRunning = false;
    this.scripts = job.scripts;
    this.problem = answer === null ? t("The script did not come to an end.") : typeof answer === "string" ? answer : "";
    this.result = answer === null || typeof answer === "string" ? null : answer;
  }

  clear(): void {
    this.runs++;
    this.isRunning = false;
    this.result = null;
    this.problem = "";
  }
}
