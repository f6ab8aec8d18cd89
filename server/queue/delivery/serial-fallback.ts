// Decides how many batches a delivery sends one at a time after a failure, because some servers and proxies cannot take
// a request before they have answered the previous one. The number doubles with each failure of a batch that was sent
// together with other batches.

const firstBatches = 16;
const mostBatches = 1024;

export class SerialFallback {
  /** Number of batches (records sent together) that are still to be sent one at a time. */
  private left = 0;
  /**
   * Number of batches that will be sent one at a time after the next failure of a batch that was sent together with
   * others.
   */
  private next = firstBatches;
  /** Number of batches (records sent together) that were sent successfully since the last failure. */
  private calm = 0;

  get sendsOneAtATime(): boolean {
    return this.left > 0;
  }

  noteBegun(): void {
    this.left = Math.max(0, this.left - 1);
  }

  /**
   * Records that a batch (records sent together) was sent successfully. After `mostBatches` successes without a
   * failure, the next failure has the effect of a first failure.
   */
  noteDone(): void {
    if (++this.calm >= mostBatches) this.next = firstBatches;
  }

  /**
   * Records that sending a batch (records sent together) has failed, so that the next batches are sent one at a time.
   * If the batch was sent together with others (`wereSeveral`), the next failure of this kind will cause twice as many
   * batches to be sent one at a time.
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
