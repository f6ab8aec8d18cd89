// Deadlines that all have the same duration. Most deadlines are ended before they expire. Deadlines expire in the order
// in which they began, so one timer, set for the oldest deadline, serves all. A Node timer for each deadline would take
// a considerable part of the time of a small write (request that brings points).

import { RingLink } from "./ring.ts";

export interface Deadlines {
  /**
   * Begins a deadline. Calls `expire` after the duration that all deadlines share, unless the deadline is ended before.
   * `now` is the current time, as `performance.now` gives it.
   */
  begin(now: number, expire: () => void): Deadline;
}

/** Longest delay in milliseconds of a Node timer. Node treats a longer delay as 1 ms. */
const longestTimerMs = 2 ** 31 - 1;

export function createDeadlines(ms: number): Deadlines {
  const line = new RingLink();
  let isArmed = false;

  const arm = (inMs: number) => {
    isArmed = true;
    setTimeout(expireDue, Math.min(inMs, longestTimerMs)).unref();
  };

  const expireDue = () => {
    isArmed = false;
    const now = performance.now();
    for (;;) {
      if (!line.isLinked) return;
      const oldest = line.next as Deadline;
      if (oldest.due > now) return arm(Math.max(1, oldest.due - now));
      oldest.end();
      oldest.expire();
    }
  };

  return {
    begin: (now, expire) => {
      const waiting = new Deadline(now + ms, expire);
      waiting.enter(line);
      if (!isArmed) arm(ms);
      return waiting;
    },
  };
}

export class Deadline extends RingLink {
  readonly due: number;
  readonly expire: () => void;

  constructor(due: number, expire: () => void) {
    super();
    this.due = due;
    this.expire = expire;
  }

  /** Ends the deadline, so that its function `expire` is not called. */
  end(): void {
    this.leave();
  }
}
