// Records in the metrics that the body of an upload was built: the moment, the size of the body in bytes, and the
// number of seconds that building it took (docs/reference/metrics.md).

import type { Metrics } from "../../telemetry/metrics.ts";
import type { BatchForm } from "./batch.ts";
import { isCompressed } from "./batch-meta.ts";
import type { Upload } from "./upload.ts";

export interface Built extends Upload {
  readonly category: string;
  /**
   * Seconds for joining the records of the upload (`enc`) and for compressing the body (`gzip`). When the queue holds
   * the records compressed, `gzip` is about 0.
   */
  readonly seconds: { readonly enc: number; readonly gzip: number };
}

const encodings: Readonly<Record<BatchForm, string>> = { lp: "line-protocol", pb: "protobuf" };

export function countBuilt(built: Built, metrics: Metrics): void {
  const { category, batch, meta, body, isZipped } = built;
  if (batch.attempt === 0) {
    metrics.flushes.inc({ category });
    const queue = batch.records.some(({ wasRead }) => wasRead) ? "D" : "M";
    metrics.walUploadBytes.observe({ category, gzip: isZipped ? "T" : "F", queue }, body.length);
  } else metrics.sentAgainBytes.observe({ category }, body.length);
  // A body that is passed to the gateway unchanged is not built, so it is not counted.
  if (meta.encoding !== "opaque") countBody(built, encodings[meta.encoding], metrics);
}

function countBody(
  { category, batch, meta, body, rawBytes, isZipped, seconds }: Built,
  encoding: string,
  metrics: Metrics,
): void {
  const labels = { category, encoding };
  metrics.buildSeconds.observe({ ...labels, stage: "enc" }, seconds.enc);
  metrics.buildBatches.observe(labels, batch.records.length);
  metrics.buildPoints.observe(labels, batch.points);
  metrics.buildBatchPoints.observe(labels, batch.points);
  metrics.buildBatchBytes.observe({ ...labels, type: "raw" }, rawBytes);
  if (!isZipped) return;
  metrics.buildBatchBytes.observe({ ...labels, type: "gzip" }, body.length);
  if (!isCompressed(meta)) metrics.buildSeconds.observe({ ...labels, stage: "gzip" }, seconds.gzip);
}
