// Dead letters: batches that a receiver refused, kept with the reason until somebody replays or drops them. The store
// is a queue of its own. When it is full, its oldest records are deleted and counted.

import { isBefore } from "../log/cursor.ts";
import type { DiskQueue } from "../queue.ts";
import type { NewRecord, StoredRecord } from "../types.ts";

/** Name of the queue of dead letters in a folder of queues. */
export const deadLetterFolder = "dead-letters";

/** A refused record, with the reason. */
export interface DeadLetter {
  readonly category: string;
  /** Status and message of the receiver. */
  readonly reason: string;
  /** Meta that the record had in its queue, as text. */
  readonly meta: string;
  readonly record: StoredRecord;
}

type Kept = Omit<DeadLetter, "record">;

export async function bury(store: DiskQueue, category: string, reason: string, record: NewRecord): Promise<void> {
  const kept: Kept = { category, reason, meta: Buffer.from(record.meta).toString() };
  await store.put({ body: record.body, meta: Buffer.from(JSON.stringify(kept)), points: record.points });
}

/** Yields all dead letters, oldest first, and leaves them in the store. */
export async function* deadLetters(store: DiskQueue): AsyncGenerator<DeadLetter> {
  const [consumer] = store.consumers;
  const first = await consumer.next();
  for (let record = first; record !== undefined; record = await consumer.next()) yield letterOf(record);
  if (first !== undefined) consumer.unread(first);
}

/** Removes this dead letter and all before it. */
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

/** Returns the parsed meta of a record of the store. */
export function letterMeta(meta: Uint8Array): Kept {
  const { category, reason, meta: own } = JSON.parse(Buffer.from(meta).toString()) as Kept;
  return { category, reason, meta: own };
}
