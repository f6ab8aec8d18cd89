// Waits of one length, most of which end before their time. They come due in the order in which they began, so one timer, for
// the oldest, serves all: one of Node's for each costs a good part of what a small write does.

export interface Deadline {
  /** What was to happen does not. */
  end(): void;
}

export interface Deadlines {
  /** Calls `expire` after the time that all have, unless the deadline is ended before. `now`: by the clock of `performance.now`. */
  begin(now: number, expire: () => void): Deadline;
}

/** Node takes a longer one for none. */
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

/** Stands between the next older and the next younger one; the line itself between the youngest and the oldest. */
class Waiting implements Deadline {
  readonly due: number;
  readonly expire: () => void;
  older: Waiting = this;
  younger: Waiting = this;

  constructor(due: number, expire: () => void) {
    this.due = due;
    this.expire = expire;
  }

  /** As the youngest. */
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
