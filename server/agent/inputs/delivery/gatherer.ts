// Collects events that arrive within a few milliseconds and stores them together. When the configuration is
// reloaded, the gatherer pauses and keeps the collected events. After the next call of `start` it stores them.

import { within } from "../../../time/within.ts";
import { LineBody } from "./line-body.ts";

/** Milliseconds for which events are collected before they are stored. */
const gatherMs = 5;
/**
 * Length in bytes at which the collected events are stored at once. Longer bodies of events are split into
 * writes of at most this length.
 */
const fullWrite = 1024 * 1024;

export interface GathererOptions {
  /** Called when events may be added again after `isFull` was true. */
  readonly onRoom: () => void;
}

/**
 * Stores the lines `[from, to)` of a body. Resolves with false when the lines are not stored, so that the gatherer must
 * keep them.
 */
export type DeliverLines = (body: LineBody, from: number, to: number) => Promise<boolean>;

export class Gatherer {
  /** The body of the next write, to which the gatherer adds new events. */
  private filling = new LineBody();
  /** The body of the write that is under way. `sent`: the number of its lines that are already stored. */
  private sending = new LineBody();
  private sent = 0;
  private readonly options: GathererOptions;
  private deliver: DeliverLines | undefined;
  private mostBytes = 0;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private wasFull = false;

  constructor(options: GathererOptions) {
    this.options = options;
  }

  /**
   * Whether the events that are not stored yet take `mostBytes` bytes or more. The input should then add no more
   * events.
   */
  get isFull(): boolean {
    const isFull = this.filling.byteLength + this.sending.byteLength >= this.mostBytes;
    this.wasFull ||= isFull;
    return isFull;
  }

  /** Number of events that are not stored yet. */
  get waiting(): number {
    return this.filling.events + this.sending.events - this.sent;
  }

  /**
   * Begins to store events. `mostBytes`: size in bytes of the events not yet stored at which `isFull` becomes
   * true.
   */
  start(deliver: DeliverLines, mostBytes: number): void {
    this.deliver = deliver;
    this.mostBytes = mostBytes;
    this.plan();
  }

  /** Returns the body to which the caller adds lines. The caller must then call `added`. */
  get body(): LineBody {
    return this.filling;
  }

  added(): void {
    if (this.running !== undefined) return;
    if (this.timer === undefined) this.plan();
    else if (this.filling.byteLength >= fullWrite) this.run();
  }

  /**
   * Stores all collected events at once. Resolves when every event is stored, or when the gatherer is stopped before
   * that.
   */
  async flush(): Promise<void> {
    this.run();
    await this.running;
  }

  /**
   * Stores the collected events for at most `ms` milliseconds, then stops. Keeps the events that are not stored by
   * then; the gatherer stores them after the next call of `start`.
   */
  async stop(ms: number): Promise<void> {
    await within(this.flush(), ms);
    clearTimeout(this.timer);
    this.timer = undefined;
    this.deliver = undefined;
  }

  private plan(): void {
    clearTimeout(this.timer);
    if (this.deliver !== undefined && this.waiting > 0) this.timer = setTimeout(() => this.run(), gatherMs);
  }

  private run(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.running ??= this.deliverAll().finally(() => {
      this.running = undefined;
      this.plan();
    });
  }

  private async deliverAll(): Promise<void> {
    while (this.deliver !== undefined) {
      if (this.sent === this.sending.events) {
        if (this.filling.events === 0) return;
        this.sending.clear();
        [this.filling, this.sending] = [this.sending, this.filling];
        this.sent = 0;
      }
      const to = this.sent + this.sending.linesWithin(this.sent, fullWrite);
      if (!(await this.deliver(this.sending, this.sent, to))) {
        this.deliver = undefined;
        return;
      }
      this.sent = to;
      if (this.sent === this.sending.events) {
        this.sending.clear();
        this.sent = 0;
      }
      if (this.wasFull && !this.isFull) {
        this.wasFull = false;
        this.options.onRoom();
      }
    }
  }
}
