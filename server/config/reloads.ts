// When a service reads its configuration or its rules anew: what asks for it while one reload waits is part of that reload, and two
// reloads have time between them. A flood of signals costs clients little.

import { setTimeout as wait } from "node:timers/promises";

export interface Reloads {
  /** Asks for a reload, which begins at once unless another one runs or has ended a moment ago. */
  ask(): void;
  /** No reload begins from now on; resolves when none runs. */
  close(): Promise<void>;
}

export interface ReloadsOptions {
  /** Never rejects. */
  reload(): Promise<void> | void;
  /** Least milliseconds between the end of a reload and the next one. */
  gapMs(): number;
  /** A reload begins only after these milliseconds. */
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
