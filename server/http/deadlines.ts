// Manages many deadlines of the same duration, most of which are ended before they expire. Since deadlines
// expire in the order in which they began, one timer, set for the oldest deadline, is enough for all. If each
// deadline had its own Node timer, the timers would take a considerable part of the time of a small write
// request.

import { RingLink } from "./ring.ts";

export interface Deadlines {
  /**
   * Begins a deadline. Calls `expire` when the common duration is over, unless the deadline is ended before that.
   * `now`: the current time, as `performance.now` returns it.
   */
  begin(now: number, expire: () => void): Deadline;
}

/** The longest delay in milliseconds that a Node timer supports. Node treats a longer delay as 1 ms. */
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
