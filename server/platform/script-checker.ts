// Compiles pipeline scripts to find their mistakes. The scripts are compiled in a worker thread, because a
// user's script may take a long time to compile.

import { Worker } from "node:worker_threads";
import type { Diagnostic } from "../../lib/index.ts";
import { within } from "../time/within.ts";
import { CheckTimeout, type ScriptChecker } from "./open-api/services.ts";

export interface CheckingThread extends ScriptChecker {
  close(): Promise<void>;
}

export interface CheckJob {
  readonly id: number;
  readonly scripts: Readonly<Record<string, string>>;
}

export interface CheckAnswer {
  readonly id: number;
  readonly diagnostics: readonly Diagnostic[];
}

interface Waiting {
  resolve(diagnostics: readonly Diagnostic[]): void;
  reject(error: Error): void;
}

/**
 * Returns a script checker. It starts its worker thread at the first check. When a check exceeds its time limit,
 * the next check starts a new worker thread.
 */
export function createScriptChecker(deadlineMs = 10_000): CheckingThread {
  let worker: Worker | undefined;
  const waiting = new Map<number, Waiting>();
  let last = 0;

  const end = async (error: Error): Promise<void> => {
    const ended = worker;
    worker = undefined;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    await ended?.terminate();
  };

  const start = (): Worker => {
    const started = new Worker(new URL("./script-check-worker.js", import.meta.url));
    started.unref();
    started.on("message", ({ id, diagnostics }: CheckAnswer) => {
      waiting.get(id)?.resolve(diagnostics);
      waiting.delete(id);
    });
    started.on("error", (error) => {
      if (worker === started) void end(error);
    });
    return started;
  };

  return {
    check: async (scripts) => {
      worker ??= start();
      const id = ++last;
      const checked = new Promise<CheckAnswer["diagnostics"]>((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        worker!.postMessage({ id, scripts } satisfies CheckJob);
      });
      const diagnostics = await within(checked, deadlineMs);
      if (diagnostics !== undefined) return diagnostics;
      const late = new CheckTimeout("takes too long to compile");
      void end(late);
      throw late;
    },
    close: () => end(new Error("the platform stops")),
  };
}
