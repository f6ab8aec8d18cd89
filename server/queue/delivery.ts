// Carries the records of one queue to one place, in order: batches by size, count and age, one under way at a time, again
// with growing pauses until it is taken. A batch is acknowledged when it was taken, or kept as a dead letter.

import type { QueueConsumer } from "./consumer.ts";
import type { Position } from "./cursor.ts";
import type { DiskQueue } from "./queue.ts";
import type { StoredRecord } from "./types.ts";

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
  | { readonly kind: "taken" }
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
  send(batch: DeliveryBatch): Promise<Outcome>;
  /** Keeps a refused batch; rejects when it cannot, and the batch is tried again. */
  bury(batch: DeliveryBatch, reason: string): Promise<void>;
  /** Something is to be sent again. */
  retry(batch: DeliveryBatch, reason: string, delayMs: number): void;
}

export interface Delivery {
  /** Sends what is in the queue without regard to age until it is empty or a batch fails, for `ms` at most; then ends. */
  close(ms: number): Promise<void>;
}

const idleMs = 60_000;
/** What a receiver may ask for at most. */
const longestAskedMs = 600_000;

export function startDelivery(options: DeliveryOptions): Delivery {
  const { consumer } = options;
  let closing = false;
  let stopped = false;
  /** The last batch was begun. */
  let begunAt = Number.NEGATIVE_INFINITY;
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
    for (let failures = 0; !stopped; ) {
      const records = await collect();
      if (records.length === 0) {
        if (closing) return;
        await consumer.wait(idleMs);
        continue;
      }
      const batch = batchOf(records);
      begunAt = performance.now();
      await consumer.plan(batch.records.at(-1)!.end);
      for (let attempt = 0; ; attempt++) {
        const tried = { ...batch, attempt };
        const problem = await deliver(tried);
        if (problem === undefined) break;
        if (closing || stopped) return;
        failures++;
        const doubled = options.firstDelayMs * 2 ** Math.min(failures - 1, 30);
        const pause = Math.min(doubled, options.longestDelayMs) * (0.75 + options.random() / 2);
        const delayMs = Math.max(pause, Math.min(problem.afterMs ?? 0, longestAskedMs));
        options.retry(tried, problem.reason, delayMs);
        await pauseFor(delayMs);
        if (stopped) return;
      }
      failures = 0;
      await consumer.acknowledge(batch.records.at(-1)!.end);
    }
  }

  /** Undefined when the batch is done with. */
  async function deliver(batch: DeliveryBatch): Promise<{ reason: string; afterMs?: number } | undefined> {
    try {
      const outcome = await options.send(batch);
      if (outcome.kind === "again") return outcome;
      if (outcome.kind === "refused") await options.bury(batch, outcome.reason);
      return undefined;
    } catch (error) {
      return { reason: (error as Error).message };
    }
  }

  /** The next batch, waited for until it is full or old enough. */
  async function collect(): Promise<StoredRecord[]> {
    const records: StoredRecord[] = [];
    const planned = consumer.planned;
    let bytes = 0;
    let points = 0;
    let began = 0;
    for (;;) {
      const record = consumer.nextAtOnce() ?? (await readNext());
      if (stopped) return [];
      if (record === undefined) {
        if (records.length === 0 || closing) return records;
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
      const isAlone = options.travelsAlone?.(record) === true;
      const fits =
        !isAlone &&
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
      if (planned !== undefined && isSame(record.end, planned)) return records;
      if (isAlone || bytes >= options.maxBytes) return records;
    }
  }

  /** A file that cannot be read now is tried again; nothing is skipped. */
  async function readNext(): Promise<StoredRecord | undefined> {
    for (;;) {
      try {
        return await consumer.next();
      } catch {
        if (closing || stopped) return undefined;
        await pauseFor(options.firstDelayMs);
      }
    }
  }

  function batchOf(records: readonly StoredRecord[]): Omit<DeliveryBatch, "attempt"> {
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

function isSame(a: Position, b: Position): boolean {
  return a.segment === b.segment && a.offset === b.offset;
}
