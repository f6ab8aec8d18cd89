// Watches the speed at which the bodies of requests arrive, so that a client cannot hold a connection and memory by
// sending a body very slowly.

import { RingLink } from "../ring.ts";

/** Length in seconds of an interval. In each interval a minimum number of bytes has to arrive. */
const intervalSeconds = 10;
/**
 * The number of ticks of the timer in an interval. It is one more than the seconds of the interval, because a body may
 * begin between two ticks, and its first second is then incomplete.
 */
const ticksOfInterval = intervalSeconds + 1;
const tickMs = 1000;

/**
 * The bodies whose speed is watched. One timer serves all of them, because a timer for each body would slow down small
 * writes (requests that bring points).
 */
const watched = new RingLink();
let isTicking = false;

function tick(): void {
  isTicking = false;
  for (let { next } = watched; next !== watched; next = next.next) (next as Pace).passTick();
  if (watched.isLinked) startTicking();
}

function startTicking(): void {
  if (isTicking) return;
  isTicking = true;
  setTimeout(tick, tickMs).unref();
}

/** The speed of one body: in each interval of ten seconds, a minimum number of bytes has to arrive. */
export class Pace extends RingLink {
  private readonly minBytesPerSecond: number;
  private readonly tooSlow: () => void;
  private bytes = 0;
  private ticks = 0;

  /**
   * Watches a body until the method `end` is called, and calls `tooSlow` when the body comes too slowly.
   * `minBytesPerSecond`: the slowest allowed speed in bytes per second; 0 = any speed.
   */
  constructor(minBytesPerSecond: number, tooSlow: () => void) {
    super();
    this.minBytesPerSecond = minBytesPerSecond;
    this.tooSlow = tooSlow;
    if (minBytesPerSecond === 0) return;
    this.enter(watched);
    startTicking();
  }

  /** Counts the bytes of the body that have just arrived. */
  note(bytes: number): void {
    this.bytes += bytes;
  }

  end(): void {
    this.leave();
  }

  passTick(): void {
    this.ticks++;
    // While this thread was busy, bytes may have waited in the socket. Node reads them before it calls the callback of
    // `setImmediate`, so the speed is checked in this callback.
    if (this.ticks === ticksOfInterval) setImmediate(() => this.check());
  }

  private check(): void {
    if (!this.isLinked) return;
    if (this.bytes < this.minBytesPerSecond * intervalSeconds) {
      this.end();
      this.tooSlow();
    } else {
      this.bytes = 0;
      this.ticks = 0;
    }
  }
}
