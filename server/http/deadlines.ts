// Deadlines of one length, most of which are ended before they expire. They expire in the order in which they began, so
// one timer, for the oldest, serves all. A Node timer for each deadline would cost a considerable part of a small
// write.

export interface Deadline {
  /** Ends the deadline: its `expire` is not called. */
  end(): void;
}

export interface Deadlines {
  /**
   * Begins a deadline. Calls `expire` after the common time, unless the deadline is ended before. `now` is the time
   * that `performance.now` gives.
   */
  begin(now: number, expire: () => void): Deadline;
}

/** Longest delay of a timer: Node treats a longer one as 1 ms. */
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
 * A deadline in a ring, between the next older and the next younger one. The head of the ring lies between the youngest
 * and the oldest.
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

  /** Enters the ring as the youngest. */
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
