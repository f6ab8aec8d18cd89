// The benchmark of the project's scripts: its last result, and the time of each statement for the gutter.

import type { Benchmark } from "../../worker/bench/benchmark.ts";
import type { SideWorker } from "../../worker/client.ts";
import type { Job, ScriptText } from "../../worker/protocol.ts";

/** Time in milliseconds for which each set of scripts is measured. */
export const benchMs = 3000;

export class Bench {
  result = $state.raw<Benchmark | null>(null);
  isRunning = $state(false);
  /** Why there is no result; empty when there is one or none was asked for. */
  problem = $state("");
  /** The scripts of the result; the shares of statements hold for these texts only. */
  scripts = $state.raw<readonly ScriptText[]>([]);

  private readonly worker: SideWorker;
  private readonly job: () => Job;
  private runs = 0;

  constructor(worker: SideWorker, job: () => Job) {
    this.worker = worker;
    this.job = job;
  }

  /** Measures the scripts of the project, and in turns with them the given ones, when there are some. */
  async run(other: readonly ScriptText[] | null): Promise<void> {
    const own = ++this.runs;
    const job = this.job();
    this.isRunning = true;
    const answer = await this.worker.call(12 * benchMs, (api) => api.measure({ job, other, ms: benchMs }));
    if (own !== this.runs) return;
    this.isRunning = false;
    this.scripts = job.scripts;
    this.problem = answer === null ? "The script did not come to an end." : typeof answer === "string" ? answer : "";
    this.result = answer === null || typeof answer === "string" ? null : answer;
  }

  clear(): void {
    this.runs++;
    this.isRunning = false;
    this.result = null;
    this.problem = "";
  }
}
