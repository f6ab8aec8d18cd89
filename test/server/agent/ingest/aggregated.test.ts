// Aggregating scripts make new points that summarize many points, and the agent passes the new points to the
// output. When the output refuses a batch of new points, the agent counts these points as lost, and still stores
// the other batches.

import { describe, expect, it } from "vitest";
import { createAggregatedIngest } from "../../../../server/agent/ingest/aggregated.ts";
import { createFilters } from "../../../../server/agent/ingest/filters.ts";
import type { Batch } from "../../../../server/agent/outputs/batch.ts";
import type { Output } from "../../../../server/agent/outputs/output.ts";
import { ApiError } from "../../../../server/http/errors.ts";
import type { Log } from "../../../../server/telemetry/log.ts";
import { createMetrics } from "../../../../server/telemetry/metrics.ts";

const batchOf = (category: Batch["category"], points: number): Batch => ({ category, points, body: new Uint8Array(1) });

describe("aggregated points", () => {
  it("are logged and counted as lost when the output refuses them, and the other points are kept", async () => {
    const metrics = createMetrics();
    const said: string[] = [];
    const say = (text: string) => void said.push(text);
    const log = { debug: say, info: say, warn: say, error: say, isDebug: true } as Log;
    const kept: string[] = [];
    const output: Pick<Output, "put"> = {
      put: async ([batch]) => {
        await Promise.resolve();
        if (batch!.category === "metric") throw new ApiError("agent.queueFull", "the queue is full");
        if (batch!.category === "tracing") throw new Error("out of order");
        kept.push(batch!.category);
      },
    };
    const filters = createFilters({ local: {}, strictTypes: false, onChange: () => {}, log, metrics });
    const ingest = createAggregatedIngest({ output: output as Output, filters, metrics, log });
    const batches = [batchOf("metric", 3), batchOf("tracing", 2), batchOf("logging", 1)];
    ingest.take({ kind: "aggregated", filtered: [], buckets: [{ name: "b", batches, skipped: 1 }] });
    await ingest.whenIdle();
    expect(kept).toEqual(["logging"]);
    expect(said).toEqual([
      "aggregation b: 1 points cannot be said in line protocol (no field, or a series over 65,535 bytes); skipped",
      "aggregation b: 3 points of metric are lost: the queue is full",
      "aggregation b: 2 points of tracing are lost: out of order",
    ]);
    const text = await metrics.registry.metrics();
    expect(text).toContain('agent_pipeline_aggregated_lost_point_total{category="metric",name="b"} 3');
    expect(text).toContain('agent_pipeline_aggregated_lost_point_total{category="tracing",name="b"} 2');
    expect(text).toContain('agent_io_feed_total{name="pl_agg/b",category="logging"} 1');
  });
});
