// Collects the next batch from one queue; a batch is a list of records that are sent together. Takes the records
// that can be read now, then waits for more records until the batch is full or old enough.

import { isBefore, type Position } from "../log/cursor.ts";
import type { StoredRecord } from "../types.ts";
import type { QueueConsumer } from "./consumer.ts";
import type { Delivery, DeliveryOptions } from "./delivery.ts";

export class BatchCollector {
  private readonly options: DeliveryOptions;
  private readonly consumer: QueueConsumer;
  private readonly delivery: Delivery;
  // The records collected so far for the next batch (a list of records that are sent together).
  private records: StoredRecord[] = [];
  /**
   * The position at which the current batch must end. It is set when a batch with the same first record was sent
   * before a restart and was not acknowledged: with the same end, the current batch has the same records and the
   * same id. Undefined when there was no such batch.
   */
  private planned: Position | undefined;
  private bytes = 0;
  private points = 0;
  /**
   * The time at which the first record of the current batch (records sent together) was read, as
   * `performance.now()` returns it.
   */
  private began = 0;

  constructor(options: DeliveryOptions, delivery: Delivery) {
    this.options = options;
    this.consumer = options.consumer;
    this.delivery = delivery;
  }

  /**
   * Returns the records of the next batch (records sent together). Returns an empty list when the delivery has
   * ended, or when a failed batch must be sent again first.
   */
  async collect(): Promise<StoredRecord[]> {
    this.records = [];
    this.planned = undefined;
    this.bytes = 0;
    this.points = 0;
    for (;;) {
      const record = await this.readNext();
      if (this.delivery.isStopped) return [];
      if (record === undefined) {
        const more = this.waitForMore();
        if (more === undefined) return this.records;
        await more;
      } else if (!this.add(record)) return this.records;
    }
  }

  /** Reads the next record; never skips one. When the file cannot be read, logs the first failure and tries again. */
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
   * Returns a promise that resolves when there may be more records. Returns undefined when the batch (records sent
   * together) must not wait for more records.
   */
  private waitForMore(): Promise<unknown> | undefined {
    const { options, delivery } = this;
    if (this.records.length === 0 || delivery.isClosing || delivery.hasFailed()) return undefined;
    const now = performance.now();
    // If the machine's clock was set back, the time of the record may be in the future, so that its computed age
    // would be too low. So the age is at least the time since the record was read.
    const age = Math.max(options.now() - this.records[0].time, now - this.began);
    const missing = options.enoughPoints - this.points;
    const spacing = missing > 0 ? Number.POSITIVE_INFINITY : delivery.begunAt + options.spacingMs - now;
    const ms = Math.min(options.maxAgeMs - age, spacing);
    if (ms <= 0) return undefined;
    const bytesLeft = options.maxBytes - this.bytes;
    return this.consumer.wait(ms, missing > 0 ? { points: missing, bytes: bytesLeft } : { bytes: bytesLeft });
  }

  /**
   * Adds a record to the batch (records sent together) or leaves it for the next batch. Returns whether the batch
   * has room for another record.
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
   * Returns whether the record is so long that it is sent in a batch of its own. This does not apply to a batch
   * that was already sent before a restart: it must have the same records as before, however long they are.
   */
  private isLong({ body }: StoredRecord): boolean {
    if (body.length < (this.options.longBytes ?? Number.POSITIVE_INFINITY)) return false;
    return this.planned === undefined && !this.delivery.sendsOneAtATime;
  }

  private fits({ start, meta, body }: StoredRecord): boolean {
    // This batch must end at `planned`, where the same batch ended before a restart. If the last record of that
    // batch is now damaged, the next record begins at or after `planned`, so it belongs to the following batch.
    if (this.planned !== undefined && !isBefore(start, this.planned)) return false;
    return this.bytes + body.length + 1 <= this.options.maxBytes && Buffer.compare(this.records[0].meta, meta) === 0;
  }
}
