// An outage: the time during which a place on the disk cannot be written. It begins with a failed write and is reported
// once. A probe every second ends it, so that a service without traffic also notices when the disk works again.

export interface OutageOptions {
  /** Tries to write again. Rejects while writes still fail. */
  probe(): Promise<void>;
  /** Called at the first failure. */
  began(error: Error): void;
  /** Called when a probe succeeds. */
  ended(): void;
}

export const probeMs = 1000;

export class Outage {
  private error: Error | undefined;
  private timer: NodeJS.Timeout | undefined;
  private probing: Promise<void> | undefined;
  private isClosed = false;
  private readonly options: OutageOptions;

  constructor(options: OutageOptions) {
    this.options = options;
  }

  /**
   * The reason why nothing can be written now, as clients may see it, such as `ENOSPC`. Undefined while writes work.
   */
  get reason(): string | undefined {
    return this.error === undefined ? undefined : reasonOf(this.error);
  }

  /** Notes a failed write. */
  failed(error: Error): void {
    const isFirst = this.error === undefined;
    this.error = error;
    if (!isFirst || this.isClosed) return;
    this.options.began(error);
    this.schedule();
  }

  /** Waits for the probe that is running, and starts no other one. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.probing;
  }

  private schedule(): void {
    this.timer = setTimeout(() => {
      this.probing = this.probe();
    }, probeMs);
    this.timer.unref();
  }

  private async probe(): Promise<void> {
    try {
      await this.options.probe();
    } catch (error) {
      this.error = error as Error;
      if (!this.isClosed) this.schedule();
      return;
    }
    this.error = undefined;
    this.options.ended();
  }
}

/** Returns the reason as clients may see it: the code of a system error, since its message may name a path. */
export function reasonOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? error.message;
}
