// Decides how many batches are sent one at a time after a failure. Some servers and proxies cannot take a request
// before they have answered the one before it.

const firstBatches = 16;
const mostBatches = 1024;

export class Caution {
  /** Number of batches that are still sent one at a time. */
  private left = 0;
  /** Number of batches to send one at a time after the next failure of one of several. */
  private next = firstBatches;
  /** Number of batches done since the last failure. */
  private calm = 0;

  get sendsOneAtATime(): boolean {
    return this.left > 0;
  }

  noteBegun(): void {
    this.left = Math.max(0, this.left - 1);
  }

  /** Notes a batch that is done. After `mostBatches` of them in a row, the next failure counts as the first. */
  noteDone(): void {
    if (++this.calm >= mostBatches) this.next = firstBatches;
  }

  /**
   * Notes a failed batch. Each failure of one of several batches that are under way together doubles the number that is
   * sent one at a time.
   */
  noteFailure(wereSeveral: boolean): void {
    this.calm = 0;
    this.left = Math.max(this.left, wereSeveral ? this.next : firstBatches);
    if (wereSeveral) this.next = Math.min(2 * this.next, mostBatches);
  }

  /** Notes that the receiver takes only one batch on each connection. */
  noteClosing(): void {
    this.left = Math.max(this.left, firstBatches);
  }
}
