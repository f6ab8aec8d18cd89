// An outage: the time during which a file or folder of a queue cannot be written. It begins with a failed write and is
// reported once. A probe (test write) every second finds out when writes work again, also in a service without traffic.

export interface OutageOptions {
  /** Writes to the disk as a test. Rejects while writes still fail. */
  probe(): Promise<void>;
  /** Called when a failed write shows that the disk cannot be written. */
  began(error: Error): void;
  /** Called when a probe (test write) succeeds, which ends the outage. */
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
   * The reason why nothing can be written now, in the form that clients may see, such as `ENOSPC`; undefined while
   * writes work.
   */
  get reason(): string | undefined {
    return this.error === undefined ? undefined : reasonOf(this.error);
  }

  /** Records that a write has failed. This begins an outage if none is going on. */
  failed(error: Error): void {
    const isFirst = this.error === undefined;
    this.error = error;
    if (!isFirst || this.isClosed) return;
    this.options.began(error);
    this.schedule();
  }

  /** Stops the probes (test writes). Resolves when a running probe has ended. */
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

/**
 * Returns the text that tells clients the reason of an error: the code of a system error, because its message may name
 * a path.
 */
export function reasonOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? error.message;
}
