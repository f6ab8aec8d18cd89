// Collects the next batch (the records that are sent together) from one queue: takes the records that can be read, and
// waits for more records until the batch is full or old enough.

import { isBefore, type Position } from "../log/cursor.ts";
import type { StoredRecord } from "../types.ts";
import type { QueueConsumer } from "./consumer.ts";
import type { Delivery, DeliveryOptions } from "./delivery.ts";

export class BatchCollector {
  private readonly options: DeliveryOptions;
  private readonly consumer: QueueConsumer;
  private readonly delivery: Delivery;
  // The records that were collected so far for the next batch (records sent together).
  private records: StoredRecord[] = [];
  /**
   * The position at which the new batch must end, because a batch with the same first record was sent before a restart
   * and was not acknowledged. With this end, both batches have the same records and the same id. Undefined when there
   * was no such batch.
   */
  private planned: Position | undefined;
  private bytes = 0;
  private points = 0;
  /** Time when the first record of the new batch (records sent together) was read, as `performance.now()` gives it. */
  private began = 0;

  constructor(options: DeliveryOptions, delivery: Delivery) {
    this.options = options;
    this.consumer = options.consumer;
    this.delivery = delivery;
  }

  /**
   * Returns the records of the next batch (records sent together); an empty list when the delivery ends, or when a
   * failed batch has to be sent first.
   */
  async collect(): Promise<StoredRecord[]> {
    this.records = [];
    this.planned = undefined;
    this.bytes = 0;
    this.points = 0;
    for (;;) {
      const record = this.consumer.nextAtOnce() ?? (await this.readNext());
      if (this.delivery.isStopped) return [];
      if (record === undefined) {
        const more = this.waitForMore();
        if (more === undefined) return this.records;
        await more;
      } else if (!this.add(record)) return this.records;
    }
  }

  /** Reads the next record. When the file cannot be read, logs the first failure and tries again; skips no record. */
  private async readNext(): Promise<StoredRecord | undefined> {
    for (let isLogged = false; ; isLogged = true) {
      try {
        return await this.consumer.next();
      } catch (error) {
        if (!isLogged) this.consumer.unreadable(error as Error);
        if (this.delivery.isClosing || this.delivery.isStopped) return undefined;
        await this.delivery.pauseFor(this.options.firstDelayMs);
      }
    }
  }

  /**
   * Returns a promise that resolves when more records may have come; undefined when the batch (records sent together)
   * is to be sent without waiting.
   */
  private waitForMore(): Promise<unknown> | undefined {
    const { options, delivery } = this;
    if (this.records.length === 0 || delivery.isClosing || delivery.hasFailed()) return undefined;
    const now = performance.now();
    // When the machine's clock was set back, the time of the record lies in the future and its age would be too low. So
    // the age is at least the time since the record was read.
    const age = Math.max(options.now() - this.records[0].time, now - this.began);
    const missing = options.enoughPoints - this.points;
    const spacing = missing > 0 ? Number.POSITIVE_INFINITY : delivery.begunAt + options.spacingMs - now;
    const ms = Math.min(options.maxAgeMs - age, spacing);
    if (ms <= 0) return undefined;
    const bytesLeft = options.maxBytes - this.bytes;
    return this.consumer.wait(ms, missing > 0 ? { points: missing, bytes: bytesLeft } : { bytes: bytesLeft });
  }

  /**
   * Adds a record to the batch (records sent together), or leaves it for the next batch. Returns whether the batch may
   * take another record.
   */
  private add(record: StoredRecord): boolean {
    const isFirst = this.records.length === 0;
    if (isFirst) {
      this.planned = this.consumer.plannedFrom(record.end);
      this.began = performance.now();
    }
    const isAlone = this.options.travelsAlone?.(record) === true || this.isLong(record);
    if (!isFirst && (isAlone || !this.fits(record))) {
      this.consumer.unread(record);
      return false;
    }
    this.records.push(record);
    this.bytes += record.body.length + 1;
    this.points += record.points;
    if (this.planned !== undefined && !isBefore(record.end, this.planned)) return false;
    return !isAlone && this.bytes < this.options.maxBytes;
  }

  /**
   * Returns whether the record is sent alone because of its length. A batch whose end is planned has the records that
   * it had before the restart, whatever their lengths.
   */
  private isLong({ body }: StoredRecord): boolean {
    if (body.length < (this.options.longBytes ?? Number.POSITIVE_INFINITY)) return false;
    return this.planned === undefined && !this.delivery.sendsOneAtATime;
  }

  private fits({ start, meta, body }: StoredRecord): boolean {
    // This batch must end where the same batch ended before a restart (`planned`). The last record of the earlier batch
    // may be missing now because of damage. Then the next record begins at or after this end. It belongs to the batch
    // that follows.
    if (this.planned !== undefined && !isBefore(start, this.planned)) return false;
    return this.bytes + body.length + 1 <= this.options.maxBytes && Buffer.compare(this.records[0].meta, meta) === 0;
  }
}
