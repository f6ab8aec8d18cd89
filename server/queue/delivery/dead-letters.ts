// Batches that a receiver refused, kept with the reason until somebody replays or drops them. The store is a queue of its
// own; when it is full its oldest go, counted.

import { isBefore } from "../log/cursor.ts";
import type { DiskQueue } from "../queue.ts";
import type { NewRecord, StoredRecord } from "../types.ts";

/** Among the queues of a folder, the one of the dead letters. */
export const deadLetterFolder = "dead-letters";

/** What is kept beside the body of a refused record. */
export interface DeadLetter {
  readonly category: string;
  /** Status and words of the receiver. */
  readonly reason: string;
  /** The record's own meta, as text. */
  readonly meta: string;
  readonly record: StoredRecord;
}

type Kept = Omit<DeadLetter, "record">;

export async function bury(store: DiskQueue, category: string, reason: string, record: NewRecord): Promise<void> {
  const kept: Kept = { category, reason, meta: Buffer.from(record.meta).toString() };
  await store.put({ body: record.body, meta: Buffer.from(JSON.stringify(kept)), points: record.points });
}

/** All letters, oldest first; reading them takes nothing away. */
export async function* deadLetters(store: DiskQueue): AsyncGenerator<DeadLetter> {
  const [consumer] = store.consumers;
  const first = await consumer.next();
  for (let record = first; record !== undefined; record = await consumer.next()) yield letterOf(record);
  if (first !== undefined) consumer.unread(first);
}

/** Everything up to and with this letter is removed. */
export async function removeThrough(store: DiskQueue, letter: DeadLetter): Promise<void> {
  const [consumer] = store.consumers;
  for (;;) {
    const record = await consumer.next();
    if (record === undefined) return;
    if (isBefore(letter.record.end, record.end)) {
      consumer.unread(record);
      return;
    }
    await consumer.acknowledge(record.end);
  }
}

function letterOf(record: StoredRecord): DeadLetter {
  return { ...letterMeta(record.meta), record };
}

/** The meta of a record of the store. */
export function letterMeta(meta: Uint8Array): Kept {
  const { category, reason, meta: own } = JSON.parse(Buffer.from(meta).toString()) as Kept;
  return { category, reason, meta: own };
}
