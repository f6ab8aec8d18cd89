// Uploads points to the gateways (docs/reference/agent.md#uploads). Each category has a queue on disk. In the mode
// `failover`, each queue has one delivery (a sender of its records), which sends to the first gateway that answers. In
// the mode `all`, each queue has one delivery for each gateway.
//
// A write is answered when its points are in the queue. A batch that a gateway refuses (4xx except 408 and 429) is kept
// as a dead letter with the reason. Any other failed batch is sent again until a gateway accepts it. Its id in the
// header `X-Pkg-Id` stays the same, so that the receiver recognizes a batch that it already has.

import { createHash, randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { categoryAlias, categoryOf } from "../../../lib/point/index.ts";
import { ApiError } from "../../http/errors.ts";
import type { DeliveryBatch } from "../../queue/delivery/delivery.ts";
import { QueueFull } from "../../queue/queue.ts";
import { openSpool, type Spool, type SpoolEvents, type SpoolOptions } from "../../queue/spool.ts";
import type { QueueEvents, QueueOptions } from "../../queue/types.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import { pauses } from "../../time/backoff.ts";
import { reportUnwritable } from "../last-errors.ts";
import type { QueueStatus } from "../queue-gauges.ts";
import type { SpareTime } from "../spare-time.ts";
import type { Batch, BatchForm } from "./batch.ts";
import { isCompressed, metaBytes, metaIn, metaOf } from "./batch-meta.ts";
import type { Gateways } from "./gateways.ts";
import type { Output } from "./output.ts";
import { carried } from "./pass-through.ts";
import { createRefusalLog } from "./refusal-log.ts";
import { send, separators, type Target, type TargetConnection, type UploadOptions } from "./upload.ts";

export interface UploaderOptions extends Omit<UploadOptions, "compresses" | "isOnlyTarget"> {
  /**
   * Whether uploads are compressed. When unset, they are compressed while the processors have spare time, or while
   * points wait too long.
   */
  readonly gzip: boolean | "unset";
  readonly spareTime: Pick<SpareTime, "isLeft">;
  readonly gateways: Gateways;
  readonly mode: "failover" | "all";
  readonly retryDelayMs: number;
  /** Wire format of the batches (encoded points) that are put into the queues. */
  readonly form: BatchForm;
  /** Largest body of one upload in bytes, before compression. */
  readonly maxBodyBytes: number;
  readonly enoughPoints: number;
  readonly maxAgeMs: number;
  /** Folder that contains the queues to the gateways. */
  readonly folder: string;
  /** Largest size in bytes of the queue of one category. */
  readonly queueBytes: number;
  readonly sync: QueueOptions["sync"];
  readonly full: QueueOptions["full"];
  readonly log: Log;
  /** Called when the uploader and its queues are closed. */
  readonly afterClose?: () => void;
}

const inflate = promisify(gunzip);

async function inflated({ gzip, ...batch }: Batch): Promise<Batch> {
  return gzip === true ? { ...batch, body: await inflate(batch.body) } : batch;
}
/**
 * Time in milliseconds by which records of a queue may be overdue before uploads count as late. A record is
 * overdue when it still waits after the time at which it should have been sent.
 */
const lateMs = 2_000;
/**
 * Batches (encoded points) of at most `smallBytes` bytes that come at the same time are joined into one record of a
 * queue. The record has at most `joinedBytes` bytes.
 */
const smallBytes = 16 * 1024;
const joinedBytes = 64 * 1024;
/**
 * A batch of at least this many bytes is uploaded alone while several uploads may be under way. To join it with other
 * batches, the main thread would copy it, and that costs more than a further request.
 */
const longBytes = 256 * 1024;

export async function createUploader(options: UploaderOptions): Promise<Output> {
  const targets = targetsOf(options);
  const connections = new TargetConnections();
  /** For each queue, the number of points that were refused because the queue cannot be written. */
  const refused = new Map<string, number>();
  const upload: UploadOptions = {
    ...options,
    compresses: () => compresses(options, spool),
    isOnlyTarget: targets.length === 1,
  };
  const sendTo = (category: string, at: number, batch: DeliveryBatch) =>
    send(connections.of(category, targets[at]!), category, batch, upload);
  const spool = await openSpool(spoolOptions(options, targets, refused, sendTo));
  const keep = keeping(options, spool, refused);

  return {
    get wantsCompressed() {
      return upload.compresses();
    },
    put: (batches, storageIndex) => {
      const keepOne = (batch: Batch) => keep(batch, metaOf(options.form, batch, storageIndex), batch.gzip !== true);
      if (options.gzip === false && batches.some(({ gzip }) => gzip === true)) return keepInflated(batches, keepOne);
      return batches.length === 1 ? keepOne(batches[0]!) : Promise.all(batches.map(keepOne)).then(() => {});
    },
    putPassThrough: (kind, { body, ...known }) =>
      keep({ category: kind, body, points: 0 }, metaBytes({ encoding: "opaque", id: randomUUID(), ...known }), false),
    queues: () => queueStatuses(options, spool, targets, connections),
    problems: () => problemsOf(options, spool),
    close: async () => {
      await spool.close();
      options.afterClose?.();
    },
  };
}

/**
 * The pipelined connections to the gateways: one for each combination of a queue and a target (one gateway, or a
 * list of gateways that are tried in order).
 */
class TargetConnections {
  private readonly byName = new Map<string, TargetConnection>();

  of(category: string, target: Target): TargetConnection {
    const name = `${category} ${target.name}`;
    let connection = this.byName.get(name);
    if (connection === undefined) {
      connection = { name, target, handedOver: Promise.resolve(), underWay: 0 };
      this.byName.set(name, connection);
    }
    return connection;
  }
}

/**
 * Returns the options of the spool (the set of queues). `refused`: for each queue, the number of points that were
 * refused because the queue cannot be written.
 */
function spoolOptions(
  options: UploaderOptions,
  targets: readonly Target[],
  refused: Map<string, number>,
  sendTo: SpoolOptions["send"],
): SpoolOptions {
  return {
    folder: options.folder,
    consumers: targets.map(({ name }) => name),
    isName: (name) => /^[a-z_]+$/.test(name) && name !== "id" && name !== "lock",
    queueBytes: options.queueBytes,
    sync: options.sync,
    full: options.full,
    maxBytes: options.maxBodyBytes,
    enoughPoints: options.enoughPoints,
    joining: { separator: separators[options.form], maxBytes: Math.min(joinedBytes, options.maxBodyBytes) },
    travelsAlone: (record) => isCompressed(metaIn(record)),
    longBytes,
    maxAgeMs: options.maxAgeMs,
    firstDelayMs: options.retryDelayMs,
    longestDelayMs: pauses.upload.longestMs,
    idPrefix: "ag",
    inFlight: options.gateways.uploadsInFlight,
    send: sendTo,
    events: spoolEvents(options, refused),
  };
}

function spoolEvents(options: UploaderOptions, refused: Map<string, number>): SpoolEvents {
  const { log, metrics } = options;
  return {
    found: (category, points) => log.info(`queue: ${carried(category, points)} from before wait to be sent`),
    buried: (category, points, reason) => {
      metrics.flushDropped.inc({ category });
      metrics.gatewayDropped.inc({ category, error: "write point 4xx" }, points);
      metrics.deadLetters.inc({ category }, points);
      log.error(`${carried(category, points)} refused, kept as dead letters: ${reason}`);
    },
    retry: (category, points, reason, delayMs) => {
      log.warn(
        `${carried(category, points)} wait on disk and are sent again in ${Math.ceil(delayMs / 1000)} s: ${reason}`,
      );
    },
    queue: (name) => queueEvents(name, options, refused),
  };
}

type Keep = (kept: KeptBody, meta: Uint8Array, joins: boolean) => Promise<void>;

interface KeptBody {
  readonly category: string;
  readonly body: Uint8Array;
  readonly points: number;
}

/** Returns a function that puts a body into its queue and counts the body. */
function keeping({ log, metrics }: UploaderOptions, spool: Spool, refused: Map<string, number>): Keep {
  const logRefused = createRefusalLog(log);
  const observers = new Map<string, ReturnType<typeof metrics.queuePut.of>>();
  const putSeconds = (path: string) => {
    let observe = observers.get(path);
    if (observe === undefined) observers.set(path, (observe = metrics.queuePut.of({ path })));
    return observe;
  };

  return ({ category, body, points }, meta, joins) => {
    const began = performance.now();
    const isSmall = joins && body.length <= smallBytes;
    return spool.put(category, { body, meta, points, joins: isSmall }).then(
      () => {
        const keptAt = performance.now();
        putSeconds(category)((keptAt - began) / 1000, keptAt);
      },
      (error: Error) => {
        // While a queue cannot be written, the points that it refuses are only counted and not logged. Other code logs
        // one line when writing to the queue begins to fail, and one line when it works again.
        if (spool.unwritable().has(category)) refused.set(category, (refused.get(category) ?? 0) + points);
        else logRefused(category, points, error.message);
        countPoints(category, metrics, "drop")?.(points);
        const code = error instanceof QueueFull ? "agent.queueFull" : "agent.queueFailed";
        throw new ApiError(code, error.message, { "retry-after": "5" });
      },
    );
  };
}

/**
 * Decompresses batches (encoded points) and stores them uncompressed, one batch after the other. This limits memory,
 * since uncompressed batches are many times as large as compressed ones.
 */
async function keepInflated(batches: readonly Batch[], keepOne: (batch: Batch) => Promise<void>): Promise<void> {
  for (const batch of batches) await keepOne(await inflated(batch));
}

function compresses({ gzip, spareTime, maxAgeMs }: UploaderOptions, spool: Spool): boolean {
  if (gzip !== "unset") return gzip;
  return spareTime.isLeft || isLate(maxAgeMs, spool);
}

/**
 * Returns whether records of a queue still wait long after they were due to be sent. Uploads are then compressed even
 * when the processors have no spare time.
 */
function isLate(maxAgeMs: number, spool: Spool): boolean {
  const onTime = Date.now() - maxAgeMs - lateMs;
  for (const { consumers } of spool.queues.values())
    if (consumers.some(({ backlog: { records, oldest } }) => records > 0 && oldest < onTime)) return true;
  return false;
}

function queueStatuses(
  { queueBytes, gateways }: UploaderOptions,
  spool: Spool,
  targets: readonly Target[],
  connections: TargetConnections,
): QueueStatus[] {
  return Array.from(spool.queues, ([category, { bytes, files, consumers }]) => ({
    category,
    bytes,
    maxBytes: queueBytes,
    files,
    gateways: targets.map((target, at) => {
      const { backlog, inMemory } = consumers[at]!;
      const { points, oldest } = backlog;
      const { underWay } = connections.of(category, target);
      return { gateway: target.name, points, oldest, inMemory, underWay, mostUnderWay: gateways.uploadsInFlight };
    }),
  }));
}

function problemsOf(options: UploaderOptions, spool: Spool): string[] {
  const unwritable = Array.from(
    spool.unwritable(),
    ([category, reason]) => `the queue of ${category} cannot be written: ${reason}`,
  );
  const full = [...spool.queues].flatMap(([category, queue]) => {
    const { neededBytes } = queue;
    const isFull = options.full === "refuse" && neededBytes + leastFree(options) > options.queueBytes;
    return isFull ? [`the queue of ${category} is full (${neededBytes} bytes)`] : [];
  });
  return [...unwritable, ...full];
}

/**
 * Returns the number of bytes that must be free in a queue; with fewer free bytes the queue counts as full. It
 * is the size of one upload, but at most a quarter of the largest size of the queue.
 */
function leastFree({ maxBodyBytes, queueBytes }: Pick<UploaderOptions, "maxBodyBytes" | "queueBytes">): number {
  return Math.min(maxBodyBytes, queueBytes / 4);
}

function targetsOf({ gateways, mode }: UploaderOptions): Target[] {
  if (mode === "failover") return [{ name: "failover", gateways: gateways.all }];
  return gateways.all.map((gateway) => {
    // The name of the queue's consumer (reader) depends only on the origin of the gateway, so it stays the same when
    // the order of the URLs or a token changes.
    const digest = createHash("sha256").update(gateway.origin).digest("hex").slice(0, 8);
    return { name: `${new URL(gateway.origin).host.replace(/[^a-z0-9.-]/gi, "_")}-${digest}`, gateways: [gateway] };
  });
}

/**
 * Returns a function that counts the points of a queue's records. Returns undefined for a queue whose records hold no
 * points.
 */
function countPoints(
  name: string,
  { walPoints }: Metrics,
  status: "D" | "drop",
): ((points: number) => void) | undefined {
  const category = categoryOf(name);
  if (category === undefined) return undefined;
  const series = walPoints.of({ category: categoryAlias(category), status });
  return (points) => {
    series.value += points;
  };
}

/**
 * Returns the handlers of a queue's events. `refused`: for each queue, the number of points that were refused because
 * the queue cannot be written.
 */
function queueEvents(name: string, { log, metrics }: UploaderOptions, refused: Map<string, number>): QueueEvents {
  const observePut = metrics.queuePutBytes.of({ path: name });
  const countPut = countPoints(name, metrics, "D");
  return {
    written: (points, bytes) => {
      observePut(bytes);
      countPut?.(points);
    },
    read: (bytes, seconds) => {
      metrics.queueGetBytes.observe({ path: name }, bytes);
      metrics.queueGetSeconds.observe({ path: name }, seconds);
    },
    dropped: (records, points) => {
      countPoints(name, metrics, "drop")?.(points);
      metrics.queueDropped.inc({ path: name, reason: "full" }, points);
      log.error(`queue ${name} is full: its oldest ${records} records (${points} points) are dropped`);
    },
    damaged: (file, offset, bytes) => {
      metrics.queueDamaged.inc({ path: name }, bytes);
      log.error(`queue ${name}: ${bytes} bytes of ${file} at ${offset} are damaged, skipped; the file is kept aside`);
    },
    lost: (file, { records, points, bytes }) => {
      metrics.queueLost.inc({ path: name }, points);
      log.error(
        `queue ${name}: ${carried(name, points)} are lost: ${file} lacks ${records} records (${bytes} bytes) that were written to it`,
      );
    },
    torn: (file, bytes) => log.warn(`queue ${name}: ${file} ended within a record, ${bytes} bytes cut off`),
    failed: (file, error) => log.error(`queue ${name}: ${file}: ${error.message}`),
    unwritable: (error) => {
      refused.delete(name);
      log.error(`queue ${name} cannot be written, writes are refused until it can: ${error.message}`);
      reportUnwritable(metrics, "queue", name, error);
    },
    writable: () => {
      const points = refused.get(name) ?? 0;
      refused.delete(name);
      log.info(`queue ${name} can be written again; ${carried(name, points)} were refused meanwhile`);
    },
  };
}
