// Reloads the configuration or the rules of a service. Requests that arrive while a reload waits are served by that
// reload, and there is a minimum time between two reloads, so that a flood of signals costs clients little.

import { setTimeout as wait } from "node:timers/promises";

export interface Reloads {
  /** Requests a reload. The reload begins at once unless another one runs or has just ended. */
  ask(): void;
  /** Starts no more reloads; resolves when the running one has ended. */
  close(): Promise<void>;
}

export interface ReloadsOptions {
  /** Does one reload. The promise must never reject. */
  reload(): Promise<void> | void;
  /** Minimum milliseconds between the end of a reload and the next one. */
  gapMs(): number;
  /** Called when a reload has to wait for `ms` milliseconds. */
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
