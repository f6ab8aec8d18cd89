// Writes of one worker whose scripts wait for requests: the thread goes on with other jobs meanwhile. What such a write
// keeps lies in no batch.

import type { RunApart } from "../job.ts";

export interface WaitingWrites {
  /** For one write; `park` is called when it begins to wait. */
  apart(park: () => void): RunApart;
  /** Resolves when no write waits with a stateful script, or, with `all`, when none waits. */
  settled(all?: boolean): Promise<void>;
}

export function createWaitingWrites(): WaitingWrites {
  const stateful = new Map<string, Promise<unknown>>();
  const others = new Set<Promise<unknown>>();

  /** Stateful scripts see the points of one write after those of another. */
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
