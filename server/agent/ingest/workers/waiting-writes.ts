// The writes of one worker thread whose scripts wait for HTTP requests. The thread processes other jobs during
// the wait. The points of a waiting write do not occupy the memory of the WebAssembly module.

import type { RunApart } from "../job.ts";

export interface WaitingWrites {
  /**
   * Returns a function that runs a write whose script waits for HTTP requests, while the thread runs other jobs. The
   * function first calls `park`, which allows the thread to take another job.
   */
  apart(park: () => void): RunApart;
  /**
   * Resolves when all waiting writes of scripts that keep state have ended; with `all`, when all waiting writes have
   * ended.
   */
  whenIdle(all?: boolean): Promise<void>;
}

export function createWaitingWrites(): WaitingWrites {
  const stateful = new Map<string, Promise<unknown>>();
  const others = new Set<Promise<unknown>>();

  /**
   * Runs `work`, which processes one write, after all earlier writes of the same script have ended. So a script
   * that keeps state processes the points of an earlier write before the points of a later write.
   */
  function afterEarlier<T>(script: string, work: () => Promise<T>): Promise<T> {
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
      return isStateful ? afterEarlier(script, work) : beside(work);
    },
    whenIdle: async (all = false) => {
      await Promise.allSettled([...stateful.values(), ...(all ? others : [])]);
    },
  };
}
