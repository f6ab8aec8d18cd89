// Manages many deadlines of the same duration, most of which are ended before they expire. Since deadlines
// expire in the order in which they began, one timer, set for the oldest deadline, is enough for all. If each
// deadline had its own Node timer, the timers would take a considerable part of the time of a small write
// request.

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
  /** The deadlines that have neither ended nor expired, the oldest first. */
  const line = new Set<Deadline>();
  let isArmed = false;

  const arm = (inMs: number) => {
    isArmed = true;
    setTimeout(expireDue, Math.min(inMs, longestTimerMs)).unref();
  };

  const expireDue = () => {
    isArmed = false;
    const now = performance.now();
    for (const oldest of line) {
      if (oldest.due > now) return arm(Math.max(1, oldest.due - now));
      oldest.end();
      oldest.expire();
    }
  };

  return {
    begin: (now, expire) => {
      const waiting = new Deadline(line, now + ms, expire);
      line.add(waiting);
      if (!isArmed) arm(ms);
      return waiting;
    },
  };
}

export class Deadline {
  private readonly line: Set<Deadline>;
  readonly due: number;
  readonly expire: () => void;

  constructor(line: Set<Deadline>, due: number, expire: () => void) {
    this.line = line;
    this.due = due;
    this.expire = expire;
  }

  /** Ends the deadline, so that its function `expire` is not called. */
  end(): void {
    this.line.delete(this);
  }
}
