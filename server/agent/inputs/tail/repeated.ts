// Runs a task again and again, with a pause after each run. A caller can shorten the pause.

export interface Repeated {
  /**
   * Makes the next run of the task begin after at most `ms` milliseconds. When a run is in progress, the time counts
   * from its end.
   */
  soon(ms: number): void;
  /** Prevents further runs of the task. Resolves when the run in progress has ended. */
  close(): Promise<void>;
}

/**
 * Runs `task` at once, and again after each pause. `everyMs`: the usual pause in milliseconds. `task` must never
 * reject.
 */
export function createRepeated(task: () => Promise<void>, everyMs: number): Repeated {
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  let running: Promise<void> | undefined;
  /** The pause that will follow the current run of the task, in milliseconds. */
  let pauseMs = everyMs;
  let isClosed = false;
  const plan = (ms: number) => {
    clearTimeout(timer);
    dueAt = performance.now() + ms;
    timer = setTimeout(() => {
      pauseMs = everyMs;
      running = task().then(() => {
        running = undefined;
        if (!isClosed) plan(pauseMs);
      });
    }, ms);
    timer.unref();
  };
  plan(0);
  return {
    soon: (ms) => {
      if (isClosed) return;
      if (running !== undefined) pauseMs = Math.min(pauseMs, ms);
      else if (performance.now() + ms < dueAt) plan(ms);
    },
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await running;
    },
  };
}
