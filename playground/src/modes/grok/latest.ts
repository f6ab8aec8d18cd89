// Runs a job after it is requested, but never twice at a time. All requests during a run cause only one more run.

export class Latest {
  private readonly pauseMs: number;
  private readonly job: () => Promise<void>;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isRunning = false;
  private again = false;

  /** The job runs when no further request has come for `pauseMs` milliseconds. */
  constructor(pauseMs: number, job: () => Promise<void>) {
    this.pauseMs = pauseMs;
    this.job = job;
  }

  /** Whether another run is requested already. The result of the current run is then outdated. */
  get isAsked(): boolean {
    return this.again;
  }

  ask(): void {
    this.again = true;
    if (this.isRunning) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.run(), this.pauseMs);
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    this.again = false;
    try {
      await this.job();
    } finally {
      this.isRunning = false;
      if (this.again) this.ask();
    }
  }
}
