// Dead letters: records that a receiver refused. They are stored in a queue of their own, with the reason of the
// refusal, until an operator sends them again or deletes them. When this queue is full, its oldest records are
// deleted and counted as lost.

import { isBefore } from "../log/cursor.ts";
import type { DiskQueue } from "../queue.ts";
import type { NewRecord, StoredRecord } from "../types.ts";

/**
 * The name of the folder with the queue of dead letters (refused records). It is next to the folders of the
 * other queues.
 */
export const deadLetterFolder = "dead-letters";

/** A record that the receiver refused, with the reason of the refusal. */
export interface DeadLetter {
  readonly category: string;
  /** The HTTP status and the message with which the receiver refused the record. */
  readonly reason: string;
  /** The metadata that the record had in its original queue, as a string. */
  readonly meta: string;
  readonly record: StoredRecord;
}

type Kept = Omit<DeadLetter, "record">;

export async function storeDeadLetter(
  store: DiskQueue,
  category: string,
  reason: string,
  record: NewRecord,
): Promise<void> {
  const kept: Kept = { category, reason, meta: Buffer.from(record.meta).toString() };
  await store.put({ body: record.body, meta: Buffer.from(JSON.stringify(kept)), points: record.points });
}

/** Yields all dead letters (refused records), oldest first. Does not remove any of them. */
export async function* deadLetters(store: DiskQueue): AsyncGenerator<DeadLetter> {
  const [consumer] = store.consumers;
  const first = await consumer.next();
  for (let record = first; record !== undefined; record = await consumer.next()) yield letterOf(record);
  if (first !== undefined) consumer.unread(first);
}

/** Removes this dead letter (refused record) and all older ones. */
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

/** Parses the metadata of a record in the queue of dead letters (refused records). */
export function letterMeta(meta: Uint8Array): Kept {
  const { category, reason, meta: own } = JSON.parse(Buffer.from(meta).toString()) as Kept;
  return { category, reason, meta: own };
}
