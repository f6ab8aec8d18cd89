// Forwards points to the gateways (agent document, B.5): each category has a queue on disk, each queue one delivery (mode
// failover: to the first gateway that answers) or one per gateway (mode all).
//
// A write is answered when its points are in the queue. What a gateway refuses (4xx but 408 and 429) is kept as a dead
// letter with the reason; everything else is sent again until it gets through, with the same `X-Pkg-Id`.

import { createHash, randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip, type ZlibOptions } from "node:zlib";
import { headerName, toHeaderBytes } from "../../lib/sharding/header.ts";
import { giveBack, isAlone, leave, takeMemory } from "../http/body-memory.ts";
import { ApiError } from "../http/errors.ts";
import type { Log } from "../http/log.ts";
import { type Metrics, statusText } from "../http/metrics.ts";
import { verdictOf } from "../http/upstream.ts";
import { identityOf } from "../http/version.ts";
import type { DeliveryBatch, Outcome } from "../queue/delivery.ts";
import { QueueFull } from "../queue/queue.ts";
import { openSpool } from "../queue/spool.ts";
import type { NewRecord, QueueEvents, QueueOptions } from "../queue/types.ts";
import type { Gateway, Gateways } from "./gateways.ts";
import { carried, isOpaqueKind, type Opaque, opaquePaths } from "./opaque.ts";
import type { Outlet } from "./outlet.ts";
import { createRefusalLog } from "./refusal-log.ts";
import { rawBytesOf } from "./write/compress-batch.ts";
import type { Batch, BatchForm } from "./write/protocol.ts";

export interface UploaderOptions {
  readonly gateways: Gateways;
  readonly mode: "failover" | "all";
  readonly retryDelayMs: number;
  readonly gzip: boolean;
  /** Of the batches that are put. */
  readonly form: BatchForm;
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
export type BatchMeta =
  | {
      readonly encoding: BatchForm;
      readonly storageIndex?: string;
      /** Value of X-Global-Tags, possibly empty; without it there is no such header. */
      readonly globalTags?: string;
      /** The body is compressed: one gzip member, which is uploaded alone. */
      readonly gzip?: true;
    }
  /** Records with the same meta go together: `id` keeps these apart. */
  | ({ readonly encoding: "opaque"; readonly id: string } & Omit<Opaque, "body">);

const compress = promisify(gzip);
const inflate = promisify(gunzip);

async function inflated({ gzip, ...batch }: Batch): Promise<Batch> {
  return gzip === true ? { ...batch, body: await inflate(batch.body) } : batch;
}
const longestDelayMs = 60_000;
/** Between two bodies that become one: bodies of protobuf just follow each other. */
const separators: Readonly<Record<BatchForm, Buffer>> = { lp: Buffer.from("\n"), pb: Buffer.alloc(0) };
const contentTypes: Readonly<Record<BatchForm, string>> = {
  lp: "application/line-protocol",
  pb: "application/protobuf; proto=com.millrace.Point",
};
/** Batches up to so many bytes become one record with others that are put at the same time. */
const smallBytes = 16 * 1024;
const joinedBytes = 64 * 1024;

export async function createUploader(options: UploaderOptions): Promise<Outlet> {
  const { log, metrics } = options;
  const targets = targetsOf(options);
  const observers = new Map<string, (seconds: number) => void>();
  const putSeconds = (path: string) => {
    let observe = observers.get(path);
    if (observe === undefined) observers.set(path, (observe = metrics.queuePut.of({ path })));
    return observe;
  };
  const lanes = new Map<string, Lane>();
  const laneOf = (category: string, target: Target) => {
    const name = `${category} ${target.name}`;
    let lane = lanes.get(name);
    if (lane === undefined) lanes.set(name, (lane = { name, target, handedOver: Promise.resolve(), leaving: [] }));
    return lane;
  };
  const spool = await openSpool({
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
    maxAgeMs: options.maxAgeMs,
    firstDelayMs: options.retryDelayMs,
    longestDelayMs,
    idPrefix: "ag",
    inFlight: options.gateways.laneDepth,
    unneeded: giveBack,
    send: (category, at, batch) => send(laneOf(category, targets[at]!), category, batch, options),
    events: {
      found: (category, points) => log.info(`queue: ${carried(category, points)} from before wait to be sent`),
      buried: (category, points, reason) => {
        metrics.gatewayDropped.inc({ category, error: "write point 4xx" }, points);
        metrics.deadLetters.inc({ category }, points);
        log.error(`${carried(category, points)} refused, kept as dead letters: ${reason}`);
      },
      retry: (category, points, reason, delayMs) => {
        log.warn(
          `${carried(category, points)} wait on disk and are sent again in ${Math.ceil(delayMs / 1000)} s: ${reason}`,
        );
      },
      queue: (name) => queueEvents(name, options),
    },
  });

  const tellRefused = createRefusalLog(log);
  const metaFor = (batch: Batch, storageIndex: string | undefined) => metaOf(options.form, batch, storageIndex);

  return {
    put: (batches, storageIndex) => {
      const keepOne = (batch: Batch) => keep(batch, metaFor(batch, storageIndex), batch.gzip !== true);
      if (!options.gzip && batches.some(({ gzip }) => gzip === true)) return keepInflated(batches, keepOne);
      return batches.length === 1 ? keepOne(batches[0]!) : Promise.all(batches.map(keepOne)).then(() => {});
    },
    putOpaque: (kind, { body, ...known }) =>
      keep({ category: kind, body, points: 0 }, metaBytes({ encoding: "opaque", id: randomUUID(), ...known }), false),
    queues: () =>
      Array.from(spool.queues, ([category, { bytes, files, consumers }]) => ({
        category,
        bytes,
        files,
        gateways: targets.map(({ name }, at) => {
          const { points, oldest } = consumers[at].backlog;
          return { gateway: name, points, oldest };
        }),
      })),
    problems: () =>
      [...spool.queues].flatMap(([category, queue]) => {
        const bytes = queue.bytes - queue.spareBytes;
        const isFull = options.full === "refuse" && bytes + options.maxBodyBytes > options.queueBytes;
        return isFull ? [`the queue of ${category} is full (${bytes} bytes)`] : [];
      }),
    close: () => spool.close(),
  };

  /** Compressed only to be held until now, and many times as large: one after the other. */
  async function keepInflated(batches: readonly Batch[], keepOne: (batch: Batch) => Promise<void>): Promise<void> {
    for (const batch of batches) await keepOne(await inflated(batch));
  }

  function keep(
    { category, body, points }: { readonly category: string; readonly body: Uint8Array; readonly points: number },
    meta: Uint8Array,
    joins: boolean,
  ): Promise<void> {
    const began = performance.now();
    const isSmall = joins && body.length <= smallBytes;
    return spool.put(category, { body, meta, points, joins: isSmall }).then(
      () => putSeconds(category)((performance.now() - began) / 1000),
      (error: Error) => {
        tellRefused(category, points, error.message);
        const code = error instanceof QueueFull ? "agent.queueFull" : "agent.queueFailed";
        throw new ApiError(code, error.message, { "retry-after": "5" });
      },
    );
  }
}

function metaBytes(meta: BatchMeta): Buffer {
  return Buffer.from(JSON.stringify(meta));
}

/** Of most batches: nothing but their form. */
const plainMeta: Readonly<Record<BatchForm, BatchMeta>> = { lp: { encoding: "lp" }, pb: { encoding: "pb" } };
const plainBytes = { lp: metaBytes(plainMeta.lp), pb: metaBytes(plainMeta.pb) };

function metaOf(form: BatchForm, { globalTags, gzip }: Batch, storageIndex: string | undefined): Uint8Array {
  if (globalTags === undefined && gzip === undefined && storageIndex === undefined) return plainBytes[form];
  return metaBytes({
    encoding: form,
    ...(storageIndex === undefined ? {} : { storageIndex }),
    ...(globalTags === undefined ? {} : { globalTags }),
    ...(gzip === undefined ? {} : { gzip }),
  });
}

function metaIn({ meta }: Pick<NewRecord, "meta">): BatchMeta {
  if (plainBytes.lp.equals(meta)) return plainMeta.lp;
  return plainBytes.pb.equals(meta) ? plainMeta.pb : (JSON.parse(Buffer.from(meta).toString()) as BatchMeta);
}

function isCompressed(meta: BatchMeta): boolean {
  return meta.encoding !== "opaque" && meta.gzip === true;
}

interface Target {
  /** Of the consumer and in the metrics. */
  readonly name: string;
  /** Asked in this order. */
  readonly gateways: readonly Gateway[];
}

/** What goes to one target of one category. */
interface Lane {
  readonly name: string;
  readonly target: Target;
  /** The batch before has been given to the connection, or has failed. */
  handedOver: Promise<void>;
  /** Taken bodies that may still be written. */
  leaving: readonly { readonly body: Uint8Array; readonly isSent: () => boolean }[];
}

function targetsOf({ gateways, mode }: UploaderOptions): Target[] {
  if (mode === "failover") return [{ name: "failover", gateways: gateways.all }];
  return gateways.all.map((gateway) => {
    // Neither the order of the URLs nor a new token makes another consumer of it.
    const digest = createHash("sha256").update(gateway.origin).digest("hex").slice(0, 8);
    return { name: `${new URL(gateway.origin).host.replace(/[^a-z0-9.-]/gi, "_")}-${digest}`, gateways: [gateway] };
  });
}

/** One round over the gateways of a target; bodies are compressed side by side, and leave in order. */
async function send(lane: Lane, category: string, batch: DeliveryBatch, options: UploaderOptions): Promise<Outcome> {
  const before = lane.handedOver;
  let handOver = () => {};
  lane.handedOver = new Promise((resolve) => {
    handOver = () => before.then(resolve);
  });
  try {
    const meta = metaIn(batch.records[0]);
    const isZipped = isSentZipped(meta, options);
    const kept = joined(batch, meta);
    const rawBytes = isCompressed(meta) ? rawBytesOf(kept) : kept.length;
    const body = isZipped && !isCompressed(meta) ? await compress(kept, zipOptions(kept)) : kept;
    if (batch.records.length === 1) leave(kept);
    else if (body !== kept) giveBack(kept);
    await before;
    const called = call(lane, category, { batch, meta, body, rawBytes, isZipped }, options);
    handOver();
    return await called;
  } finally {
    handOver();
  }
}

interface Upload {
  readonly batch: DeliveryBatch;
  readonly meta: BatchMeta;
  readonly body: Uint8Array;
  readonly rawBytes: number;
  readonly isZipped: boolean;
}

async function call(
  lane: Lane,
  category: string,
  { batch, meta, body, rawBytes, isZipped }: Upload,
  options: UploaderOptions,
): Promise<Outcome> {
  const { metrics } = options;
  const { name, target } = lane;
  const headers = headersOf(batch, meta, options);
  const api = isOpaqueKind(category) ? opaquePaths[category] : `/v1/write/${category}`;
  let outcome: Outcome = { kind: "again", reason: "no gateway" };
  const rested = target.gateways.filter((gateway) => !gateway.isResting);
  for (const gateway of rested.length > 0 ? rested : target.gateways) {
    const began = performance.now();
    const answer = await gateway.call({ method: "POST", path: api, headers, body, lane: name });
    const status = typeof answer.status === "number" ? statusText(answer.status) : answer.status;
    metrics.gatewayPoints.inc({ category, status: "total" }, batch.points);
    metrics.gatewayPoints.inc({ category, status }, batch.points);
    metrics.gatewayBytes.inc({ category, enc: "raw", status }, rawBytes);
    if (isZipped) metrics.gatewayBytes.inc({ category, enc: "gzip", status }, body.length);
    metrics.gatewaySeconds.observe({ api, status }, (performance.now() - began) / 1000);
    noteOveruse(answer, metrics);
    outcome = verdictOf(gateway.origin, answer);
    gateway.note(outcome.kind !== "again", began);
    if (outcome.kind === "taken") {
      giveBackOnceSent(lane, body, answer.isSent);
      return answer.closes ? { ...outcome, closes: true } : outcome;
    }
    // It may be still on its way to this gateway.
    leave(body);
    if (outcome.kind === "refused") return outcome;
    metrics.gatewayRetries.inc({ api, status });
  }
  return outcome;
}

/** Bodies whose last bytes may not have left yet; more are left to the garbage collector. */
const mostLeaving = 16;

/** Looks again after the next answers of the lane: one may come before its request has left. */
function giveBackOnceSent(lane: Lane, body: Uint8Array, isSent: () => boolean): void {
  if (!isAlone(body)) return;
  lane.leaving = [...lane.leaving, { body, isSent }].slice(-mostLeaving).filter((each) => {
    if (!each.isSent()) return true;
    giveBack(each.body);
    return false;
  });
}

/** Until the next upload that is taken. */
function noteOveruse({ status, bytes }: Awaited<ReturnType<Gateway["call"]>>, { dataOveruse }: Metrics): void {
  if (typeof status !== "number") return;
  if (status === 403 && Buffer.from(bytes).includes("beyondDataUsage")) dataOveruse.of({}).value = 1;
  else if (status >= 200 && status < 300) dataOveruse.of({}).value = 0;
}

/** What comes out is a quarter of what goes in, mostly less: then it is one piece, and each further one would wait for its turn. */
function zipOptions({ length }: Uint8Array): ZlibOptions {
  return { level: 1, chunkSize: Math.max(16 * 1024, length >> 2) };
}

/** All records of a batch carry the same meta, hence the same encoding. */
function joined({ records, bytes }: DeliveryBatch, { encoding }: BatchMeta): Uint8Array {
  // Opaque bodies and compressed ones travel alone.
  if (records.length === 1 || encoding === "opaque") return records[0].body;
  const separator = separators[encoding];
  const all = takeMemory(bytes - records.length + 1 + separator.length * (records.length - 1));
  let end = 0;
  for (const [at, { body }] of records.entries()) {
    if (at > 0) {
      all.set(separator, end);
      end += separator.length;
    }
    all.set(body, end);
    end += body.length;
  }
  return all;
}

/** What was compressed when it was written stays so, whatever the configuration says by now. */
function isSentZipped(meta: BatchMeta, { gzip }: UploaderOptions): boolean {
  return meta.encoding !== "opaque" && (gzip || isCompressed(meta));
}

function headersOf(batch: DeliveryBatch, meta: BatchMeta, options: UploaderOptions): Record<string, string> {
  return {
    "user-agent": `agent-${process.platform}-${process.arch}/${identityOf(options.host)}`,
    "x-pkg-id": batch.id,
    referer: "Agent",
    ...bodyHeaders(batch, meta, options),
    ...(meta.globalTags === undefined ? {} : { [headerName]: toHeaderBytes(meta.globalTags) }),
    ...(batch.attempt === 0 ? {} : { "x-fail-cache-retry": "1" }),
  };
}

function bodyHeaders({ points }: DeliveryBatch, meta: BatchMeta, options: UploaderOptions): Record<string, string> {
  if (meta.encoding === "opaque") {
    return {
      ...(meta.contentType === "" ? {} : { "content-type": meta.contentType }),
      ...(meta.contentEncoding === "" ? {} : { "content-encoding": meta.contentEncoding }),
    };
  }
  return {
    "content-type": contentTypes[meta.encoding],
    "x-points": String(points),
    ...(isSentZipped(meta, options) ? { "content-encoding": "gzip" } : {}),
    ...(meta.storageIndex === undefined ? {} : { "x-storage-index-name": meta.storageIndex }),
  };
}

function queueEvents(name: string, { log, metrics }: UploaderOptions): QueueEvents {
  return {
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
  };
}
