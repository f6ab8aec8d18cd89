// Puts the points that aggregations of scripts release into the output. No client waits for these points, so points
// that the output refuses are lost; the loss is logged and counted.

import type { Log } from "../../telemetry/log.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { Batch } from "../outputs/batch.ts";
import type { Output } from "../outputs/output.ts";
import { skippedText } from "./answer-counts.ts";
import type { Filters } from "./filters.ts";
import type { AggregatedBucket, AggregatedReport } from "./workers/messages.ts";

export interface AggregatedIngest {
  take(report: AggregatedReport): void;
  /** Resolves when the output has stored or refused all points that aggregations have released so far. */
  whenIdle(): Promise<void>;
}

export interface AggregatedIngestOptions {
  readonly output: Output;
  readonly filters: Filters;
  readonly metrics: Metrics;
  readonly log: Log;
}

export function createAggregatedIngest({ output, filters, metrics, log }: AggregatedIngestOptions): AggregatedIngest {
  const underWay = new Set<Promise<void>>();

  const put = async (bucket: string, batch: Batch): Promise<void> => {
    const { category, points } = batch;
    try {
      await output.put([batch]);
    } catch (error) {
      metrics.aggregatedLost.inc({ category, name: bucket }, points);
      log.error(`aggregation ${bucket}: ${points} points of ${category} are lost: ${(error as Error).message}`);
    }
  };

  const takeBucket = ({ name, batches, skipped }: AggregatedBucket): void => {
    if (skipped > 0) log.warn(`aggregation ${name}: ${skippedText(skipped)}`);
    for (const batch of batches) {
      const { category, points } = batch;
      const labels = { name: `pl_agg/${name}`, category };
      metrics.ingestTotal.of(labels).value++;
      metrics.ingestPoints.observe(labels, points);
      metrics.lastIngest.of(labels).value = Date.now() / 1000;
      const done = put(name, batch).finally(() => underWay.delete(done));
      underWay.add(done);
    }
  };

  return {
    take: ({ buckets, filtered }) => {
      filters.count(filtered);
      for (const bucket of buckets) takeBucket(bucket);
    },
    whenIdle: async () => {
      await Promise.all(underWay);
    },
  };
}
