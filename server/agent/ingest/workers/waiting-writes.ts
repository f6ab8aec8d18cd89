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
  /**
   * The writes that have not ended. The key is the script when the script keeps state, and the value is then the last
   * write of this script. Each other write has a key of its own, which is a symbol.
   */
  const waiting = new Map<string | symbol, Promise<unknown>>();

  return {
    apart: (park) => (script, isStateful, work) => {
      park();
      // A script that keeps state must process the points of an earlier write before the points of a later write. So
      // the work begins after all earlier writes of the same script have ended.
      const key = isStateful ? script : Symbol();
      const before = waiting.get(key) ?? Promise.resolve();
      const running = before.then(work, work);
      waiting.set(key, running);
      const leave = () => {
        if (waiting.get(key) === running) waiting.delete(key);
      };
      running.then(leave, leave);
      return running;
    },
    whenIdle: async (all = false) => {
      const awaited = Array.from(waiting).filter(([key]) => all || typeof key === "string");
      await Promise.allSettled(awaited.map(([, running]) => running));
    },
  };
}
