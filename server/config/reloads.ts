// Limits how often a service reloads its configuration or rules. A minimum time passes between two reloads, so
// that many signals in a row hardly disturb clients. While a reload waits for its time, further requests for a
// reload do not add another one.

import { setTimeout as wait } from "node:timers/promises";

export interface Reloads {
  /** Requests a reload. The reload begins at once, unless another reload runs or has ended only a short time ago. */
  ask(): void;
  /** Prevents further reloads. Resolves when the running reload has ended. */
  close(): Promise<void>;
}

export interface ReloadsOptions {
  /** Reloads the configuration or the rules once. The returned promise must never reject. */
  reload(): Promise<void> | void;
  /** Minimum time in milliseconds from the end of a reload to the start of the next one. */
  gapMs(): number;
  /** Called when a reload has to wait, with the time to wait in milliseconds. */
  onWait(ms: number): void;
}

export function createReloads({ reload, gapMs, onWait }: ReloadsOptions): Reloads {
  const closing = new AbortController();
  let running: Promise<void> = Promise.resolve();
  let isWaiting = false;
  let endedAt = Number.NEGATIVE_INFINITY;
  const runNext = async () => {
    const ms = Math.ceil(endedAt + gapMs() - performance.now());
    if (ms > 0) {
      onWait(ms);
      await wait(ms, undefined, { signal: closing.signal }).catch(() => {});
    }
    isWaiting = false;
    if (closing.signal.aborted) return;
    await reload();
    endedAt = performance.now();
  };
  return {
    ask: () => {
      if (isWaiting || closing.signal.aborted) return;
      isWaiting = true;
      running = running.then(runNext);
    },
    close: async () => {
      closing.abort();
      await running;
    },
  };
}
