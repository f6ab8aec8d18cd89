// Decides how many batches a delivery sends one at a time after a failure, because some servers and proxies cannot take
// a request before they have answered the previous one. The number doubles with each failure of a batch that was sent
// together with other batches.

const firstBatches = 16;
const mostBatches = 1024;

export class SerialFallback {
  /** Number of further batches that are sent one at a time. */
  private left = 0;
  /** The value that `left` gets at the next failure of a batch that was sent together with other batches. */
  private next = firstBatches;
  /** Number of successful batches since the last failure. */
  private calm = 0;

  get sendsOneAtATime(): boolean {
    return this.left > 0;
  }

  noteBegun(): void {
    this.left = Math.max(0, this.left - 1);
  }

  /**
   * Records that a batch succeeded. After `mostBatches` successes without a failure, `next` is set back to its first
   * value.
   */
  noteDone(): void {
    if (++this.calm >= mostBatches) this.next = firstBatches;
  }

  /**
   * Records that a batch failed. The next batches are then sent one at a time. When the failed batch was sent together
   * with other batches (`wereSeveral`), the number doubles for the next such failure.
   */
  noteFailure(wereSeveral: boolean): void {
    this.calm = 0;
    this.left = Math.max(this.left, wereSeveral ? this.next : firstBatches);
    if (wereSeveral) this.next = Math.min(2 * this.next, mostBatches);
  }

  /** Records that the receiver closes each connection after one batch. The next batches are then sent one at a time. */
  noteClosing(): void {
    this.left = Math.max(this.left, firstBatches);
  }
}
