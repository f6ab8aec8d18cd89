// Sets the gauges of the queues. An agent has several queues of a category when several processes accept writes, or did
// so before.

import type { Metrics } from "../telemetry/metrics.ts";

export interface QueueStatus {
  readonly category: string;
  /** Bytes on disk. */
  readonly bytes: number;
  /** Largest allowed value of `bytes`. */
  readonly maxBytes: number;
  readonly files: number;
  readonly gateways: readonly GatewayStatus[];
}

interface GatewayStatus {
  readonly gateway: string;
  /** Points that wait to be sent to this gateway. */
  readonly points: number;
  /** Receive time of the oldest waiting point, in milliseconds since 1970; 0 = there is none. */
  readonly oldest: number;
  /** Waiting records that are also in memory. */
  readonly inMemory: number;
  /** Current number of uploads, and the largest allowed number. */
  readonly underWay: number;
  readonly mostUnderWay: number;
}

/** Stands for all categories in metrics that have one value for all. */
const anyCategory = "all-the-same";

export function showQueues(metrics: Metrics, statuses: readonly QueueStatus[]): void {
  const { queueSize, queueCapacity, queueFiles, queuePoints, queueOldest } = metrics;
  const { walInMemory, uploadsUnderWay, mostUploads, flushWorkers } = metrics;
  for (const gauge of [queueSize, queueCapacity, queueFiles, queuePoints, queueOldest]) gauge.reset();
  for (const gauge of [walInMemory, uploadsUnderWay, mostUploads, flushWorkers]) gauge.reset();
  const oldest = new Map<string, GatewayStatus & { readonly category: string }>();
  const most = new Map<string, number>();
  for (const { category, bytes, maxBytes, files, gateways } of statuses) {
    queueSize.inc({ path: category }, bytes);
    queueCapacity.inc({ path: category }, maxBytes);
    queueFiles.inc({ path: category }, files);
    flushWorkers.inc({ category }, gateways.length);
    for (const status of gateways) {
      queuePoints.inc({ category, gateway: status.gateway }, status.points);
      walInMemory.inc({ category }, status.inMemory);
      uploadsUnderWay.inc({ category }, status.underWay);
      most.set(category, (most.get(category) ?? 0) + status.mostUnderWay);
      const key = `${category} ${status.gateway}`;
      const known = oldest.get(key);
      if (known === undefined || known.oldest === 0 || (status.oldest !== 0 && status.oldest < known.oldest)) {
        oldest.set(key, { category, ...status });
      }
    }
  }
  // Not every process has every queue, so the maximum is shown.
  if (most.size > 0) mostUploads.set({ category: anyCategory }, Math.max(...most.values()));
  for (const { category, gateway, oldest: at } of oldest.values()) {
    queueOldest.set({ category, gateway }, at === 0 ? 0 : Math.max(0, (Date.now() - at) / 1000));
  }
}
