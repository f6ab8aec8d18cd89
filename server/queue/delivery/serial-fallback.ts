// Decides how many batches a delivery sends one at a time after a failure. This is needed because some servers
// and proxies cannot accept a request before they have answered the previous one. The number doubles with each
// failure of a batch that was sent while other batches were under way.

const firstBatches = 16;
const mostBatches = 1024;

export class SerialFallback {
  /** The number of batches (records sent together) that must still be sent one at a time. */
  private left = 0;
  /**
   * The number of batches that are sent one at a time after the next failure, if the failed batch was sent while
   * other batches were under way.
   */
  private next = firstBatches;
  /** The number of batches (records sent together) that were sent successfully since the last failure. */
  private calm = 0;

  get sendsOneAtATime(): boolean {
    return this.left > 0;
  }

  noteBegun(): void {
    this.left = Math.max(0, this.left - 1);
  }

  /**
   * Records that a batch (records sent together) was sent successfully. After `mostBatches` successes without a
   * failure, earlier failures are forgotten, so that the next failure counts as the first one.
   */
  noteDone(): void {
    if (++this.calm >= mostBatches) this.next = firstBatches;
  }

  /**
   * Records that sending a batch (records sent together) has failed. The next batches are then sent one at a time.
   * `wereSeveral`: whether other batches were under way at the same time; if so, the next failure of this kind
   * makes twice as many batches be sent one at a time.
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
