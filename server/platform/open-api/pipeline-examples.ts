// What examples of pipelines show.

import type { PipelineRecord } from "./pipeline-record.ts";

const key = "wsak_9aa1f7e8c3d24b6fa0e5d7c1b2a39485";
const keyInfo = { email: "", iconUrl: "", name: "ci key", username: `AK(${key})` };

export const pipelineExample: PipelineRecord = {
  asDefault: 0,
  category: "logging",
  // grok(_, "%{IPORHOST:client} %{NUMBER:status:int}")
  content: "Z3JvayhfLCAiJXtJUE9SSE9TVDpjbGllbnR9ICV7TlVNQkVSOnN0YXR1czppbnR9Iik=",
  createAt: 1_700_000_000,
  creator: key,
  creatorInfo: keyInfo,
  deleteAt: -1,
  extend: {},
  id: 1,
  name: "nginx",
  source: ["nginx"],
  status: 0,
  // ["10.0.0.1 200"]
  testData: "WyIxMC4wLjAuMSAyMDAiXQ==",
  updateAt: 1_700_000_000,
  updator: key,
  updatorInfo: keyInfo,
  uuid: "pl_3f8d6c0b5a2e4719b6d1c4f7a8e90523",
  workspaceUUID: "wksp_c4201f4ef30c4a86b01a998e7544096c",
};
