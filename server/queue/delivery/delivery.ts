// Sends the records of one queue to one receiver, in order. Joins records into batches by size, count and age.
// Sends each batch again, with growing pauses, until the receiver accepts it. A batch is acknowledged when this
// batch and all earlier batches were accepted or became dead letters.
//
// Several batches may be under way (sent but not answered) at the same time, so that a fast flow of records does
// not wait for each answer. When one batch fails, the delivery first waits for the answers to the other batches.
// Then it sends the failed batches again, one after the other. After that, it sends the next few batches one at
// a time.

import { backoffMs } from "../../time/backoff.ts";
import { within } from "../../time/within.ts";
import type { Position } from "../log/cursor.ts";
import type { StoredRecord } from "../types.ts";
import { BatchCollector } from "./batch-collector.ts";
import type { QueueConsumer } from "./consumer.ts";
import { SerialFallback } from "./serial-fallback.ts";

export interface DeliveryBatch {
  readonly records: readonly StoredRecord[];
  /**
   * The length in bytes of the bodies of all records in the batch, including one separator byte between each two
   * bodies.
   */
  readonly bytes: number;
  readonly points: number;
  /**
   * The id of the batch. When the same records are sent again in one batch, even after a restart, the id is the
   * same.
   */
  readonly id: string;
  /** Number of earlier attempts to send this batch (records sent together). */
  readonly attempt: number;
}

export type Outcome =
  /**
   * The receiver accepted the batch. `closes`: whether the receiver closes the connection after each batch. If so,
   * several batches must not be under way at the same time, because all but the first would have to be sent again.
   */
  | { readonly kind: "taken"; readonly closes?: boolean }
  /**
   * The receiver refused the batch. The records of the batch become dead letters: they are stored but not sent
   * again.
   */
  | { readonly kind: "refused"; readonly reason: string }
  /**
   * The batch must be sent again. `afterMs`: the pause in milliseconds that the receiver asked for. The delivery
   * then waits at least this long, but at most ten minutes.
   */
  | { readonly kind: "again"; readonly reason: string; readonly afterMs?: number };

export interface DeliveryOptions {
  readonly consumer: QueueConsumer;
  /** Prefix of the ids of all batches (records sent together). */
  readonly idPrefix: string;
  /** Maximum size in bytes of a batch (records sent together). Only a batch with a single record may be larger. */
  readonly maxBytes: number;
  /**
   * The number of points with which a batch (records sent together) no longer waits for more records. Such a batch
   * is sent as soon as `spacingMs` milliseconds have passed since the previous batch. Until then, records that can
   * be read without waiting are still added to it.
   */
  readonly enoughPoints: number;
  /**
   * Minimum time in milliseconds between the starts of two batches (records sent together), so that records that
   * arrive fast are sent in few batches. A batch that has reached its maximum size (`maxBytes`) or its maximum age
   * (`maxAgeMs`) is sent without waiting for this time.
   */
  readonly spacingMs: number;
  /**
   * Returns whether a record must be sent in a batch of its own. When this function is absent, every record may share a
   * batch with other records.
   */
  readonly travelsAlone?: (record: StoredRecord) => boolean;
  /**
   * The length in bytes from which a record counts as long; infinity when absent. While several batches may be
   * under way, a long record is sent in a batch of its own: to join it with other records would copy it, and the
   * copy costs more than an additional batch.
   */
  readonly longBytes?: number;
  /**
   * Maximum age in milliseconds: a batch (records sent together) that is not full is sent when its first record is
   * this old.
   */
  readonly maxAgeMs: number;
  readonly now: () => number;
  readonly random: () => number;
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
  /**
   * Maximum number of batches that may be under way (sent but not answered) at the same time. There is also a
   * limit for their size: when the batches under way together have four times `maxBytes` bytes, no further batch
   * is sent.
   */
  readonly inFlight: number;
  /**
   * Sends a batch (records sent together) to the receiver. Called in the order of the batches. Batches that are
   * under way at the same time must reach the receiver in this order.
   */
  send(batch: DeliveryBatch): Promise<Outcome>;
  /**
   * Stores the records of a refused batch as dead letters, which are not sent again. If this function rejects, the
   * batch itself is sent again.
   */
  bury(batch: DeliveryBatch, reason: string): Promise<void>;
  /**
   * Called when a batch (records sent together) has failed, before the pause after which it is sent again.
   * `reason`: the reason of the failure. `delayMs`: the length of the pause in milliseconds.
   */
  retry(batch: DeliveryBatch, reason: string, delayMs: number): void;
}

type Batch = Omit<DeliveryBatch, "attempt">;

interface Problem {
  readonly reason: string;
  readonly afterMs?: number;
}

/** A batch (records sent together) that was sent but is not yet acknowledged. */
interface Flight {
  readonly batch: Batch;
  isDone: boolean;
  problem: Problem | undefined;
  /**
   * Resolves when the first attempt to send the batch (records sent together) has ended, whether the receiver
   * accepted the batch or not. Never rejects.
   */
  readonly landed: Promise<void>;
}

const idleMs = 60_000;
/**
 * The longest pause in milliseconds that a receiver can ask for. If it asks for a longer one, this pause is
 * used.
 */
const longestAskedMs = 600_000;
/**
 * The limit for the batches under way (sent but not answered), as a multiple of the maximum size of one batch
 * (`maxBytes`). When their total size reaches the limit, no further batch is sent.
 */
const flightBytes = 4;

/** Sends the records of one queue to its receiver, from the creation of this object until it is closed. */
export class Delivery {
  /**
   * Whether the delivery is being closed. While it is, a batch (records sent together) does not wait for more
   * records.
   */
  isClosing = false;
  isStopped = false;
  /**
   * The time at which the delivery began to send the previous batch (records sent together), as
   * `performance.now()` returns it.
   */
  begunAt = Number.NEGATIVE_INFINITY;
  private readonly options: DeliveryOptions;
  private readonly consumer: QueueConsumer;
  private readonly collector: BatchCollector;
  private readonly caution = new SerialFallback();
  /** The batches that were sent but are not yet acknowledged, in the order in which they were first sent. */
  private readonly flights: Flight[] = [];
  private acknowledging = Promise.resolve();
  private readonly ended: Promise<void>;

  constructor(options: DeliveryOptions) {
    this.options = options;
    this.consumer = options.consumer;
    this.collector = new BatchCollector(options, this);
    this.ended = this.run();
  }

  /**
   * Closes the delivery. Before that, sends the records that are still in the queue, without waiting for more.
   * Stops when the queue is empty, when a batch fails, or after `ms` milliseconds.
   */
  async close(ms: number): Promise<void> {
    this.isClosing = true;
    this.consumer.wake();
    await within(this.ended, ms);
    this.isStopped = true;
    this.consumer.wake();
  }

  private async run(): Promise<void> {
    const { flights, consumer } = this;
    while (!this.isStopped) {
      if (this.hasFailed() && !(await this.repair())) break;
      if (!this.hasRoom()) {
        await flights[0].landed;
        continue;
      }
      const records = await this.collector.collect();
      if (records.length > 0) {
        if (this.hasFailed() && !(await this.repair())) break;
        this.begin(this.batchOf(records));
      } else if (!this.hasFailed()) {
        if (this.isClosing && flights.length === 0) break;
        if (this.isClosing) await flights[0].landed;
        else await consumer.wait(idleMs);
      }
    }
    await Promise.all(flights.map(({ landed }) => landed));
    await this.acknowledging;
  }

  hasFailed(): boolean {
    return this.flights.some(({ problem }) => problem !== undefined);
  }

  private hasRoom(): boolean {
    const { flights, options } = this;
    if (flights.length === 0) return true;
    const bytes = flights.reduce((sum, { batch }) => sum + batch.bytes, 0);
    const hasRoom = flights.length < options.inFlight && bytes < flightBytes * options.maxBytes;
    return hasRoom && !this.caution.sendsOneAtATime;
  }

  /** Whether each batch (records sent together) must be acknowledged before the next one is sent. */
  get sendsOneAtATime(): boolean {
    return this.options.inFlight === 1 || this.caution.sendsOneAtATime;
  }

  private batchOf(records: readonly StoredRecord[]): Batch {
    const { segment, offset } = records[0].start;
    return {
      records,
      bytes: records.reduce((sum, { body }) => sum + body.length, records.length - 1),
      points: records.reduce((sum, each) => sum + each.points, 0),
      id: `${this.options.idPrefix}-${segment}-${offset}-${records.length}`,
    };
  }

  private begin(batch: Batch): void {
    this.begunAt = performance.now();
    this.caution.noteBegun();
    const fly = async () => {
      await this.consumer.plan(batch.records.at(-1)!.end);
      flight.problem = await this.deliver({ ...batch, attempt: 0 });
      if (flight.problem === undefined) this.land(flight);
      // The collector of batches may be waiting for records. It is woken because it must return without a new batch:
      // the failed batch has to be sent first.
      else this.consumer.wake();
    };
    const flight: Flight = { batch, isDone: false, problem: undefined, landed: Promise.resolve().then(fly) };
    this.flights.push(flight);
  }

  /**
   * Sends a batch (records sent together) once. Returns undefined when the receiver accepted the batch, or when it
   * refused the batch and the records were stored as dead letters. Otherwise returns the problem; the batch must
   * be sent again.
   */
  private async deliver(batch: DeliveryBatch): Promise<Problem | undefined> {
    try {
      const outcome = await this.options.send(batch);
      if (outcome.kind === "again") return outcome;
      if (outcome.kind === "taken" && outcome.closes === true) this.caution.noteClosing();
      if (outcome.kind === "refused") await this.options.bury(batch, outcome.reason);
      return undefined;
    } catch (error) {
      return { reason: (error as Error).message };
    }
  }

  /**
   * Marks a batch (records sent together) as done. Acknowledges all batches that come before the first batch that
   * is not done.
   */
  private land(flight: Flight): void {
    const { flights } = this;
    flight.isDone = true;
    this.caution.noteDone();
    let end: Position | undefined;
    while (flights.length > 0 && flights[0].isDone) end = flights.shift()!.batch.records.at(-1)!.end;
    if (end === undefined) return;
    const last = end;
    this.acknowledging = this.acknowledging.then(() => this.consumer.acknowledge(last));
  }

  /**
   * Sends each failed batch again until the receiver accepts it or finally refuses it. Returns false when the
   * delivery ends before that; the remaining batches are then sent after the next start.
   */
  private async repair(): Promise<boolean> {
    const { flights } = this;
    this.caution.noteFailure(flights.length > 1);
    await Promise.all(flights.map(({ landed }) => landed));
    const failed = flights.filter(({ problem }) => problem !== undefined);
    for (const [at, flight] of failed.entries()) {
      if (!(await this.sendAgain(flight, at === 0))) return false;
      this.land(flight);
    }
    return !this.isStopped;
  }

  /**
   * Sends one failed batch again, with a pause before each attempt, until the receiver accepts or finally refuses
   * it. When other failed batches were sent again just before (`isFirst` is false), the first attempt is made
   * without a pause, because the receiver works again. Returns false when the delivery ends before that.
   */
  private async sendAgain(flight: Flight, isFirst: boolean): Promise<boolean> {
    for (let attempt = 1; flight.problem !== undefined; attempt++) {
      if (this.isClosing || this.isStopped) return false;
      const pauses = isFirst ? attempt : attempt - 1;
      if (pauses > 0) await this.pauseAfter({ ...flight.batch, attempt: attempt - 1 }, flight.problem, pauses);
      if (this.isStopped) return false;
      flight.problem = await this.deliver({ ...flight.batch, attempt });
    }
    return true;
  }

  private pauseAfter(tried: DeliveryBatch, { reason, afterMs = 0 }: Problem, pauses: number): Promise<void> {
    const { options } = this;
    const backoff = { firstMs: options.firstDelayMs, longestMs: options.longestDelayMs };
    const pause = backoffMs(backoff, pauses, options.random);
    const delayMs = Math.max(pause, Math.min(afterMs, longestAskedMs));
    options.retry(tried, reason, delayMs);
    return this.pauseFor(delayMs);
  }

  /** Waits for `ms` milliseconds. New records do not end this wait; the end of the delivery does. */
  pauseFor(ms: number): Promise<void> {
    return this.consumer.wait(ms, {});
  }
}
