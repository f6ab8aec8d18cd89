// Decides how many batches a delivery sends one at a time after a failure. Some servers and proxies cannot take a
// request before they have answered the previous request.

const firstBatches = 16;
const mostBatches = 1024;

export class SerialFallback {
  /** Number of batches that are still to be sent one at a time. */
  private left = 0;
  /** Number of batches to send one at a time after the next failure of a batch that was sent together with others. */
  private next = firstBatches;
  /** Number of batches sent without a failure since the last failure. */
  private calm = 0;

  get sendsOneAtATime(): boolean {
    return this.left > 0;
  }

  noteBegun(): void {
    this.left = Math.max(0, this.left - 1);
  }

  /**
   * Records a batch that was sent without a failure. After `mostBatches` such batches in a row, the next failure counts
   * as the first one.
   */
  noteDone(): void {
    if (++this.calm >= mostBatches) this.next = firstBatches;
  }

  /**
   * Records a failed batch: the next batches are sent one at a time. When the failed batch was sent together with
   * others (`wereSeveral`), twice as many batches are sent one at a time after the next such failure.
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
