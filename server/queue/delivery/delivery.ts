// Carries the records of one queue to one place, in order: batches by size, count and age, each sent again with growing pauses
// until it is taken. A batch is acknowledged when it and all before it were taken, or kept as dead letters.
//
// Several batches may be under way, so that what comes quickly does not wait for each answer. Once one of them fails the others
// are waited for; then those that failed are sent again one after the other, and for some batches only one is under way.

import { isBefore, type Position } from "../log/cursor.ts";
import type { DiskQueue } from "../queue.ts";
import type { StoredRecord } from "../types.ts";
import type { QueueConsumer } from "./consumer.ts";

export interface DeliveryBatch {
  readonly records: readonly StoredRecord[];
  /** Of the bodies, the separators between them included. */
  readonly bytes: number;
  readonly points: number;
  /** The same for the same records in the same batch, also after a restart. */
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
/** What a receiver may ask for at most. */
const longestAskedMs = 600_000;
/** One at a time after a failure: there are servers and proxies that cannot take requests before they have answered others. */
const carefulBatches = 16;
/** It doubles each time that several were under way when one failed, up to this; as many that go well begin anew. */
const mostCarefulBatches = 1024;
/** Under way at once, in bodies of the largest size. */
const flightBytes = 4;

export function startDelivery(options: DeliveryOptions): Delivery {
  const { consumer } = options;
  let closing = false;
  let stopped = false;
  /** The last batch was begun. */
  let begunAt = Number.NEGATIVE_INFINITY;
  /** In order. */
  const flights: Flight[] = [];
  let acknowledging = Promise.resolve();
  /** Batches that are still sent one at a time. */
  let careful = 0;
  /** After the next failure of one of several. */
  let caution = carefulBatches;
  /** Batches done since the last failure. */
  let calm = 0;
  /** Ends the pause before the next attempt. */
  let wakePause: (() => void) | undefined;
  const ended = run();

  return {
    close: async (ms) => {
      closing = true;
      consumer.wake();
      wakePause?.();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, ms);
      });
      await Promise.race([ended, late]);
      clearTimeout(timer);
      stopped = true;
      consumer.wake();
    },
  };

  async function run(): Promise<void> {
    while (!stopped) {
      if (hasFailed() && !(await repair())) break;
      if (!hasRoom()) {
        await flights[0].landed;
        continue;
      }
      const records = await collect();
      if (records.length > 0) {
        if (hasFailed() && !(await repair())) break;
        begin(batchOf(records));
      } else if (!hasFailed()) {
        if (closing && flights.length === 0) break;
        if (closing) await flights[0].landed;
        else await consumer.wait(idleMs);
      }
    }
    await Promise.all(flights.map(({ landed }) => landed));
    await acknowledging;
  }

  function hasRoom(): boolean {
    if (flights.length === 0) return true;
    const bytes = flights.reduce((sum, { batch }) => sum + batch.bytes, 0);
    return careful === 0 && flights.length < options.inFlight && bytes < flightBytes * options.maxBytes;
  }

  function begin(batch: Batch): void {
    begunAt = performance.now();
    careful = Math.max(0, careful - 1);
    const fly = async () => {
      await consumer.plan(batch.records.at(-1)!.end);
      flight.problem = await deliver({ ...batch, attempt: 0 });
      if (flight.problem === undefined) land(flight);
      // Nothing new is begun, whatever is waited for.
      else consumer.wake();
    };
    const flight: Flight = { batch, isDone: false, problem: undefined, landed: Promise.resolve().then(fly) };
    flights.push(flight);
  }

  /** Acknowledges what is done up to the first batch that is not. */
  function land(flight: Flight): void {
    flight.isDone = true;
    if (++calm >= mostCarefulBatches) caution = carefulBatches;
    let end: Position | undefined;
    while (flights.length > 0 && flights[0].isDone) end = flights.shift()!.batch.records.at(-1)!.end;
    if (end === undefined) return;
    const last = end;
    acknowledging = acknowledging.then(() => consumer.acknowledge(last));
  }

  function hasFailed(): boolean {
    return flights.some(({ problem }) => problem !== undefined);
  }

  /** Sends what failed until it is done with; false when that is left to the next start. */
  async function repair(): Promise<boolean> {
    calm = 0;
    careful = Math.max(careful, flights.length > 1 ? caution : carefulBatches);
    if (flights.length > 1) caution = Math.min(2 * caution, mostCarefulBatches);
    await Promise.all(flights.map(({ landed }) => landed));
    for (const [at, flight] of flights.filter(({ problem }) => problem !== undefined).entries()) {
      for (let attempt = 1; flight.problem !== undefined; attempt++) {
        if (closing || stopped) return false;
        // What failed behind the first one is sent at once when that got through.
        const pauses = at === 0 ? attempt : attempt - 1;
        if (pauses > 0) await pauseAfter({ ...flight.batch, attempt: attempt - 1 }, flight.problem, pauses);
        if (stopped) return false;
        flight.problem = await deliver({ ...flight.batch, attempt });
      }
      land(flight);
    }
    return !stopped;
  }

  function pauseAfter(tried: DeliveryBatch, { reason, afterMs = 0 }: Problem, pauses: number): Promise<void> {
    const doubled = options.firstDelayMs * 2 ** Math.min(pauses - 1, 30);
    const pause = Math.min(doubled, options.longestDelayMs) * (0.75 + options.random() / 2);
    const delayMs = Math.max(pause, Math.min(afterMs, longestAskedMs));
    options.retry(tried, reason, delayMs);
    return pauseFor(delayMs);
  }

  /** Undefined when the batch is done with. */
  async function deliver(batch: DeliveryBatch): Promise<Problem | undefined> {
    try {
      const outcome = await options.send(batch);
      if (outcome.kind === "again") return outcome;
      if (outcome.kind === "taken" && outcome.closes === true) careful = Math.max(careful, carefulBatches);
      if (outcome.kind === "refused") await options.bury(batch, outcome.reason);
      return undefined;
    } catch (error) {
      return { reason: (error as Error).message };
    }
  }

  /** The next batch, waited for until it is full or old enough. */
  async function collect(): Promise<StoredRecord[]> {
    const records: StoredRecord[] = [];
    let planned: Position | undefined;
    let bytes = 0;
    let points = 0;
    let began = 0;
    for (;;) {
      const record = consumer.nextAtOnce() ?? (await readNext());
      if (stopped) return [];
      if (record === undefined) {
        if (records.length === 0 || closing || hasFailed()) return records;
        const now = performance.now();
        // By the clock it may lie in the future: a clock that jumps back must not keep it here.
        const age = Math.max(options.now() - records[0].time, now - began);
        const missing = options.enoughPoints - points;
        const spacing = missing > 0 ? Number.POSITIVE_INFINITY : begunAt + options.spacingMs - now;
        const ms = Math.min(options.maxAgeMs - age, spacing);
        if (ms <= 0) return records;
        const bytesLeft = options.maxBytes - bytes;
        await consumer.wait(ms, missing > 0 ? { points: missing, bytes: bytesLeft } : { bytes: bytesLeft });
        continue;
      }
      const isFirst = records.length === 0;
      if (isFirst) planned = consumer.plannedFrom(record.end);
      // Damage may lie where the batch ended that was under way.
      const isBehind = planned !== undefined && !isBefore(record.start, planned);
      const isAlone = options.travelsAlone?.(record) === true;
      const fits =
        !isAlone &&
        !isBehind &&
        bytes + record.body.length + 1 <= options.maxBytes &&
        (isFirst || Buffer.compare(records[0].meta, record.meta) === 0);
      if (!isFirst && !fits) {
        consumer.unread(record);
        return records;
      }
      if (isFirst) began = performance.now();
      records.push(record);
      bytes += record.body.length + 1;
      points += record.points;
      if (planned !== undefined && !isBefore(record.end, planned)) return records;
      if (isAlone || bytes >= options.maxBytes) return records;
    }
  }

  /** A file that cannot be read now is tried again, which is told once; nothing is skipped. */
  async function readNext(): Promise<StoredRecord | undefined> {
    for (let isTold = false; ; isTold = true) {
      try {
        return await consumer.next();
      } catch (error) {
        if (!isTold) consumer.unreadable(error as Error);
        if (closing || stopped) return undefined;
        await pauseFor(options.firstDelayMs);
      }
    }
  }

  function batchOf(records: readonly StoredRecord[]): Batch {
    const { segment, offset } = records[0].start;
    return {
      records,
      bytes: records.reduce((sum, { body }) => sum + body.length, records.length - 1),
      points: records.reduce((sum, each) => sum + each.points, 0),
      id: `${options.idPrefix}-${segment}-${offset}-${records.length}`,
    };
  }

  function pauseFor(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => wakePause?.(), ms);
      wakePause = () => {
        clearTimeout(timer);
        wakePause = undefined;
        resolve();
      };
    });
  }
}
