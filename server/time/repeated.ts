// Runs a task again and again, with a pause after each run. A caller can shorten the pause.

export interface Repeated {
  /**
   * Makes the next run of the task begin after at most `ms` milliseconds. When a run is in progress, the time is
   * counted from the end of this run.
   */
  soon(ms: number): void;
  /** Prevents further runs of the task. Resolves when the run in progress has ended. */
  close(): Promise<void>;
}

/**
 * Runs `task` at once, and again after each pause. `usualPauseMs` is called after each run, and returns the pause in
 * milliseconds before the next run. A call of the method `soon` may shorten this pause. `task` must never reject.
 */
export function createRepeated(task: () => Promise<void>, usualPauseMs: () => number): Repeated {
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  let running: Promise<void> | undefined;
  /**
   * Upper limit in milliseconds for the pause after the run that is in progress. The limit is the shortest time
   * that was passed to the method `soon` during this run.
   */
  let longestMs = Number.POSITIVE_INFINITY;
  let isClosed = false;
  const plan = (ms: number) => {
    clearTimeout(timer);
    dueAt = performance.now() + ms;
    timer = setTimeout(() => {
      longestMs = Number.POSITIVE_INFINITY;
      running = task().then(() => {
        running = undefined;
        if (!isClosed) plan(Math.min(longestMs, usualPauseMs()));
      });
    }, ms);
    timer.unref();
  };
  plan(0);
  return {
    soon: (ms) => {
      if (isClosed) return;
      if (running !== undefined) longestMs = Math.min(longestMs, ms);
      else if (performance.now() + ms < dueAt) plan(ms);
    },
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await running;
    },
  };
}
