// Tests whether the points of a write are kept when the client's request ends after the body was decoded and before the
// write is answered.

import { expect, it } from "vitest";
import { createIngest, type IngestOptions } from "../../../../server/agent/ingest/ingest.ts";
import { createInputs } from "../../../../server/agent/ingest/input-counts.ts";
import type { WriteRequest } from "../../../../server/agent/ingest/write-request.ts";
import type { Batch } from "../../../../server/agent/outputs/batch.ts";
import { RequestAbort } from "../../../../server/http/abort-signal.ts";
import { createLog } from "../../../../server/telemetry/log.ts";
import { createMetrics } from "../../../../server/telemetry/metrics.ts";
import { plainJob } from "./plain-job.ts";

const write: WriteRequest = {
  ...plainJob,
  body: new Uint8Array(8),
  sentBytes: 8,
  electionTags: false,
  hostTags: true,
  source: "",
  label: "v1-write.test",
  storageIndex: undefined,
};
const batch: Batch = { category: "logging", body: new Uint8Array(8), points: 1 };

it.each([
  ["is answered 408", "late", 0],
  ["loses its client", "early", 1],
] as const)("a write that %s while a thread has it: batches that are kept", async (_name, ends, batchesKept) => {
  const kept: Batch[] = [];
  let isAnsweredLate = false;
  const ending = new RequestAbort();
  const ingest = createIngest({
    workers: {
      run: async () => {
        ending[ends]();
        return {
          ok: true,
          points: 1,
          echo: undefined,
          batches: [batch],
          skipped: 0,
          runs: [],
          stacks: [],
          filtered: [],
        };
      },
    },
    output: {
      wantsCompressed: false,
      put: async (batches) => {
        kept.push(...batches);
        isAnsweredLate = ending.late();
      },
    },
    tags: { forWrite: () => [] },
    filters: { count: () => {} },
    scripts: { choose: () => undefined, hasAny: () => false },
    matchByName: false,
    sharding: undefined,
    inputs: createInputs(createMetrics(), 10),
    metrics: createMetrics(),
    log: createLog("error", () => {}),
    maxBodyBytes: 1000,
    maxPoints: 0,
    maxGrowth: 0,
    batchBytes: 0,
    batchForm: "lp",
    correctsTimes: false,
  } satisfies IngestOptions);
  await ingest(write, ending).catch(() => {});
  expect(kept.length).toBe(batchesKept);
  // The client's request ended while the output was already storing the points. So the agent must not answer the
  // request with 408 (timeout).
  expect(isAnsweredLate).toBe(false);
});
