// The example pipeline of the OpenAPI document.

import { ownExample } from "../protocol/own-members.ts";
import type { PipelineRecord } from "./pipeline-record.ts";

export const pipelineExample: PipelineRecord = {
  ...ownExample("pl_3f8d6c0b5a2e4719b6d1c4f7a8e90523"),
  asDefault: 0,
  category: "logging",
  // This string is the following script in base64: grok(_, "%{IPORHOST:client} %{NUMBER:status:int}")
  content: "Z3JvayhfLCAiJXtJUE9SSE9TVDpjbGllbnR9ICV7TlVNQkVSOnN0YXR1czppbnR9Iik=",
  extend: {},
  name: "nginx",
  source: ["nginx"],
  status: 0,
  // This string is the following test data in base64: ["10.0.0.1 200"]
  testData: "WyIxMC4wLjAuMSAyMDAiXQ==",
};
