// The log: every batch is written here, and is on the device, before it is answered. Each generation of the hot part has a part of the log, a
// durable queue in a folder of its own; the folder is deleted when the generation is packed into segments.
//
// Points are written as protobuf, which keeps every kind and byte of them, with the times and corrections that decoding gave them.

import { rm } from "node:fs/promises";
import path from "node:path";
import type { Limits } from "../../../lib/index.ts";
import type { CategoryName } from "../../../lib/point/category.ts";
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
  /** ms since 1970. */
  readonly received: bigint;
  /** The number of the first point by arrival. */
  readonly sequence: bigint;
}

export interface ReadBatch extends LoggedBatch {
  /** Points as protobuf. */
  readonly body: Uint8Array;
  readonly points: number;
}

/** The points of the log were limited when they came: 0 is no limit. */
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
/** Far more than a generation holds. */
const maxBytes = 64 * 1024 ** 3;

/** The part of the log of one generation. */
export class LogPart {
  readonly number: number;
  private readonly folder: string;
  private readonly queue: DiskQueue;

  private constructor(number: number, folder: string, queue: DiskQueue) {
    this.number = number;
    this.folder = folder;
    this.queue = queue;
  }

  /** `root`: the folder of the store. */
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
        // Reading the part tells it.
        damaged: () => {},
        torn: () => {},
        failed: () => {},
        // The store counts the points itself, and tries again by itself.
        lost: () => {},
        unwritable: () => {},
        writable: () => {},
      },
    });
    return new LogPart(number, folder, queue);
  }

  /** Resolves when the batch is on the device. */
  put(batch: LoggedBatch, body: Uint8Array, points: number): Promise<void> {
    const { workspace, category, batchId, index, received, sequence } = batch;
    const meta = Buffer.from(JSON.stringify([workspace, category, batchId, index, String(received), String(sequence)]));
    return this.queue.put({ body, meta, points });
  }

  /** Gives every batch of the part to `take`, one after the other. */
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

  /** The points are in segments. */
  async remove(): Promise<void> {
    await this.queue.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

export function logFolder(root: string, number: number): string {
  return path.join(root, "log", String(number).padStart(8, "0"));
}
