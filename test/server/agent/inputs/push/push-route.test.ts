// Rules for all inputs that accept pushes of other programs (Influx, Loki and others): tokens, refusals, and the metric
// that shows which inputs are enabled.

import { writeFileSync } from "node:fs";
import { request } from "node:http";
import path from "node:path";
import snappy from "snappyjs";
import { expect, it, onTestFinished } from "vitest";
import { hostileLine, hostileTexts, unsafeIn } from "../../../support/hostile-texts.ts";
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

it("refuses a request without the token before its body arrives", async () => {
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

type Shot = (text: string) => readonly [path: string, body: string | Uint8Array, headers?: Record<string, string>];
const json = { "content-type": "application/json" };
const inUrl = (text: string) => encodeURIComponent(text.slice(0, 1500));

const shots: Readonly<Record<string, Shot>> = {
  "a line for Influx 1": (text) => ["/write", `m,t=${text}`],
  "a line for Influx 2": (text) => ["/api/v2/write", `m,t=${text}`],
  "a precision": (text) => [`/write?precision=${inUrl(text)}`, "m v=1"],
  "a path of Influx": (text) => [`/api/v2/${inUrl(text)}`, ""],
  "JSON for Loki": (text) => ["/loki/api/v1/push", `{"streams":${text}`, json],
  "a label for Loki": (text) => [
    "/loki/api/v1/push",
    snappy.compress(Buffer.concat([Buffer.from([0x0a, 0x82, 1, 0x0a, 0x7f]), Buffer.alloc(127, text)])),
    { "content-type": "application/x-protobuf" },
  ],
  "a path of Loki": (text) => [`/loki/${inUrl(text)}`, ""],
  "an action": (text) => ["/_bulk", `${text}\n{}\n`],
  "a document": (text) => [
    "/_bulk",
    `${JSON.stringify({ create: { _index: text.slice(0, 200), _id: text.slice(0, 400) } })}\n${text}\n`,
  ],
  "a path of Elasticsearch": (text) => [`/_x${inUrl(text)}`, ""],
  "an event": (text) => ["/services/collector", `{"event":${text}`],
  "a path of Splunk": (text) => [`/services/collector/${inUrl(text)}`, ""],
  "a JSON line": (text) => ["/v1/write/json-lines", `${text}\n`.repeat(20)],
  "a category": (text) => [`/v1/write/json-lines?category=${inUrl(text)}`, "{}"],
};

it("escapes and shortens hostile text in answers and in the log", async () => {
  const agent = await startAgent({ config: `${config("")}\n[logging]\nlevel = "debug"\n` });
  onTestFinished(() => agent.stop());
  for (const [name, shot] of Object.entries(shots)) {
    for (const [attack, text] of [...hostileTexts, ["all of them", hostileLine] as const]) {
      for (const sent of [text, text.repeat(Math.ceil(20_000 / text.length))]) {
        const [at, body, headers = {}] = shot(sent);
        const answer = await agent.send(at, { method: "POST", body, headers });
        expect([name, attack, unsafeIn(answer.text.replace(/\n$/, ""))]).toEqual([name, attack, []]);
        expect([name, attack, unsafeIn(JSON.stringify(answer.headers))]).toEqual([name, attack, []]);
        expect([name, attack, answer.body.length < 4096]).toEqual([name, attack, true]);
        if (name !== "a document") expect([name, attack, answer.status]).not.toEqual([name, attack, 500]);
      }
    }
  }
  for (const line of agent.log().split("\n").slice(0, -1)) {
    expect(unsafeIn(line)).toEqual([]);
    expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z (?:DEBUG|INFO|WARN|ERROR) /);
    expect(Buffer.byteLength(line)).toBeLessThan(1024 + 128);
  }
});

it("updates the metric of enabled inputs after a reload, and hides passwords in the debug log", async () => {
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
