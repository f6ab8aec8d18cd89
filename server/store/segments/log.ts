// The log: every batch is written here and synced to the disk before it is answered. Each generation of the hot part
// has a part of the log, which is a durable queue in a folder of its own; the folder is deleted when the generation
// has been packed into segments.
// Points are written as protobuf, which keeps all their kinds and bytes, with the times and corrections from
// decoding.

import { rm } from "node:fs/promises";
import path from "node:path";
import type { Limits } from "../../../lib/index.ts";
import type { CategoryName } from "../../../lib/point/index.ts";
import { inspectQueue } from "../../queue/inspect.ts";
import { realFiles } from "../../queue/log/files.ts";
import type { Frame } from "../../queue/log/segment.ts";
import { type DiskQueue, openQueue } from "../../queue/queue.ts";

/** The properties of a batch, without its points. */
export interface LoggedBatch {
  readonly workspace: string;
  readonly category: CategoryName;
  readonly batchId: string;
  readonly index: string;
  /** The time of receipt, ms since 1970. */
  readonly received: bigint;
  /** The sequence number of the first point by arrival. */
  readonly sequence: bigint;
}

export interface ReadBatch extends LoggedBatch {
  /** The points as protobuf. */
  readonly body: Uint8Array;
  readonly points: number;
}

/** Limits for decoding the log: none (0), because the points were checked when they arrived. */
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
/** A limit far above the size of a generation. */
const maxBytes = 64 * 1024 ** 3;

/** The part of the log for one generation. */
export class LogPart {
  readonly number: number;
  private readonly folder: string;
  private readonly queue: DiskQueue;

  private constructor(number: number, folder: string, queue: DiskQueue) {
    this.number = number;
    this.folder = folder;
    this.queue = queue;
  }

  /** Opens a part. `root`: the folder of the store. */
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
        // `read` reports damage, so these events are ignored.
        damaged: () => {},
        torn: () => {},
        failed: () => {},
        // The store counts the points and retries itself, so these events are ignored.
        lost: () => {},
        unwritable: () => {},
        writable: () => {},
      },
    });
    return new LogPart(number, folder, queue);
  }

  /** Adds a batch; resolves when it is synced to the disk. */
  put(batch: LoggedBatch, body: Uint8Array, points: number): Promise<void> {
    const { workspace, category, batchId, index, received, sequence } = batch;
    const meta = Buffer.from(JSON.stringify([workspace, category, batchId, index, String(received), String(sequence)]));
    return this.queue.put({ body, meta, points });
  }

  /** Calls `take` with every batch of the part, one after the other. */
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

  /** Deletes the part, because its points are in segments. */
  async remove(): Promise<void> {
    await this.queue.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

export function logFolder(root: string, number: number): string {
  return path.join(root, "log", String(number).padStart(8, "0"));
}
