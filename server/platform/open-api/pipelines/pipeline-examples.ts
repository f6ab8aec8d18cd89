// The pipeline that the examples in the OpenAPI document show.

import { ownExample } from "../protocol/own-members.ts";
import type { PipelineRecord } from "./pipeline-record.ts";

export const pipelineExample: PipelineRecord = {
  ...ownExample("pl_3f8d6c0b5a2e4719b6d1c4f7a8e90523"),
  asDefault: 0,
  category: "logging",
  // The string in base64 is the script: grok(_, "%{IPORHOST:client} %{NUMBER:status:int}")
  content: "Z3JvayhfLCAiJXtJUE9SSE9TVDpjbGllbnR9ICV7TlVNQkVSOnN0YXR1czppbnR9Iik=",
  extend: {},
  name: "nginx",
  source: ["nginx"],
  status: 0,
  // The string in base64 is the test data: ["10.0.0.1 200"]
  testData: "WyIxMC4wLjAuMSAyMDAiXQ==",
};
