// Estimates whether this process has processor time for optional work. It has none while its thread hardly ever waits,
// or while most writes that need a worker wait for one.

import { performance } from "node:perf_hooks";

export interface SpareTime {
  /** Records that a write was passed to the workers, and whether any write waits. */
  noteWrite(waits: boolean): void;
  readonly isLeft: boolean;
}

export interface SpareTimeOptions {
  /** Returns a time in milliseconds. */
  readonly now: () => number;
  /** Returns the share of the time since the last call in which the thread was busy, from 0 to 1. */
  readonly utilization: () => number;
}

const spanMs = 200;
const mostUtilization = 0.9;
/**
 * Number of consecutive busy spans after which there is no spare time. The start of the agent alone fills the first
 * span.
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

/** Returns a function for the utilization of the calling thread since the previous call. */
export function threadUtilization(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const current = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(current, last);
    last = current;
    return utilization;
  };
}
