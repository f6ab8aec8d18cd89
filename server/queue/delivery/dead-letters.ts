// Dead letters: records that a receiver refused. They are stored in a queue of their own, with the reason of the
// refusal, until an operator sends them again or deletes them. When this queue is full, its oldest records are
// deleted and counted as lost.

import type { DiskQueue } from "../queue.ts";
import type { NewRecord } from "../types.ts";

/**
 * The name of the folder with the queue of dead letters (refused records). It is next to the folders of the
 * other queues.
 */
export const deadLetterFolder = "dead-letters";

/** The metadata of a record in the queue of dead letters. */
interface Kept {
  /** The name of the queue from which the record comes. */
  readonly category: string;
  /** The HTTP status and the message with which the receiver refused the record. */
  readonly reason: string;
  /** The metadata that the record had in its original queue, as a string. */
  readonly meta: string;
}

export async function storeDeadLetter(
  store: DiskQueue,
  category: string,
  reason: string,
  record: NewRecord,
): Promise<void> {
  const kept: Kept = { category, reason, meta: Buffer.from(record.meta).toString() };
  await store.put({ body: record.body, meta: Buffer.from(JSON.stringify(kept)), points: record.points });
}

/** Parses the metadata of a record in the queue of dead letters (refused records). */
export function letterMeta(meta: Uint8Array): Kept {
  const { category, reason, meta: own } = JSON.parse(Buffer.from(meta).toString()) as Kept;
  return { category, reason, meta: own };
}
