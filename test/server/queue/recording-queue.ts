// Opens a queue with small segments in a real folder, and records the events that the queue reports.

import { existsSync } from "node:fs";
import path from "node:path";
import { realFiles } from "../../../server/queue/log/files.ts";
import { segmentName } from "../../../server/queue/log/segment-files.ts";
import { type DiskQueue, openQueue } from "../../../server/queue/queue.ts";
import type { QueueOptions } from "../../../server/queue/types.ts";

export interface QueueEventLog {
  readonly damaged: (readonly [file: string, offset: number, bytes: number])[];
  readonly torn: (readonly [file: string, bytes: number])[];
  readonly failed: string[];
  readonly lost: (readonly [file: string, records: number, points: number, bytes: number])[];
  /**
   * The reports of the queue about its disk, in order: the reason when the disk could no longer be written, or "again"
   * when it could be written again.
   */
  readonly writable: string[];
}

export const noEvents: QueueEventLog = { damaged: [], torn: [], failed: [], lost: [], writable: [] };

export async function open(
  folder: string,
  options: Partial<QueueOptions> = {},
): Promise<{ queue: DiskQueue; events: QueueEventLog }> {
  const events: QueueEventLog = { damaged: [], torn: [], failed: [], lost: [], writable: [] };
  const queue = await openQueue({
    folder,
    files: realFiles,
    consumers: ["main"],
    maxBytes: 1 << 20,
    segmentBytes: 400,
    sync: "group",
    full: "refuse",
    now: () => 1000,
    events: {
      dropped: () => {},
      damaged: (...each) => events.damaged.push(each),
      torn: (...each) => events.torn.push(each),
      failed: (_, error) => events.failed.push(error.message),
      lost: (file, { records, points, bytes }) => events.lost.push([file, records, points, bytes]),
      unwritable: (error) => events.writable.push(error.message),
      writable: () => events.writable.push("again"),
    },
    ...options,
  });
  return { queue, events };
}

export const put = (queue: DiskQueue, text: string) =>
  queue.put({ body: Buffer.from(text), meta: Buffer.alloc(0), points: 1 });

export async function drain({ consumers: [consumer] }: DiskQueue): Promise<string[]> {
  const texts: string[] = [];
  for (let record = await consumer!.next(); record !== undefined; record = await consumer!.next()) {
    texts.push(Buffer.from(record.body).toString());
    await consumer!.acknowledge(record.end);
  }
  return texts;
}

export const fileOf = (folder: string, number: number) => path.join(folder, segmentName(number));
export const hasSpare = (folder: string) => existsSync(path.join(folder, "spare"));
export const text = (letter: string) => letter.repeat(100);
