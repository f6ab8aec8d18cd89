// Carries the records of one queue to one place, in order: batches by size, count and age, each sent again with growing pauses
// until it is taken. A batch is acknowledged when it and all before it were taken, or kept as dead letters.
//
// Several batches may be under way, so that what comes quickly does not wait for each answer. Once one of them fails the others
// are waited for; then those that failed are sent again one after the other, and for some batches only one is under way.

import { backoffMs } from "../../time/backoff.ts";
import { within } from "../../time/within.ts";
import type { Position } from "../log/cursor.ts";
import type { DiskQueue } from "../queue.ts";
import type { StoredRecord } from "../types.ts";
import { BatchCollector, type DeliveryState } from "./batch-collector.ts";
import { Caution } from "./caution.ts";
import type { QueueConsumer } from "./consumer.ts";

export interface DeliveryBatch {
  readonly records: readonly StoredRecord[];
  /** Bytes of the bodies, with the separators between them. */
  readonly bytes: number;
  readonly points: number;
  /** The same records in the same batch have the same id, also after a restart. */
  readonly id: string;
  /** 0 at first. */
  readonly attempt: number;
}

export type Outcome =
  /** `closes`: the receiver takes one batch on a connection, so several under way would be sent again and again. */
  | { readonly kind: "taken"; readonly closes?: boolean }
  /** Never to be sent again; the batch becomes a dead letter. */
  | { readonly kind: "refused"; readonly reason: string }
  /** To be sent again, after `afterMs` at the earliest when the receiver said so; it is waited ten minutes for at most. */
  | { readonly kind: "again"; readonly reason: string; readonly afterMs?: number };

export interface DeliveryOptions {
  readonly queue: DiskQueue;
  readonly consumer: QueueConsumer;
  /** Begins every batch id. */
  readonly idPrefix: string;
  /** Of a batch; one with a single record may be larger. */
  readonly maxBytes: number;
  /** A batch with so many points waits for no more, but for `spacingMs`; what can be read at once goes with it. */
  readonly enoughPoints: number;
  /** From the beginning of one batch to that of the next one at least, unless that is full or old: what comes quickly goes in few batches. */
  readonly spacingMs: number;
  /** Left out: no record does. */
  readonly travelsAlone?: (record: StoredRecord) => boolean;
  /** A batch that is not full is sent when its first record is this old. */
  readonly maxAgeMs: number;
  readonly now: () => number;
  readonly random: () => number;
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
  /** Batches under way at most; when they are more than one, of four times `maxBytes` together. */
  readonly inFlight: number;
  /** Called in order; batches that are under way together must arrive in it, too. */
  send(batch: DeliveryBatch): Promise<Outcome>;
  /** Keeps a refused batch; rejects when it cannot, and the batch is tried again. */
  bury(batch: DeliveryBatch, reason: string): Promise<void>;
  /** Something is to be sent again. */
  retry(batch: DeliveryBatch, reason: string, delayMs: number): void;
}

type Batch = Omit<DeliveryBatch, "attempt">;

interface Problem {
  readonly reason: string;
  readonly afterMs?: number;
}

/** A batch under way. */
interface Flight {
  readonly batch: Batch;
  isDone: boolean;
  problem: Problem | undefined;
  /** Never rejects. */
  readonly landed: Promise<void>;
}

export interface Delivery {
  /** Sends what is in the queue without regard to age until it is empty or a batch fails, for `ms` at most; then ends. */
  close(ms: number): Promise<void>;
}

const idleMs = 60_000;
/** The longest pause that a receiver may ask for. */
const longestAskedMs = 600_000;
/** Under way at once, in bodies of the largest size. */
const flightBytes = 4;

export function startDelivery(options: DeliveryOptions): Delivery {
  return new QueueDelivery(options);
}

class QueueDelivery implements Delivery, DeliveryState {
  isClosing = false;
  isStopped = false;
  begunAt = Number.NEGATIVE_INFINITY;
  private readonly options: DeliveryOptions;
  private readonly consumer: QueueConsumer;
  private readonly collector: BatchCollector;
  private readonly caution = new Caution();
  /** Batches under way, in order. */
  private readonly flights: Flight[] = [];
  private acknowledging = Promise.resolve();
  /** Ends the pause before the next attempt. */
  private wakePause: (() => void) | undefined;
  private readonly ended: Promise<void>;

  constructor(options: DeliveryOptions) {
    this.options = options;
    this.consumer = options.consumer;
    this.collector = new BatchCollector(options, this);
    this.ended = this.run();
  }

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
      // The consumer may wait for records: it stops waiting, since nothing new is begun before the failed batch is repaired.
      else this.consumer.wake();
    };
    const flight: Flight = { batch, isDone: false, problem: undefined, landed: Promise.resolve().then(fly) };
    this.flights.push(flight);
  }

  /** Sends a batch once. Returns undefined when the batch is done with. */
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

  /** Acknowledges the batches that are done, up to the first one that is not. */
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

  /** Sends the failed batches until they are done with. Returns false when they are left to the next start. */
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
   * Sends one batch until it is done with, with a pause before each attempt; a batch behind the first one is sent at once, since
   * that got through. Returns false when the delivery ends first.
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
