// Whether this process has processor time left for what could be left undone. It has none while its thread hardly ever waits for something to
// do, or most writes that need a worker wait for one.

import { performance } from "node:perf_hooks";

export interface SpareTime {
  /** A write was given to the workers, and there is one that waits. */
  noteWrite(waits: boolean): void;
  readonly isLeft: boolean;
}

export interface SpareTimeOptions {
  /** Milliseconds. */
  readonly now: () => number;
  /** Share of the time since the last call in which the thread had something to do. */
  readonly utilization: () => number;
}

const spanMs = 200;
const mostUtilization = 0.9;
/** Spans in a row: the first one after the start is full of it. */
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

/** Of the calling thread, since the last call. */
export function threadUtilization(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const current = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(current, last);
    last = current;
    return utilization;
  };
}
