// Removes replaced files and tables as soon as every SQL statement that began before the replacement has ended.

export class Epochs {
  private current = 0;
  /**
   * The number of running SQL statements, by the epoch in which they began. An epoch is the time between two
   * replacements of files or tables.
   */
  private readonly running = new Map<number, number>();
  private readonly retired: { readonly epoch: number; readonly remove: () => Promise<void> }[] = [];
  private readonly failed: (error: unknown) => void;
  private removing: Promise<void> = Promise.resolve();

  /** `failed` is called with the error when a file or table cannot be removed. */
  constructor(failed: (error: unknown) => void) {
    this.failed = failed;
  }

  /** Registers a running SQL statement. The caller must call the returned function when the statement has ended. */
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

  /** Calls `remove` when all SQL statements that began before this call have ended. */
  retire(remove: () => Promise<void>): void {
    this.retired.push({ epoch: this.current++, remove });
    this.removeUnused();
  }

  /** Resolves when all removals of files and tables that have started are done. */
  async removalsDone(): Promise<void> {
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
