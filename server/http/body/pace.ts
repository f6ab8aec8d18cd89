// Measures how fast the bodies of requests arrive, so that a client cannot occupy a connection and memory for a
// long time by sending a body very slowly.

import { RingLink } from "../ring.ts";

/** The length of an interval in seconds. In each interval, a body must send at least a minimum number of bytes. */
const intervalSeconds = 10;
/**
 * The number of timer ticks (one per second) in an interval. It is one more than `intervalSeconds`, because a
 * body may begin between two ticks, so that its first second is incomplete.
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

/** Measures the speed of one body: in each interval of ten seconds, a minimum number of bytes must arrive. */
export class Pace extends RingLink {
  private readonly minBytesPerSecond: number;
  private readonly tooSlow: () => void;
  private bytes = 0;
  private ticks = 0;

  /**
   * Starts watching a body; the method `end` stops it. Calls `tooSlow` when the body arrives too slowly.
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
    // Bytes may have waited in the socket while this thread was busy. So the speed is checked in a callback of
    // `setImmediate`, because Node reads the waiting bytes before it calls this callback.
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
