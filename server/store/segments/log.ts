// The log of the store: every batch is written to the log and synced to the disk before the sender gets an answer. Each
// generation (set of tables in memory) has its own part of the log, which is a durable queue in a folder. The folder is
// deleted when the generation has been packed into segments (Parquet files). Points are written as protobuf, which
// preserves all value types and bytes. The time of each point, and the changes that the decoder made to the point, are
// written beside it.

import { rm } from "node:fs/promises";
import path from "node:path";
import type { Limits } from "../../../lib/index.ts";
import type { CategoryName } from "../../../lib/point/index.ts";
import { inspectQueue } from "../../queue/inspect.ts";
import { realFiles } from "../../queue/log/files.ts";
import type { Frame } from "../../queue/log/segment.ts";
import { type DiskQueue, openQueue } from "../../queue/queue.ts";

/** The properties of a batch that the log stores in the same record as the points of the batch. */
export interface LoggedBatch {
  readonly workspace: string;
  readonly category: CategoryName;
  readonly batchId: string;
  readonly index: string;
  /** The time at which the batch was received, in ms since 1970. */
  readonly received: bigint;
  /** The sequence number (order of arrival) of the first point. */
  readonly sequence: bigint;
}

export interface ReadBatch extends LoggedBatch {
  /** The points of the batch as protobuf. */
  readonly body: Uint8Array;
  readonly points: number;
}

/**
 * The limits for decoding points of the log. They are 0, which means no limit, because the points were already
 * checked against the limits when they arrived.
 */
export const unlimited: Limits = {
  maxTags: 0,
  maxFields: 0,
  maxTagKey: 0,
  maxFieldKey: 0,
  maxTagValue: 0,
  maxFieldValue: 0,
  maxMeasurement: 0,
};

const segmentBytes = 64 * 1024 * 1024;
/**
 * Maximum size in bytes of the queue that stores a part of the log. No part becomes nearly as large, so the limit is
 * never reached.
 */
const maxBytes = 64 * 1024 ** 3;

/** The part of the log that belongs to one generation (set of tables in memory). */
export class LogPart {
  readonly number: number;
  private readonly folder: string;
  private readonly queue: DiskQueue;

  private constructor(number: number, folder: string, queue: DiskQueue) {
    this.number = number;
    this.folder = folder;
    this.queue = queue;
  }

  /** Opens a part of the log. `root`: the folder of the store. */
  static async open(root: string, number: number): Promise<LogPart> {
    const folder = logFolder(root, number);
    const queue = await openQueue({
      folder,
      files: realFiles,
      consumers: ["packer"],
      maxBytes,
      segmentBytes,
      sync: "group",
      full: "refuse",
      now: Date.now,
      events: {
        dropped: () => {},
        // Events of the queue about damage are ignored here, because the method `read` reports damage.
        damaged: () => {},
        torn: () => {},
        failed: () => {},
        // Events of the queue about lost points and failed writes are ignored, because the store itself counts lost
        // points and repeats failed writes.
        lost: () => {},
        unwritable: () => {},
        writable: () => {},
      },
    });
    return new LogPart(number, folder, queue);
  }

  /** Appends a batch; resolves when the batch is synced to the disk. */
  put(batch: LoggedBatch, body: Uint8Array, points: number): Promise<void> {
    const { workspace, category, batchId, index, received, sequence } = batch;
    const meta = Buffer.from(JSON.stringify([workspace, category, batchId, index, String(received), String(sequence)]));
    return this.queue.put({ body, meta, points });
  }

  /** Reads this part of the store's log, and calls `take` with every batch in it, one after the other. */
  async read(take: (batch: ReadBatch) => Promise<void>, damaged: (file: string, bytes: number) => void): Promise<void> {
    const visit = async ({ meta, body, points }: Frame): Promise<void> => {
      const [workspace, category, batchId, index, received, sequence] = JSON.parse(meta.toString("utf8")) as [
        ...[string, CategoryName, string, string, string, string],
      ];
      const numbers = { received: BigInt(received), sequence: BigInt(sequence) };
      await take({ workspace, category, batchId, index, ...numbers, body, points });
    };
    const name = path.basename(this.folder);
    await inspectQueue(realFiles, this.folder, visit, (file, bytes) => damaged(`log/${name}/${file}`, bytes));
  }

  get bytes(): number {
    return this.queue.bytes;
  }

  close(): Promise<void> {
    return this.queue.close();
  }

  /** Deletes the log part, because its points are in segments (Parquet files) now. */
  async remove(): Promise<void> {
    await this.queue.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

export function logFolder(root: string, number: number): string {
  return path.join(root, "log", String(number).padStart(8, "0"));
}
