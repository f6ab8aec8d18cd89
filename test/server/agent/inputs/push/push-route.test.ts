// What all inputs for other programs' senders have in common: tokens, refusals and the metrics of what is switched on.

import { writeFileSync } from "node:fs";
import { request } from "node:http";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startAgent } from "../../../support/running-agent.ts";

const config = (token: string) => `[http_api]
request_rate_limit = 0
[inputs.influx]
enable = true
token = "${token}"
[inputs.loki]
enable = true
token = "${token}"
[inputs.elasticsearch]
enable = true
token = "${token}"
[inputs.splunk_hec]
enable = true
token = "${token}"
[inputs.json_lines]
enable = true
token = "${token}"
`;
const paths = [
  "/write",
  "/api/v2/write",
  "/loki/api/v1/push",
  "/_bulk",
  "/elasticsearch/x/_bulk",
  "/services/collector/raw",
  "/v1/write/json-lines",
];

it("a request without the token is answered before its body has come", async () => {
  const agent = await startAgent({ config: config("t") });
  onTestFinished(() => agent.stop());
  for (const each of paths) {
    const status = await new Promise((resolve, reject) => {
      const call = request(`${agent.url}${each}`, { method: "POST", headers: { "content-length": 1_000_000 } });
      call.on("response", ({ statusCode }) => {
        resolve(statusCode);
        call.destroy();
      });
      call.on("error", reject);
      call.flushHeaders();
    });
    expect([each, status]).toEqual([each, 401]);
  }
});

it("the metric of what is switched on follows a reload, and the debug log shows no password", async () => {
  const agent = await startAgent({ config: `[inputs.loki]\nenable = true\n[logging]\nlevel = "debug"\n` });
  onTestFinished(() => agent.stop());
  const sample = 'agent_input_push_info{input="loki",path="/loki/api/v1/push"}';
  expect(await agent.metric(sample)).toBe(1);
  expect(await agent.metric('agent_input_push_info{input="influx",path="/write"}')).toBe(0);
  await agent.send("/write?db=d&u=me&p=hidden&x=1", { body: "a v=1" });
  await waitUntil(() => agent.log().includes("/write?db=d&u=me&p=***&x=1"));
  expect(agent.log()).not.toContain("hidden");
  writeFileSync(path.join(agent.dataDir, "agent.toml"), "[inputs.influx]\nenable = true\n");
  agent.signal("SIGHUP");
  await waitUntil(async () => (await agent.metric(sample)) === 0);
  expect(await agent.metric('agent_input_push_info{input="influx",path="/write"}')).toBe(1);
});

async function waitUntil(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if (await isTrue()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error("the condition did not become true");
}
