// Forwards points to the gateways (agent document, B.5): each category has a queue on disk, each queue one delivery (mode
// failover: to the first gateway that answers) or one per gateway (mode all).
//
// A write is answered when its points are in the queue. What a gateway refuses (4xx but 408 and 429) is kept as a dead
// letter with the reason; everything else is sent again until it gets through, with the same `X-Pkg-Id`.

import { createHash, randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { headerName, toHeaderBytes } from "../../lib/sharding/header.ts";
import { ApiError } from "../http/errors.ts";
import type { Log } from "../http/log.ts";
import { type Metrics, statusText } from "../http/metrics.ts";
import { version } from "../http/version.ts";
import { bury } from "../queue/dead-letters.ts";
import { type Delivery, type DeliveryBatch, type Outcome, startDelivery } from "../queue/delivery.ts";
import { realFiles } from "../queue/files.ts";
import { type DiskQueue, type NewRecord, openQueue, QueueFull, type QueueOptions } from "../queue/queue.ts";
import { rawBytesOf } from "./compress-batch.ts";
import type { Gateway, GatewayAnswer, Gateways } from "./gateways.ts";
import type { Outlet } from "./outlet.ts";
import type { Batch } from "./protocol.ts";

export interface UploaderOptions {
  readonly gateways: Gateways;
  readonly mode: "failover" | "all";
  readonly retryDelayMs: number;
  readonly gzip: boolean;
  /** Of one upload, before compression. */
  readonly maxBodyBytes: number;
  readonly enoughPoints: number;
  readonly maxAgeMs: number;
  /** Folder of the queues. */
  readonly folder: string;
  /** Of the queue of one category. */
  readonly queueBytes: number;
  readonly sync: QueueOptions["sync"];
  readonly full: QueueOptions["full"];
  readonly host: string;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** What the queue keeps beside the body of a batch. */
export interface BatchMeta {
  readonly encoding: "lp";
  readonly storageIndex?: string;
  /** Value of X-Global-Tags, possibly empty; without it there is no such header. */
  readonly globalTags?: string;
  /** The body is compressed: one gzip member, which is uploaded alone. */
  readonly gzip?: true;
}

interface Line {
  readonly queue: DiskQueue;
  readonly deliveries: readonly Delivery[];
}

const compress = promisify(gzip);
const segmentBytes = 16 * 1024 * 1024;
const deadLetterBytes = 128 * 1024 * 1024;
const longestDelayMs = 60_000;
const closingMs = 5_000;
const longestReason = 1000;
const deadLetterFolder = "dead-letters";

export async function createUploader(options: UploaderOptions): Promise<Outlet> {
  const { folder, log, metrics } = options;
  await realFiles.makeFolder(folder);
  const queueId = idOf(path.join(folder, "id"));
  const targets = targetsOf(options);
  const dead = await openQueue(queueOptions(options, deadLetterFolder, ["kept"], deadLetterBytes, "drop-oldest"));
  const lines = new Map<string, Promise<Line>>();
  const open = new Map<string, Line>();

  const lineOf = (category: string): Promise<Line> => {
    let line = lines.get(category);
    if (line === undefined) {
      line = openLine(category);
      lines.set(category, line);
      // A folder that cannot be opened now may be opened by the next write.
      line.catch(() => lines.delete(category));
    }
    return line;
  };

  const openLine = async (category: string): Promise<Line> => {
    const names = targets.map(({ name }) => name);
    const queue = await openQueue(queueOptions(options, category, names, options.queueBytes, options.full));
    const waiting = queue.consumers[0].backlog.points;
    if (waiting > 0) log.info(`queue: ${waiting} points of ${category} from before wait to be sent`);
    const deliveries = targets.map((target, at) =>
      startDelivery({
        queue,
        consumer: queue.consumers[at],
        idPrefix: `ag_${queueId}-${category}`,
        maxBytes: options.maxBodyBytes,
        enoughPoints: options.enoughPoints,
        maxAgeMs: options.maxAgeMs,
        travelsAlone: (record) => metaIn(record).gzip === true,
        now: Date.now,
        random: Math.random,
        firstDelayMs: options.retryDelayMs,
        longestDelayMs,
        send: (batch) => send(target, category, batch, options),
        bury: async (batch, reason) => {
          for (const record of batch.records) await bury(dead, category, reason, record);
          metrics.gatewayDropped.inc({ category, error: "write point 4xx" }, batch.points);
          metrics.deadLetters.inc({ category }, batch.points);
          log.error(`${batch.points} points of ${category} refused, kept as dead letters: ${reason}`);
        },
        retry: (batch, reason, delayMs) => {
          if (batch.attempt > 0) return;
          log.warn(
            `${batch.points} points of ${category} wait on disk and are sent again in ${Math.ceil(delayMs / 1000)} s: ${reason}`,
          );
        },
      }),
    );
    const line = { queue, deliveries };
    open.set(category, line);
    return line;
  };

  // What an earlier process left behind is sent without waiting for a write.
  for (const name of await realFiles.list(folder)) {
    if (/^[a-z_]+$/.test(name) && name !== "id" && name !== "lock") await lineOf(name);
  }

  return {
    put: async (batches, storageIndex) => {
      await Promise.all(batches.map((batch) => keep(batch, metaOf(batch, storageIndex))));
    },
    measure: () => {
      for (const [category, { queue }] of open) {
        metrics.queueSize.set({ path: category }, queue.bytes);
        metrics.queueFiles.set({ path: category }, queue.files);
        for (const [at, { name }] of targets.entries()) {
          const { points, oldest } = queue.consumers[at].backlog;
          const labels = { category, gateway: name };
          metrics.queuePoints.set(labels, points);
          metrics.queueOldest.set(labels, oldest === 0 ? 0 : Math.max(0, (Date.now() - oldest) / 1000));
        }
      }
    },
    problems: () =>
      [...open].flatMap(([category, { queue }]) => {
        const isFull = options.full === "refuse" && queue.bytes + options.maxBodyBytes > options.queueBytes;
        return isFull ? [`the queue of ${category} is full (${queue.bytes} bytes)`] : [];
      }),
    close: async () => {
      const all = [...open.values()];
      await Promise.all(all.flatMap(({ deliveries }) => deliveries.map((delivery) => delivery.close(closingMs))));
      await Promise.all(all.map(({ queue }) => queue.close()));
      await dead.close();
    },
  };

  async function keep({ category, body, points }: Batch, meta: Uint8Array): Promise<void> {
    const began = performance.now();
    try {
      const { queue } = open.get(category) ?? (await lineOf(category));
      await queue.put({ body, meta, points });
    } catch (error) {
      const { message } = error as Error;
      log.error(`queue: ${points} points of ${category} refused: ${message}`);
      const code = error instanceof QueueFull ? "agent.queueFull" : "agent.queueFailed";
      throw new ApiError(code, message, { "retry-after": "5" });
    }
    metrics.queuePut.observe({ path: category }, (performance.now() - began) / 1000);
  }
}

const plainMeta = Buffer.from(JSON.stringify({ encoding: "lp" } satisfies BatchMeta));

function metaOf({ globalTags, gzip }: Batch, storageIndex: string | undefined): Uint8Array {
  if (globalTags === undefined && gzip === undefined && storageIndex === undefined) return plainMeta;
  const meta: BatchMeta = {
    encoding: "lp",
    ...(storageIndex === undefined ? {} : { storageIndex }),
    ...(globalTags === undefined ? {} : { globalTags }),
    ...(gzip === undefined ? {} : { gzip }),
  };
  return Buffer.from(JSON.stringify(meta));
}

function metaIn({ meta }: NewRecord): BatchMeta {
  return plainMeta.equals(meta) ? { encoding: "lp" } : (JSON.parse(Buffer.from(meta).toString()) as BatchMeta);
}

interface Target {
  /** Of the consumer and in the metrics. */
  readonly name: string;
  /** Asked in this order. */
  readonly gateways: readonly Gateway[];
}

function targetsOf({ gateways, mode }: UploaderOptions): Target[] {
  if (mode === "failover") return [{ name: "failover", gateways: gateways.all }];
  return gateways.all.map((gateway) => {
    // Neither the order of the URLs nor a new token makes another consumer of it.
    const digest = createHash("sha256").update(gateway.origin).digest("hex").slice(0, 8);
    return { name: `${new URL(gateway.origin).host.replace(/[^a-z0-9.-]/gi, "_")}-${digest}`, gateways: [gateway] };
  });
}

/** One round over the gateways of a target. */
async function send(
  target: Target,
  category: string,
  batch: DeliveryBatch,
  options: UploaderOptions,
): Promise<Outcome> {
  const { metrics } = options;
  const { body, rawBytes, headers } = await request(batch, options);
  let outcome: Outcome = { kind: "again", reason: "no gateway" };
  const rested = target.gateways.filter((gateway) => !gateway.isResting);
  for (const gateway of rested.length > 0 ? rested : target.gateways) {
    const began = performance.now();
    const answer = await gateway.call({ method: "POST", path: `/v1/write/${category}`, headers, body });
    const status = typeof answer.status === "number" ? statusText(answer.status) : answer.status;
    const api = `/v1/write/${category}`;
    metrics.gatewayPoints.inc({ category, status: "total" }, batch.points);
    metrics.gatewayPoints.inc({ category, status }, batch.points);
    metrics.gatewayBytes.inc({ category, enc: "raw", status }, rawBytes);
    if (headers["content-encoding"] !== undefined)
      metrics.gatewayBytes.inc({ category, enc: "gzip", status }, body.length);
    metrics.gatewaySeconds.observe({ api, status }, (performance.now() - began) / 1000);
    outcome = outcomeOf(gateway, answer);
    gateway.note(outcome.kind !== "again");
    if (outcome.kind !== "again") return outcome;
    metrics.gatewayRetries.inc({ api, status });
  }
  return outcome;
}

function outcomeOf({ origin }: Gateway, { status, retryAfterMs, bytes }: GatewayAnswer): Outcome {
  if (typeof status === "string") return { kind: "again", reason: `${origin}: ${status}` };
  if (status >= 200 && status < 300) return { kind: "taken" };
  const text = new TextDecoder().decode(bytes.subarray(0, longestReason));
  const reason = `${origin}: ${status} ${statusText(status)}${text === "" ? "" : `: ${text}`}`;
  if (status >= 400 && status < 500 && status !== 408 && status !== 429) return { kind: "refused", reason };
  return { kind: "again", reason, ...(retryAfterMs === undefined ? {} : { afterMs: retryAfterMs }) };
}

const newline = Buffer.from("\n");

/** All records of a batch carry the same meta. */
async function request(batch: DeliveryBatch, options: UploaderOptions) {
  const meta = metaIn(batch.records[0]);
  const joint = joined(batch);
  const headers = headersOf(batch, meta, options);
  if (meta.gzip) return { body: joint, rawBytes: rawBytesOf(joint), headers };
  return { body: options.gzip ? await compress(joint, { level: 1 }) : joint, rawBytes: joint.length, headers };
}

function joined({ records }: DeliveryBatch): Uint8Array {
  if (records.length === 1) return records[0].body;
  return Buffer.concat(records.flatMap(({ body }, at) => (at === 0 ? [body] : [newline, body])));
}

function headersOf(
  batch: DeliveryBatch,
  { storageIndex, globalTags, gzip: isCompressed }: BatchMeta,
  { host, gzip }: UploaderOptions,
): Record<string, string> {
  return {
    "content-type": "application/line-protocol",
    "user-agent": `agent-${process.platform}-${process.arch}/${version}/${host}`,
    "x-points": String(batch.points),
    "x-pkg-id": batch.id,
    referer: "Agent",
    ...(gzip || isCompressed ? { "content-encoding": "gzip" } : {}),
    ...(storageIndex === undefined ? {} : { "x-storage-index-name": storageIndex }),
    ...(globalTags === undefined ? {} : { [headerName]: toHeaderBytes(globalTags) }),
    ...(batch.attempt === 0 ? {} : { "x-fail-cache-retry": "1" }),
  };
}

function queueOptions(
  { folder, log, metrics, sync }: UploaderOptions,
  name: string,
  consumers: readonly string[],
  maxBytes: number,
  full: QueueOptions["full"],
): QueueOptions {
  return {
    folder: path.join(folder, name),
    files: realFiles,
    consumers,
    maxBytes,
    segmentBytes: Math.min(segmentBytes, Math.ceil(maxBytes / 4)),
    sync,
    full,
    now: Date.now,
    events: {
      dropped: (records, points) => {
        metrics.queueDropped.inc({ path: name, reason: "full" }, points);
        log.error(`queue ${name} is full: its oldest ${records} records (${points} points) are dropped`);
      },
      damaged: (file, offset, bytes) => {
        metrics.queueDamaged.inc({ path: name }, bytes);
        log.error(`queue ${name}: ${bytes} bytes of ${file} at ${offset} are damaged, skipped; the file is kept aside`);
      },
      torn: (file, bytes) => log.warn(`queue ${name}: ${file} ended within a record, ${bytes} bytes cut off`),
      failed: (file, error) => log.error(`queue ${name}: ${file}: ${error.message}`),
    },
  };
}

/** What makes the ids of batches different from those of other agents. */
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
