// The job that a worker thread gets for a write of line protocol without any options. The body of the write is left
// out; each test adds its own.

import type { WriteJob } from "../../../../server/agent/ingest/write-job.ts";

export const plainJob: Omit<WriteJob, "body"> = {
  encoding: "",
  maxBodyBytes: 1 << 26,
  maxPoints: 0,
  maxWrittenBytes: Number.POSITIVE_INFINITY,
  category: "logging",
  form: "lp",
  conversion: undefined,
  precision: "",
  strict: false,
  echo: undefined,
  dry: false,
  now: 1700000000000000000n,
  earlyTags: [],
  globalTags: [],
  script: undefined,
  batchBytes: 0,
  shardKeys: undefined,
};
