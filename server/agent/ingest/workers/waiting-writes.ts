// The writes of one worker whose scripts wait for requests. The thread processes other jobs meanwhile. A waiting write
// holds no points in a batch of the module.

import type { RunApart } from "../job.ts";

export interface WaitingWrites {
  /** Returns the RunApart of one write. Calls `park` when the write begins to wait. */
  apart(park: () => void): RunApart;
  /** Resolves when no write with a stateful script waits; with `all`, when no write waits. */
  settled(all?: boolean): Promise<void>;
}

export function createWaitingWrites(): WaitingWrites {
  const stateful = new Map<string, Promise<unknown>>();
  const others = new Set<Promise<unknown>>();

  /**
   * Runs the work after earlier work of the same script: a stateful script sees the points of one write after those of
   * another.
   */
  function inTurn<T>(script: string, work: () => Promise<T>): Promise<T> {
    const before = stateful.get(script) ?? Promise.resolve();
    const running = before.then(work, work);
    stateful.set(script, running);
    const leave = () => {
      if (stateful.get(script) === running) stateful.delete(script);
    };
    running.then(leave, leave);
    return running;
  }

  function beside<T>(work: () => Promise<T>): Promise<T> {
    const running = work();
    others.add(running);
    const leave = () => others.delete(running);
    running.then(leave, leave);
    return running;
  }

  return {
    apart: (park) => (script, isStateful, work) => {
      park();
      return isStateful ? inTurn(script, work) : beside(work);
    },
    settled: async (all = false) => {
      await Promise.allSettled([...stateful.values(), ...(all ? others : [])]);
    },
  };
}
