// Runs a job each time that it is requested, but never twice at once. All requests that come while the job runs cause
// only one more run of the job.

export class Latest {
  private readonly pauseMs: number;
  private readonly job: () => Promise<void>;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isRunning = false;
  private again = false;

  /** `job` runs when `pauseMs` milliseconds have passed since the last request. */
  constructor(pauseMs: number, job: () => Promise<void>) {
    this.pauseMs = pauseMs;
    this.job = job;
  }

  /** Whether the job was requested again while it runs. Its result is then outdated. */
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
