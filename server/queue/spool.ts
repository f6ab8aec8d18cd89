// The spool: a folder of named queues. Each queue has its deliveries (objects that send its records), and one
// common queue stores the dead letters (refused records). A service that forwards data keeps the data here until
// the receiver takes it. A queue is opened when its first record comes, or at the start of the process when an
// earlier process left the queue.

import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { deadLetterFolder, storeDeadLetter } from "./delivery/dead-letters.ts";
import { Delivery, type DeliveryBatch, type DeliveryOptions, type Outcome } from "./delivery/delivery.ts";
import { realFiles } from "./log/files.ts";
import { withOwnBody } from "./log/pending.ts";
import { Outage, reasonOf } from "./outage.ts";
import { type DiskQueue, openQueue, QueueFailed } from "./queue.ts";
import type { NewRecord, QueueEvents, QueueOptions } from "./types.ts";

/** Options of a spool, its queues and their deliveries. `maxBytes` is the largest size of a batch, not of a queue. */
export interface SpoolOptions
  extends Pick<QueueOptions, "consumers" | "sync" | "full" | "joining">,
    Omit<DeliveryOptions, "consumer" | "spacingMs" | "now" | "random" | "send" | "bury" | "retry"> {
  /** Folder that contains one folder for each queue. */
  readonly folder: string;
  /**
   * Returns whether the entry with the given name in the spool's folder is a queue, which is then opened at the start.
   * All other files and folders are ignored.
   */
  readonly isName: (name: string) => boolean;
  /** Largest size of each queue in bytes. */
  readonly queueBytes: number;
  /** Beginning of the ids of all batches (records sent together). The id of the folder follows it. */
  readonly idPrefix: string;
  /**
   * Sends a batch to a consumer (a receiver of the queue's batches). `consumer` is the consumer's index, counted from
   * 0.
   */
  send(name: string, consumer: number, batch: DeliveryBatch): Promise<Outcome>;
  readonly events: SpoolEvents;
}

export interface SpoolEvents {
  /** Called when the queue `name` is opened and still contains records of an earlier process. */
  found(name: string, points: number): void;
  /** Called when records that the receiver refused were stored as dead letters, which are not sent again. */
  buried(name: string, points: number, reason: string): void;
  /** Called before a batch (records sent together) is sent again for the first time. */
  retry(name: string, points: number, reason: string, delayMs: number): void;
  queue(name: string): QueueEvents;
}

const segmentBytes = 16 * 1024 * 1024;
const deadLetterBytes = 128 * 1024 * 1024;
const closingMs = 5_000;
/**
 * Least time in milliseconds from the sending of one batch (records sent together) to the sending of the next.
 * So at most fifty requests are sent per second. One request costs as much as some hundred points, so more and
 * smaller requests would gain nothing.
 */
const spacingMs = 20;

interface Line {
  readonly queue: DiskQueue;
  readonly deliveries: readonly Delivery[];
}

export async function openSpool(options: SpoolOptions): Promise<Spool> {
  const { folder, isName } = options;
  await realFiles.makeFolder(folder);
  const folderId = idOf(path.join(folder, "id"));
  const dead = await openQueue({
    ...queueOptions(options, deadLetterFolder, ["kept"], deadLetterBytes, "drop-oldest"),
    giveUpRoom: () => spool.giveUpRoom(),
  });
  const spool = new Spool(options, folderId, dead);
  try {
    // Queues that an earlier process left are opened now, so that their records are sent even when no new record comes.
    for (const name of await realFiles.list(folder)) if (isName(name)) await spool.lineOf(name);
  } catch (error) {
    await spool.close(0);
    throw error;
  }
  return spool;
}

export class Spool {
  /** The open queues of the folder, by name. */
  readonly queues = new Map<string, DiskQueue>();
  private readonly options: SpoolOptions;
  private readonly folderId: string;
  /** The queue that stores the dead letters (refused records) of all queues. */
  private readonly dead: DiskQueue;
  private readonly lines = new Map<string, Promise<Line>>();
  /** Outages of queues that could not be opened to store a record, by queue name. */
  private readonly outages = new Map<string, Outage>();
  private isClosed = false;

  constructor(options: SpoolOptions, folderId: string, dead: DiskQueue) {
    this.options = options;
    this.folderId = folderId;
    this.dead = dead;
  }

  /**
   * Adds a record to a queue. Resolves when the record is stored. Rejects with QueueFull when the queue is full, and
   * with QueueFailed when the queue cannot be opened or written.
   */
  put(name: string, record: NewRecord): Promise<void> {
    const open = this.queues.get(name);
    if (open !== undefined) return open.put(record);
    const kept = withOwnBody(record);
    return this.openForPut(name).then((queue) => queue.put(kept));
  }

  /** Stores a refused record as a dead letter, without putting the record into a queue first. */
  async bury(name: string, reason: string, record: NewRecord): Promise<void> {
    await storeDeadLetter(this.dead, name, reason, record);
    this.options.events.buried(name, record.points, reason);
  }

  /** Size in bytes of the segment files and spares (files kept for next segments) of all open queues together. */
  get bytes(): number {
    let sum = 0;
    for (const queue of this.queues.values()) sum += queue.bytes;
    return sum;
  }

  /** Gives back the room on the disk that the open queues keep only to be faster. */
  async giveUpRoom(): Promise<void> {
    await Promise.all(Array.from(this.queues.values(), (queue) => queue.giveUpRoom()));
  }

  /** Returns the reason, by queue name, for each queue that cannot be opened or written now. */
  unwritable(): ReadonlyMap<string, string> {
    const reasons = [...this.outages].map(([name, { reason }]) => [name, reason] as const);
    const failures = [...this.queues].map(([name, { failure }]) => [name, failure] as const);
    return new Map([...reasons, ...failures].flatMap(([name, why]) => (why === undefined ? [] : [[name, why]])));
  }

  /** Sends the waiting records for at most `ms` milliseconds, then closes all queues. */
  async close(ms = closingMs): Promise<void> {
    this.isClosed = true;
    await Promise.all([...this.outages.values()].map((outage) => outage.close()));
    const all = (await Promise.allSettled(this.lines.values())).flatMap((line) =>
      line.status === "fulfilled" ? [line.value] : [],
    );
    await Promise.all(all.flatMap(({ deliveries }) => deliveries.map((delivery) => delivery.close(ms))));
    await Promise.all(all.map(({ queue }) => queue.close()));
    await this.dead.close();
  }

  private async openForPut(name: string): Promise<DiskQueue> {
    try {
      return (await this.lineOf(name)).queue;
    } catch (error) {
      if (error instanceof QueueFailed) throw error;
      this.outageOf(name).failed(error as Error);
      throw new QueueFailed(`the queue could not be opened: ${reasonOf(error as Error)}`);
    }
  }

  private outageOf(name: string): Outage {
    let outage = this.outages.get(name);
    if (outage === undefined) {
      const { unwritable, writable } = this.options.events.queue(name);
      const probe = async () => {
        await this.giveUpRoom();
        await this.lineOf(name);
      };
      outage = new Outage({ probe, began: unwritable, ended: writable });
      this.outages.set(name, outage);
    }
    return outage;
  }

  /** Returns the queue of the given name with its deliveries. Opens the queue when it is not open yet. */
  lineOf(name: string): Promise<Line> {
    let line = this.lines.get(name);
    if (line === undefined) {
      if (this.isClosed) return Promise.reject(new QueueFailed("the queues are closed"));
      line = this.openLine(name);
      this.lines.set(name, line);
      // A queue that could not be opened is forgotten, so that the next record for this queue causes another attempt to
      // open it.
      line.catch(() => this.lines.delete(name));
    }
    return line;
  }

  private async openLine(name: string): Promise<Line> {
    const { options } = this;
    const own = queueOptions(options, name, options.consumers, options.queueBytes, options.full);
    const queue = await openQueue({ ...own, giveUpRoom: () => this.giveUpRoom() });
    const waiting = queue.consumers[0].backlog;
    if (waiting.records > 0) options.events.found(name, waiting.points);
    const deliveries = queue.consumers.map((_, at) => new Delivery(this.deliveryOptions(name, queue, at)));
    this.queues.set(name, queue);
    return { queue, deliveries };
  }

  private deliveryOptions(name: string, queue: DiskQueue, at: number): DeliveryOptions {
    const { options, folderId, dead } = this;
    /** Id of the batch whose first retry was logged last. Further retries of this batch are not logged. */
    let logged = "";
    return {
      ...options,
      consumer: queue.consumers[at],
      idPrefix: `${options.idPrefix}_${folderId}-${name}`,
      spacingMs,
      now: Date.now,
      random: Math.random,
      send: (batch) => options.send(name, at, batch),
      bury: async (batch, reason) => {
        for (const record of batch.records) await storeDeadLetter(dead, name, reason, record);
        options.events.buried(name, batch.points, reason);
      },
      retry: (batch, reason, delayMs) => {
        if (batch.id !== logged) options.events.retry(name, batch.points, reason, delayMs);
        logged = batch.id;
      },
    };
  }
}

function queueOptions(
  options: SpoolOptions,
  name: string,
  consumers: readonly string[],
  maxBytes: number,
  full: QueueOptions["full"],
): QueueOptions {
  return {
    ...options,
    folder: path.join(options.folder, name),
    files: realFiles,
    consumers,
    maxBytes,
    segmentBytes: Math.min(segmentBytes, Math.ceil(maxBytes / 4)),
    full,
    now: Date.now,
    events: options.events.queue(name),
  };
}

/**
 * Reads the id of the folder of queues from a file, or creates the file with a new id. The id makes the batch ids of
 * different folders differ. Throws when the file cannot be read or written.
 */
function idOf(file: string): string {
  try {
    const text = readFileSync(file, "utf8").trim();
    if (/^[0-9a-f-]{36}$/.test(text)) return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const id = randomUUID();
  writeFileSync(file, `${id}\n`, { mode: 0o600 });
  return id;
}
