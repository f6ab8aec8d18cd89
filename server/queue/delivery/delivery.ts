// Sends the records of one queue to one receiver, in order. Joins records to batches by size, count and age, and sends
// each batch again, with growing pauses, until the receiver takes it. A batch is acknowledged when it and all earlier
// batches were taken or became dead letters.
//
// Several batches may be under way (sent but not answered), so that a fast flow of records does not wait for each
// answer. When one batch fails, the delivery waits for the answers to the other batches. Then it sends the failed
// batches again, one after the other, and sends the next few batches one at a time.

import { backoffMs } from "../../time/backoff.ts";
import { within } from "../../time/within.ts";
import type { Position } from "../log/cursor.ts";
import type { StoredRecord } from "../types.ts";
import { BatchCollector } from "./batch-collector.ts";
import type { QueueConsumer } from "./consumer.ts";
import { SerialFallback } from "./serial-fallback.ts";

export interface DeliveryBatch {
  readonly records: readonly StoredRecord[];
  /** Length in bytes of the bodies of all records in the batch, with one separator byte between two bodies. */
  readonly bytes: number;
  readonly points: number;
  /** Id of the batch. A batch of the same records has the same id whenever it is sent, also after a restart. */
  readonly id: string;
  /** Number of earlier attempts to send this batch (records sent together). */
  readonly attempt: number;
}

export type Outcome =
  /**
   * The receiver took the batch. `closes`: the receiver closes the connection after each batch. Several batches must
   * then not be under way together, because all but the first would have to be sent again.
   */
  | { readonly kind: "taken"; readonly closes?: boolean }
  /** The receiver refused the batch. The records of the batch become dead letters (kept, but never sent again). */
  | { readonly kind: "refused"; readonly reason: string }
  /**
   * The batch is to be sent again. When the receiver asked for a pause of `afterMs` milliseconds, the delivery waits at
   * least that long, but at most ten minutes.
   */
  | { readonly kind: "again"; readonly reason: string; readonly afterMs?: number };

export interface DeliveryOptions {
  readonly consumer: QueueConsumer;
  /** Prefix of the ids of all batches (records sent together). */
  readonly idPrefix: string;
  /** Largest size in bytes of a batch (records sent together). A batch with a single record may be larger. */
  readonly maxBytes: number;
  /**
   * A batch (records sent together) with this many points does not wait for more records: it is sent when `spacingMs`
   * milliseconds have passed since the previous batch. Records that can be read without waiting still join it.
   */
  readonly enoughPoints: number;
  /**
   * Least time in milliseconds from the start of one batch (records sent together) to the start of the next, so that
   * records that arrive fast go into few batches. A batch that reaches its largest size (`maxBytes`) or its greatest
   * age (`maxAgeMs`) does not wait for this time.
   */
  readonly spacingMs: number;
  /**
   * Returns whether a record must be sent in a batch of its own. When this function is absent, every record may share a
   * batch with other records.
   */
  readonly travelsAlone?: (record: StoredRecord) => boolean;
  /**
   * Least length in bytes of a long record. A long record is sent in a batch of its own while several batches may be
   * under way: joining it would copy it, which costs more than a further batch. Infinity when absent.
   */
  readonly longBytes?: number;
  /** A batch (records sent together) that is not full is sent when its first record is this many milliseconds old. */
  readonly maxAgeMs: number;
  readonly now: () => number;
  readonly random: () => number;
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
  /**
   * Largest number of batches under way (sent but not answered). When the bodies of these batches together have four
   * times the largest size of a batch (`maxBytes`), no further batch is sent either.
   */
  readonly inFlight: number;
  /**
   * Sends a batch (records sent together) to the receiver. Called in the order of the batches; batches that are under
   * way together must arrive in the same order.
   */
  send(batch: DeliveryBatch): Promise<Outcome>;
  /**
   * Keeps the records of a refused batch as dead letters, which are not sent again. When this function rejects, the
   * batch is sent again.
   */
  bury(batch: DeliveryBatch, reason: string): Promise<void>;
  /**
   * Called before a batch (records sent together) is sent again after a failure, with the reason and the pause in
   * milliseconds.
   */
  retry(batch: DeliveryBatch, reason: string, delayMs: number): void;
}

type Batch = Omit<DeliveryBatch, "attempt">;

interface Problem {
  readonly reason: string;
  readonly afterMs?: number;
}

/** A batch (records sent together) that was sent and is not acknowledged yet. */
interface Flight {
  readonly batch: Batch;
  isDone: boolean;
  problem: Problem | undefined;
  /**
   * Resolves when the batch (records sent together) was sent once, whether the receiver took it or not. Never rejects.
   */
  readonly landed: Promise<void>;
}

const idleMs = 60_000;
/** Longest pause in milliseconds that a receiver may ask for. A longer one is shortened. */
const longestAskedMs = 600_000;
/**
 * When the batches under way (sent but not answered) together have this many times the largest size of a batch
 * (`maxBytes`), no further batch is sent.
 */
const flightBytes = 4;

/** Sends the records of one queue. Begins when this object is created, and ends when it is closed. */
export class Delivery {
  /**
   * Whether the delivery (the sender) is closing. If so, a batch (records sent together) does not wait for more
   * records.
   */
  isClosing = false;
  isStopped = false;
  /** Time when the collection of the previous batch (records sent together) began, as `performance.now()` gives it. */
  begunAt = Number.NEGATIVE_INFINITY;
  private readonly options: DeliveryOptions;
  private readonly consumer: QueueConsumer;
  private readonly collector: BatchCollector;
  private readonly caution = new SerialFallback();
  /** Batches that were sent and are not acknowledged yet, in order. */
  private readonly flights: Flight[] = [];
  private acknowledging = Promise.resolve();
  /** Function that ends the current pause; undefined when the delivery does not pause. */
  private wakePause: (() => void) | undefined;
  private readonly ended: Promise<void>;

  constructor(options: DeliveryOptions) {
    this.options = options;
    this.consumer = options.consumer;
    this.collector = new BatchCollector(options, this);
    this.ended = this.run();
  }

  /**
   * Closes the delivery. Sends the records in the queue, whatever their age, until the queue is empty, a batch fails,
   * or `ms` milliseconds are over.
   */
  async close(ms: number): Promise<void> {
    this.isClosing = true;
    this.consumer.wake();
    this.wakePause?.();
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

  /** Whether a batch (records sent together) is sent only when the previous one is acknowledged. */
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
      // The collector of batches may be waiting for records. It is woken to notice the failed batch, because it must
      // begin no new batch until the failed one has been sent.
      else this.consumer.wake();
    };
    const flight: Flight = { batch, isDone: false, problem: undefined, landed: Promise.resolve().then(fly) };
    this.flights.push(flight);
  }

  /**
   * Sends a batch (records sent together) once. Returns undefined when the receiver took the batch, or when it refused
   * the batch and the batch was kept as dead letters. In all other cases returns the problem, and the batch must be
   * sent again.
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

  /** Marks a batch (records sent together) as done. Acknowledges all batches before the first one that is not done. */
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
   * Sends the failed batches again until the receiver takes or finally refuses each of them. Returns false when the
   * delivery is stopped earlier; the next start sends the remaining batches.
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
   * Sends a failed batch again until the receiver takes it or finally refuses it, with a pause before each attempt. One
   * exception: when the receiver has just taken the previous failed batch, the first attempt for the next failed batch
   * follows at once. Returns false when the delivery is stopped earlier.
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

  pauseFor(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.wakePause?.(), ms);
      this.wakePause = () => {
        clearTimeout(timer);
        this.wakePause = undefined;
        resolve();
      };
    });
  }
}
