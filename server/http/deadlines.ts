// Deadlines that all have the same duration, most of which are ended before they expire. They expire in the order in
// which they began, so one timer, set for the oldest deadline, serves all. A Node timer for each deadline would cost a
// considerable part of the time of a small write.

export interface Deadline {
  /** Ends the deadline, so that its function `expire` is not called. */
  end(): void;
}

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
  const line = new Waiting(0, () => {});
  let isArmed = false;

  const arm = (inMs: number) => {
    isArmed = true;
    setTimeout(expireDue, Math.min(inMs, longestTimerMs)).unref();
  };

  const expireDue = () => {
    isArmed = false;
    const now = performance.now();
    while (line.younger !== line && line.younger.due <= now) {
      const { younger: due } = line;
      due.end();
      due.expire();
    }
    if (line.younger !== line) arm(Math.max(1, line.younger.due - now));
  };

  return {
    begin: (now, expire) => {
      const waiting = new Waiting(now + ms, expire);
      waiting.enter(line);
      if (!isArmed) arm(ms);
      return waiting;
    },
  };
}

/**
 * A deadline in a ring, linked to the next older and the next younger deadline. The head of the ring is no deadline; it
 * lies between the youngest and the oldest one.
 */
class Waiting implements Deadline {
  readonly due: number;
  readonly expire: () => void;
  older: Waiting = this;
  younger: Waiting = this;

  constructor(due: number, expire: () => void) {
    this.due = due;
    this.expire = expire;
  }

  /** Puts this deadline into the ring as the youngest one. `line` is the head of the ring. */
  enter(line: Waiting): void {
    this.older = line.older;
    this.younger = line;
    line.older.younger = this;
    line.older = this;
  }

  end(): void {
    this.older.younger = this.younger;
    this.younger.older = this.older;
    this.older = this;
    this.younger = this;
  }
}
