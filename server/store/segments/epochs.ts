// Files and tables that queries may still read are removed later: when every statement that began before they were replaced has ended.

export class Epochs {
  private current = 0;
  /** Statements that run, by the epoch in which they began. */
  private readonly running = new Map<number, number>();
  private readonly retired: { readonly epoch: number; readonly remove: () => Promise<void> }[] = [];
  private readonly failed: (error: unknown) => void;
  private removing: Promise<void> = Promise.resolve();

  /** `failed` is called with the error of a removal. */
  constructor(failed: (error: unknown) => void) {
    this.failed = failed;
  }

  /** A statement begins; the function that this returns is called when it has ended. */
  enter(): () => void {
    const epoch = this.current;
    this.running.set(epoch, (this.running.get(epoch) ?? 0) + 1);
    return () => {
      const left = this.running.get(epoch)! - 1;
      if (left > 0) this.running.set(epoch, left);
      else this.running.delete(epoch);
      this.removeUnused();
    };
  }

  /** Calls `remove` when no statement that has begun until now runs any more. */
  retire(remove: () => Promise<void>): void {
    this.retired.push({ epoch: this.current++, remove });
    this.removeUnused();
  }

  /** Resolves when all removals that could begin have ended. */
  async settled(): Promise<void> {
    await this.removing;
  }

  private removeUnused(): void {
    const oldest = Math.min(...this.running.keys());
    while (this.retired.length > 0 && this.retired[0]!.epoch < oldest) {
      const { remove } = this.retired.shift()!;
      this.removing = this.removing.then(remove).catch(this.failed);
    }
  }
}
