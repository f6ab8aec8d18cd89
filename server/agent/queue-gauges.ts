// Sets the gauges of the queues in /metrics. An agent may have several queues of a category: one for each process that
// accepts writes now or did so before.

import type { Metrics } from "../telemetry/metrics.ts";

export interface QueueStatus {
  readonly category: string;
  /** Bytes that the queue takes on the disk. */
  readonly bytes: number;
  /** Largest number of bytes that the queue may take on the disk. */
  readonly maxBytes: number;
  readonly files: number;
  readonly gateways: readonly GatewayStatus[];
}

interface GatewayStatus {
  readonly gateway: string;
  /** Number of points in the queue that wait to be sent to the gateway. */
  readonly points: number;
  /** Time in milliseconds since 1970 when the oldest waiting point was received; 0 when no point waits. */
  readonly oldest: number;
  /**
   * Number of waiting records of the queue that are also held in memory, so that they need not be read from the disk.
   */
  readonly inMemory: number;
  /** Number of uploads in progress to the gateway; `mostUnderWay` is the largest allowed number. */
  readonly underWay: number;
  readonly mostUnderWay: number;
}

/** Value of the label `category` in gauges that show one value for all categories together. */
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
  // Each process may make a certain number of uploads at once. `most` maps each category to the sum of these
  // numbers over all processes that have a queue of the category. The gauge shows the largest of these sums.
  if (most.size > 0) mostUploads.set({ category: anyCategory }, Math.max(...most.values()));
  for (const { category, gateway, oldest: at } of oldest.values()) {
    queueOldest.set({ category, gateway }, at === 0 ? 0 : Math.max(0, (Date.now() - at) / 1000));
  }
}
