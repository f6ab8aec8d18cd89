// Small writes that no script, filter or stack runs on are decoded and encoded where they are: handing them to a worker
// thread and its answer back costs more than the work itself. Everything else goes to the workers.

import { compileDropRules } from "../../lib/filter/drop-rules.ts";
import { answerWrite } from "./answer-write.ts";
import { createEngine, type Engine } from "./engine.ts";
import type { FilterSources, WriteAnswer, WriteJob } from "./protocol.ts";
import type { WriteLimits } from "./write-job.ts";

/** Bodies up to so many bytes. Forms that are scanned in WebAssembly take some ten microseconds for it, the others more. */
const mostBytes = { lp: 16 * 1024, pb: 16 * 1024, json: 2048, pbjson: 2048 } as const;

export interface SmallWrites {
  takes(job: WriteJob, filters: FilterSources): boolean;
  run(job: WriteJob): Promise<WriteAnswer>;
}

export function createSmallWrites(wasm: WebAssembly.Module, limits: WriteLimits): SmallWrites {
  const noRules = compileDropRules({}, { strictTypes: true });
  let engine: Promise<Engine> | undefined;
  const ready = () => (engine ??= createEngine(wasm, { maxSteps: 0 }));

  return {
    takes: (job, filters) =>
      job.body.length <= mostBytes[job.form] &&
      job.script === undefined &&
      job.encoding === "" &&
      job.foreign === undefined &&
      job.category !== "rum" &&
      (filters[job.category]?.length ?? 0) === 0,
    run: async (job) => {
      try {
        return await answerWrite(await ready(), noRules, job, limits);
      } catch (error) {
        // Whatever state the instance is in: the next write gets a new one.
        engine = undefined;
        throw error;
      }
    },
  };
}
