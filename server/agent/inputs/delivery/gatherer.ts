// Gathers events that arrive one by one for a few milliseconds, and delivers them together. Outlives a reload: it stops
// delivering, and goes on with what it holds when it is started again.

import { within } from "../../../time/within.ts";
import { LineBody } from "./line-body.ts";

/** Time in milliseconds in which events are gathered. */
const gatherMs = 5;
/** Length in bytes from which on gathered events are delivered at once, and of the longest write. */
const fullWrite = 1024 * 1024;

export interface GathererOptions {
  /** Called when events may be added again, after `isFull` was true. */
  readonly onRoom: () => void;
}

/** Delivers the lines `[from, to)`. Resolves with false when they are not stored and must stay. */
export type DeliverLines = (body: LineBody, from: number, to: number) => Promise<boolean>;

export class Gatherer {
  /** The body that takes events. */
  private filling = new LineBody();
  /** The body whose lines from `sent` on are delivered. */
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

  /** Whether so many bytes wait that no more events should be added. */
  get isFull(): boolean {
    const isFull = this.filling.byteLength + this.sending.byteLength >= this.mostBytes;
    this.wasFull ||= isFull;
    return isFull;
  }

  /** Number of events that wait. */
  get waiting(): number {
    return this.filling.events + this.sending.events - this.sent;
  }

  /** Begins to deliver. `mostBytes`: the bytes of events from which on `isFull` is true. */
  start(deliver: DeliverLines, mostBytes: number): void {
    this.deliver = deliver;
    this.mostBytes = mostBytes;
    this.plan();
  }

  /** Returns the body to which lines are added; `added` must be called after that. */
  get body(): LineBody {
    return this.filling;
  }

  added(): void {
    if (this.running !== undefined) return;
    if (this.timer === undefined) this.plan();
    else if (this.filling.byteLength >= fullWrite) this.run();
  }

  /** Delivers what is gathered at once. Resolves when nothing waits, or delivering was stopped. */
  async flush(): Promise<void> {
    this.run();
    await this.running;
  }

  /** Stops delivering, within `ms` milliseconds. What is not delivered stays for the next start. */
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
