// Reads files that have unread bytes. A lane is a loop that reads one batch of one file at a time, with memory of its
// own. The number of lanes is fixed, so the memory does not grow with the number of files. The position of a file moves
// forward only after the events before the new position are stored.

import type { Metrics } from "../../../telemetry/metrics.ts";
import { EventBody } from "./event-body.ts";
import type { Positions } from "./positions.ts";
import { type Batch, readBytes, type TailedFile } from "./tailed-file.ts";

/** Number of files that are read at the same time. */
const laneCount = 2;
/**
 * Milliseconds from the first change of a file until reading begins. Further changes during this time are read together
 * with the first one.
 */
const gatherMs = 50;

/**
 * Stores the events that `body` holds. All of them come from `file`. Resolves with true when each event is stored or
 * finally refused, and with false when the input closes earlier.
 */
export type DeliverFrom = (file: TailedFile, body: EventBody) => Promise<boolean>;

export interface LanesOptions {
  /**
   * Largest allowed length of an event in bytes: the largest of the limits that the sources (entries of `inputs.tail`)
   * set.
   */
  readonly longestEvent: number;
  readonly deliver: DeliverFrom;
  readonly positions: Pick<Positions, "save" | "end">;
  /** Called when a file was read to its end and no program writes to it any more (`isEnding`). */
  readonly onEnd: (file: TailedFile) => Promise<void>;
  readonly onError: (file: TailedFile, error: Error) => Promise<void>;
  readonly now: () => number;
  readonly metrics: Metrics;
  readonly closing: AbortSignal;
}

interface Lane {
  readonly window: Uint8Array;
  readonly body: EventBody;
}

export class Lanes {
  private readonly options: LanesOptions;
  /** Files that have changed since the timer `gathering` was started. When the timer ends, these files can be read. */
  private readonly woken = new Set<TailedFile>();
  /** Files that can be read now. */
  private readonly ready = new Set<TailedFile>();
  /** Files that a lane (a loop that reads files) is reading. */
  private readonly busy = new Set<TailedFile>();
  /** Files that were read except for the multi-line event at their end, which the writer may continue. */
  private readonly pending = new Set<TailedFile>();
  private readonly free: Lane[] = [];
  private readonly running = new Set<Promise<void>>();
  /** The gzip file that is being read. Only one is read at a time, since its decompression needs memory. */
  private gzipFile: TailedFile | undefined;
  private gathering: NodeJS.Timeout | undefined;
  /** Whether a file was scheduled for reading, or read, since the previous call of `takeActivity`. */
  private wasActive = false;

  constructor(options: LanesOptions) {
    this.options = options;
  }

  /** Schedules a file to be read within a few milliseconds. */
  wake(file: TailedFile): void {
    if (this.options.closing.aborted || file.isClosed) return;
    this.woken.add(file);
    this.wasActive = true;
    if (this.gathering !== undefined) return;
    this.gathering = setTimeout(() => {
      this.gathering = undefined;
      for (const each of this.woken) this.ready.add(each);
      this.woken.clear();
      this.start();
    }, gatherMs);
  }

  /**
   * Schedules the reading of files whose last multi-line event now counts as complete, because nothing was written for
   * a while.
   */
  wakeQuiet(): void {
    for (const file of this.pending) if (this.isQuiet(file)) this.wake(file);
  }

  /** Returns whether any file was scheduled for reading, or read, since the previous call of this function. */
  takeActivity(): boolean {
    const { wasActive } = this;
    this.wasActive = this.gathering !== undefined || this.running.size > 0;
    return wasActive;
  }

  /** Resolves as soon as no file is being read. */
  async whenIdle(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  private isQuiet(file: TailedFile): boolean {
    return this.options.now() - file.grewAt >= file.source.multilineMs;
  }

  /** Starts lanes (loops that read files) until all lanes are running or no file is left to read. */
  private start(): void {
    const { longestEvent, closing } = this.options;
    while (this.running.size < laneCount && this.nextFile() !== undefined && !closing.aborted) {
      const lane = this.free.pop() ?? { window: new Uint8Array(longestEvent + readBytes), body: new EventBody() };
      const ran = this.run(lane).then(() => {
        this.free.push(lane);
        this.running.delete(ran);
        this.start();
      });
      this.running.add(ran);
    }
  }

  /** Returns the next file that may be read; undefined when there is none. */
  private nextFile(): TailedFile | undefined {
    for (const file of this.ready) {
      if (this.busy.has(file)) continue;
      if (!file.isGzip || this.gzipFile === undefined || this.gzipFile === file) return file;
    }
    return undefined;
  }

  private async run(lane: Lane): Promise<void> {
    for (;;) {
      const file = this.nextFile();
      if (file === undefined || this.options.closing.aborted) break;
      this.ready.delete(file);
      this.pending.delete(file);
      if (!file.isClosed) await this.readFile(file, lane);
      if (this.gzipFile === file && !this.ready.has(file)) this.gzipFile = undefined;
    }
  }

  private async readFile(file: TailedFile, lane: Lane): Promise<void> {
    this.busy.add(file);
    if (file.isGzip) this.gzipFile = file;
    try {
      await this.readOnce(file, lane);
    } catch (error) {
      await this.options.onError(file, error as Error);
    } finally {
      this.busy.delete(file);
    }
  }

  /** Reads some events from a file, and stores them before the position of the file moves forward. */
  private async readOnce(file: TailedFile, { window, body }: Lane): Promise<void> {
    const { deliver, positions, onEnd, metrics } = this.options;
    await file.look();
    const before = file.position;
    if (await file.hasRestarted()) {
      if (before.gzip === undefined) await positions.end(before);
      metrics.tailRotations.inc({ source: file.source.settings.source, kind: "truncated" });
      if (file.takeLastEvent(body) && !(await deliver(file, body))) return;
    }
    const isComplete = file.isEnding ? "all" : this.isQuiet(file) ? "lines" : "no";
    const batch = await file.read(window, body, isComplete);
    if (file.hasMoved(batch) && !(await this.deliverBatch(file, batch, body))) return;
    if (batch.hasMore) this.ready.add(file);
    else if (file.isEnding) await onEnd(file);
    else if (file.source.beginsEvent !== undefined && file.unread > 0 && isComplete === "no") this.pending.add(file);
  }

  /**
   * Delivers a batch of events and saves the new position of the file. Resolves with false when the input closes before
   * the events are stored.
   */
  private async deliverBatch(file: TailedFile, batch: Batch, body: EventBody): Promise<boolean> {
    const { deliver, positions, metrics } = this.options;
    if (body.events > 0 && !(await deliver(file, body))) return false;
    file.commit(batch);
    await positions.save(file.position);
    metrics.tailBytes.inc({ source: file.source.settings.source }, batch.bytes);
    if (batch.cutEvents > 0) file.noteCut(batch.cutEvents);
    return true;
  }
}
