// The time during which a place on disk cannot be written. It begins with a write that fails, and is reported once. A probe ends it: the
// place is tried every second, so that a service of which nothing is asked any more notices by itself that it works again.

export interface OutageOptions {
  /** Tries what failed; rejects while it still fails. */
  probe(): Promise<void>;
  /** The first failure. */
  began(error: Error): void;
  /** The probe has succeeded. */
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

  /** Why nothing can be written now, for clients: `ENOSPC`. Undefined while writes work. */
  get reason(): string | undefined {
    return this.error === undefined ? undefined : reasonOf(this.error);
  }

  /** A write has failed. */
  failed(error: Error): void {
    const isFirst = this.error === undefined;
    this.error = error;
    if (!isFirst || this.isClosed) return;
    this.options.began(error);
    this.schedule();
  }

  /** Waits for a probe that is under way; there is none after it. */
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

/** For clients: the message of the system's errors may name a path. */
export function reasonOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? error.message;
}
