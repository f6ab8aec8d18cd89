// Estimates whether this process has processor time left for optional work, such as compressing uploads. The process
// has no time left when its main thread is almost always busy, or when most of the writes that need a worker thread
// have to wait for a thread.

import { performance } from "node:perf_hooks";

export interface SpareTime {
  /**
   * Records that a write was passed to the worker threads. `waits`: whether any write waits for a thread at this
   * moment.
   */
  noteWrite(waits: boolean): void;
  readonly isLeft: boolean;
}

export interface SpareTimeOptions {
  /** Returns the current time of a clock in milliseconds. */
  readonly now: () => number;
  /**
   * Returns how busy the thread was since the previous call: the share of this time in which it was busy, from 0 to 1.
   */
  readonly utilization: () => number;
}

const spanMs = 200;
const mostUtilization = 0.9;
/**
 * Number of consecutive busy intervals (of `spanMs` milliseconds each) after which the process counts as having no time
 * left. One busy interval is not enough, since the start of the agent alone causes one.
 */
const busySpans = 2;

export function createSpareTime({ now, utilization }: SpareTimeOptions): SpareTime {
  let began = now();
  let writes = 0;
  let waiting = 0;
  let busy = 0;
  return {
    noteWrite: (waits) => {
      writes++;
      if (waits) waiting++;
    },
    get isLeft() {
      const at = now();
      if (at - began >= spanMs) {
        const isBusy = utilization() > mostUtilization || 2 * waiting > writes;
        busy = isBusy ? busy + 1 : 0;
        began = at;
        writes = 0;
        waiting = 0;
      }
      return busy < busySpans;
    },
  };
}

/** Returns a function that returns the share of time in which the calling thread was busy since the previous call. */
export function threadUtilization(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const current = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(current, last);
    last = current;
    return utilization;
  };
}
