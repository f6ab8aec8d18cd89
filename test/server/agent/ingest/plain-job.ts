// A write of line protocol that asks for nothing.

import type { WriteJob } from "../../../../server/agent/write-messages.ts";

export const plainJob: Omit<WriteJob, "body"> = {
  encoding: "",
  maxBodyBytes: 1 << 26,
  maxPoints: 0,
  maxWrittenBytes: Number.POSITIVE_INFINITY,
  category: "logging",
  form: "lp",
  foreign: undefined,
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
