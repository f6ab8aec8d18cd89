// Uploads one batch (records that are sent together) of a queue to one target. A target is one gateway, or a
// list of gateways that are tried in order. Joins the records, compresses them, adds the headers and sends the
// body to the first gateway that answers (docs/reference/agent.md#uploads).

import { promisify } from "node:util";
import { gzip, type ZlibOptions } from "node:zlib";
import { headerName, toHeaderBytes } from "../../../lib/sharding/index.ts";
import { freeWhole } from "../../http/body/own-memory.ts";
import { identityOf } from "../../http/version.ts";
import { classificationOf } from "../../outbound/retry-classification.ts";
import type { DeliveryBatch, Outcome } from "../../queue/delivery/delivery.ts";
import { type Metrics, statusText } from "../../telemetry/metrics.ts";
import type { BatchForm } from "./batch.ts";
import { type BatchMeta, isCompressed, metaIn } from "./batch-meta.ts";
import { rawBytesOf } from "./compress-batch.ts";
import type { Gateway } from "./gateways.ts";
import { isPassThroughKind, passThroughPaths } from "./pass-through.ts";
import { countBuilt } from "./upload-counts.ts";

export interface UploadOptions {
  /** Returns whether to compress an upload whose records the queue holds uncompressed. */
  readonly compresses: () => boolean;
  readonly host: string;
  readonly metrics: Metrics;
  /** Whether only one target gets the records, so that nothing needs them after this target has taken them. */
  readonly isOnlyTarget: boolean;
}

export interface Target {
  /**
   * Name of the target (one gateway, or a list of gateways that are tried in order). In each queue, the consumer
   * (reader) that sends to this target has the same name. The metrics also show this name.
   */
  readonly name: string;
  /** The gateways of the target, in the order in which they are tried. */
  readonly gateways: readonly Gateway[];
}

/**
 * A pipelined connection for the uploads of one category to one target (one gateway, or a list of gateways that
 * are tried in order). A pipelined connection sends an upload before earlier uploads are answered.
 */
export interface TargetConnection {
  readonly name: string;
  readonly target: Target;
  /**
   * Promise that resolves when the previous upload on this connection is being sent, or has failed. The next upload
   * waits for this promise, so that uploads are sent in order.
   */
  handedOver: Promise<void>;
  /**
   * Number of uploads in progress on this connection. An upload begins with joining the records and ends with the
   * answer.
   */
  underWay: number;
}

const compress = promisify(gzip);
/** Separators between the bodies that are joined into one upload. Protobuf bodies need none. */
export const separators: Readonly<Record<BatchForm, Buffer>> = { lp: Buffer.from("\n"), pb: Buffer.alloc(0) };
const contentTypes: Readonly<Record<BatchForm, string>> = {
  lp: "application/line-protocol",
  pb: "application/protobuf; proto=com.millrace.Point",
};

/**
 * Sends a batch (records of a queue) to the gateways of the target, one after the other, until one of them answers.
 * Tries each gateway at most once. Several batches may be compressed at the same time, but they are sent in order.
 */
export async function send(
  connection: TargetConnection,
  category: string,
  batch: DeliveryBatch,
  options: UploadOptions,
): Promise<Outcome> {
  const before = connection.handedOver;
  let handOver = () => {};
  connection.handedOver = new Promise((resolve) => {
    handOver = () => before.then(resolve);
  });
  connection.underWay++;
  try {
    const meta = metaIn(batch.records[0]);
    // Points that were compressed before they entered the queue stay compressed, even when the configuration has
    // forbidden compression since then.
    const isZipped = isCompressed(meta) || (meta.encoding !== "opaque" && options.compresses());
    const began = performance.now();
    const kept = joined(batch, meta);
    const joinedAt = performance.now();
    const rawBytes = isCompressed(meta) ? rawBytesOf(kept) : kept.length;
    const body = isZipped && !isCompressed(meta) ? await compress(kept, zipOptions(kept)) : kept;
    const seconds = { enc: (joinedAt - began) / 1000, gzip: (performance.now() - joinedAt) / 1000 };
    countBuilt({ category, batch, meta, body, rawBytes, isZipped, seconds }, options.metrics);
    await before;
    const called = call(connection, category, { batch, meta, body, rawBytes, isZipped }, options);
    handOver();
    return await called;
  } finally {
    connection.underWay--;
    handOver();
  }
}

export interface Upload {
  readonly batch: DeliveryBatch;
  readonly meta: BatchMeta;
  readonly body: Uint8Array;
  readonly rawBytes: number;
  readonly isZipped: boolean;
}

async function call(
  connection: TargetConnection,
  category: string,
  { batch, meta, body, rawBytes, isZipped }: Upload,
  options: UploadOptions,
): Promise<Outcome> {
  const { metrics } = options;
  const { name, target } = connection;
  const headers = headersOf(batch, meta, isZipped, options);
  const api = isPassThroughKind(category) ? passThroughPaths[category] : `/v1/write/${category}`;
  let outcome: Outcome = { kind: "again", reason: "no gateway" };
  const usable = target.gateways.filter((gateway) => !gateway.isOpen);
  let isFirstTry = batch.attempt === 0;
  for (const gateway of usable.length > 0 ? usable : target.gateways) {
    const began = performance.now();
    const answer = await gateway.call({ method: "POST", path: api, headers, body, pipeline: name });
    const status = typeof answer.status === "number" ? statusText(answer.status) : answer.status;
    metrics.gatewayPoints.inc({ category, status: "total" }, batch.points);
    metrics.gatewayPoints.inc({ category, status }, batch.points);
    metrics.gatewayBytes.inc({ category, enc: "raw", status }, rawBytes);
    if (isZipped) metrics.gatewayBytes.inc({ category, enc: "gzip", status }, body.length);
    metrics.gatewaySeconds.observe({ api, status }, (performance.now() - began) / 1000);
    noteOveruse(answer, metrics);
    outcome = classificationOf(gateway.origin, answer);
    gateway.note(outcome.kind !== "again", began);
    if (outcome.kind === "taken") {
      // An earlier try may have left a connection on which the body is still being sent.
      if (isFirstTry && answer.isSent && options.isOnlyTarget && meta.encoding !== "opaque") freeRecords(batch);
      return answer.closes ? { ...outcome, closes: true } : outcome;
    }
    if (outcome.kind === "refused") return outcome;
    isFirstTry = false;
    metrics.gatewayRetries.inc({ api, status });
  }
  return outcome;
}

/**
 * Frees the memory of large records that were kept in memory since their points were encoded. Without this function,
 * the memory would wait for full garbage collections, which it would also cause. Records that were read from a file are
 * left alone, because a reader may use their memory for several records.
 */
function freeRecords({ records }: DeliveryBatch): void {
  for (const { body, wasRead } of records) if (!wasRead) freeWhole(body);
}

/**
 * Sets the gauge that shows whether the workspace (a tenant of the platform) has sent more data than it is allowed to.
 * The next accepted upload resets the gauge.
 */
function noteOveruse({ status, bytes }: Awaited<ReturnType<Gateway["call"]>>, { dataOveruse }: Metrics): void {
  if (typeof status !== "number") return;
  if (status === 403 && Buffer.from(bytes).includes("beyondDataUsage")) dataOveruse.of({}).value = 1;
  else if (status >= 200 && status < 300) dataOveruse.of({}).value = 0;
}

/**
 * Returns the options for gzip. The size of the output buffer is a quarter of the input's length, which is
 * usually enough. When the buffer is too small, zlib fills further buffers, and must wait for a free thread of
 * Node's thread pool before each of them.
 */
function zipOptions({ length }: Uint8Array): ZlibOptions {
  return { level: 1, chunkSize: Math.max(16 * 1024, length >> 2) };
}

/**
 * Joins the records of an upload into one body. All of these records have the same metadata, and so the same encoding.
 */
function joined({ records, bytes }: DeliveryBatch, { encoding }: BatchMeta): Uint8Array {
  // A body that the queue holds compressed, or that is passed to the gateway unchanged, is uploaded alone. So there is
  // only one record to return.
  if (records.length === 1 || encoding === "opaque") return records[0].body;
  const separator = separators[encoding];
  const all = Buffer.allocUnsafeSlow(bytes - records.length + 1 + separator.length * (records.length - 1));
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

function headersOf(
  batch: DeliveryBatch,
  meta: BatchMeta,
  isZipped: boolean,
  { host }: UploadOptions,
): Record<string, string> {
  return {
    "user-agent": `agent-${process.platform}-${process.arch}/${identityOf(host)}`,
    "x-pkg-id": batch.id,
    referer: "Agent",
    ...bodyHeaders(batch, meta, isZipped),
    ...(meta.globalTags === undefined ? {} : { [headerName]: toHeaderBytes(meta.globalTags) }),
    ...(batch.attempt === 0 ? {} : { "x-fail-cache-retry": "1" }),
  };
}

function bodyHeaders({ points }: DeliveryBatch, meta: BatchMeta, isZipped: boolean): Record<string, string> {
  if (meta.encoding === "opaque") {
    return {
      ...(meta.contentType === "" ? {} : { "content-type": meta.contentType }),
      ...(meta.contentEncoding === "" ? {} : { "content-encoding": meta.contentEncoding }),
    };
  }
  return {
    "content-type": contentTypes[meta.encoding],
    "x-points": String(points),
    ...(isZipped ? { "content-encoding": "gzip" } : {}),
    ...(meta.storageIndex === undefined ? {} : { "x-storage-index-name": meta.storageIndex }),
  };
}
