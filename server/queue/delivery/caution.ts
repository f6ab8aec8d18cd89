// How many batches are sent one at a time after a failure: there are servers and proxies that cannot take requests before they
// have answered others.

const firstBatches = 16;
const mostBatches = 1024;

export class Caution {
  /** Batches that are still sent one at a time. */
  private left = 0;
  /** Batches to send one at a time after the next failure of one of several. */
  private next = firstBatches;
  /** Batches done since the last failure. */
  private calm = 0;

  get sendsOneAtATime(): boolean {
    return this.left > 0;
  }

  noteBegun(): void {
    this.left = Math.max(0, this.left - 1);
  }

  /** As many batches that go well as the most that caution asks for: the next failure counts as the first. */
  noteDone(): void {
    if (++this.calm >= mostBatches) this.next = firstBatches;
  }

  /** Each failure of one of several batches that are under way together doubles the caution. */
  noteFailure(wereSeveral: boolean): void {
    this.calm = 0;
    this.left = Math.max(this.left, wereSeveral ? this.next : firstBatches);
    if (wereSeveral) this.next = Math.min(2 * this.next, mostBatches);
  }

  /** Notes that the receiver takes one batch on a connection. */
  noteClosing(): void {
    this.left = Math.max(this.left, firstBatches);
  }
}
