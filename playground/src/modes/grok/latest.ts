// Runs a job again when it was asked for, one at a time: what is asked for while the job runs counts as one further run.

export class Latest {
  private readonly pauseMs: number;
  private readonly job: () => Promise<void>;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isRunning = false;
  private again = false;

  /** `pauseMs` is the time in milliseconds without a further request after which the job runs. */
  constructor(pauseMs: number, job: () => Promise<void>) {
    this.pauseMs = pauseMs;
    this.job = job;
  }

  /** Whether a further run was asked for, so that the answer of the one that runs is old. */
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
