// Runs a task again and again, with a pause between two runs that may be cut short.

export interface Repeated {
  /** Has the next run begin after at most `ms` milliseconds, or as long after the run that is under way. */
  soon(ms: number): void;
  /** Prevents further runs. Resolves when the run that is under way has ended. */
  close(): Promise<void>;
}

/** `task` must never reject. `everyMs`: the usual pause in milliseconds. The first run begins at once. */
export function createRepeated(task: () => Promise<void>, everyMs: number): Repeated {
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  let running: Promise<void> | undefined;
  /** The pause after the run that is under way. */
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
