// POST /loki/api/v1/push over real HTTP (docs/inputs.md#loki). Protobuf is encoded by a widely used library.

import { gzipSync } from "node:zlib";
import protobuf from "protobufjs";
import snappy from "snappyjs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentProcess, startAgent } from "../../../support/running-agent.ts";

const PushRequest = protobuf
  .parse(
    `syntax = "proto3";
    message PushRequest { repeated Stream streams = 1; }
    message Stream { string labels = 1; repeated Entry entries = 2; uint64 hash = 3; }
    message Entry { Timestamp timestamp = 1; string line = 2; repeated Pair structuredMetadata = 3; }
    message Timestamp { int64 seconds = 1; int32 nanos = 2; }
    message Pair { string name = 1; string value = 2; }`,
  )
  .root.lookupType("PushRequest");

let agent: AgentProcess;
beforeAll(async () => {
  agent = await startAgent({
    config: `[http_api]
request_rate_limit = 0
max_body_bytes = 65536
max_points = 100
[environments]
ENV_HOSTNAME = "web01"
[inputs.loki]
enable = true
`,
    scripts: { "logging/scripted.p": 'set_tag(marked, "yes")' },
  });
});
afterAll(() => agent.stop());

const path = "/loki/api/v1/push";
const json = { "content-type": "application/json" };
const time = "1700000000123456789";
const linesOf = async (name: string) => (await agent.output("logging")).filter((line) => line.startsWith(`${name},`));
const sendJson = (streams: unknown, headers: Record<string, string> = {}) =>
  agent.send(path, { body: JSON.stringify({ streams }), headers: { ...json, ...headers } });
const sendProtobuf = (streams: object[]) =>
  agent.send(path, {
    body: snappy.compress(PushRequest.encode(PushRequest.fromObject({ streams })).finish()),
    headers: { "content-type": "application/x-protobuf" },
  });

describe.each(["JSON", "protobuf"])("a Loki push in %s", (encoding) => {
  const push = (labels: Record<string, string>, entries: [string, string, Record<string, string>?][]) =>
    encoding === "JSON"
      ? sendJson([{ stream: labels, values: entries.map((entry) => entry.filter((each) => each !== undefined)) }])
      : sendProtobuf([
          {
            labels: `{${Object.entries(labels)
              .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
              .join(", ")}}`,
            entries: entries.map(([at, line, metadata = {}]) => ({
              timestamp: { seconds: at.slice(0, -9), nanos: Number(at.slice(-9)) },
              line,
              structuredMetadata: Object.entries(metadata).map(([name, value]) => ({ name, value })),
            })),
          },
        ]);

  it("turns labels into tags and metadata into fields, and keeps times exact", async () => {
    const name = `nginx-${encoding}`;
    const answer = await push({ job: name, env: "prod", text: 'a "b"' }, [
      [time, 'said "x"', { trace_id: "t1", env: "other", level: "WARN" }],
      ["1700000000123456790", "two"],
    ]);
    expect([answer.status, answer.text]).toEqual([204, ""]);
    const tags = `env=prod,host=web01,job=${name},text=a\\ "b"`;
    expect(await linesOf(name)).toEqual([
      `${name},${tags} level="WARN",message="said \\"x\\"",metadata_env="other",status="warning",trace_id="t1" ${time}`,
      `${name},${tags} message="two",status="unknown" 1700000000123456790`,
    ]);
  });

  it("uses the first known name label as measurement, or else the name loki", async () => {
    expect((await push({ app: "a", service_name: `svc-${encoding}`, job: "j" }, [[time, "x"]])).status).toBe(204);
    expect(await linesOf(`svc-${encoding}`)).toHaveLength(1);
    expect((await push({ other: encoding }, [[time, "x"]])).status).toBe(204);
    expect((await linesOf("loki")).filter((line) => line.includes(`other=${encoding}`))).toHaveLength(1);
  });

  it("runs the script named after the measurement", async () => {
    await push({ job: "scripted", encoding }, [[time, "x"]]);
    expect((await linesOf("scripted")).filter((line) => line.includes(encoding))[0]).toContain("marked=yes");
  });

  it("is refused when it holds more points than allowed", async () => {
    const answer = await push(
      { job: "many" },
      Array.from({ length: 101 }, () => [time, "x"] as [string, string]),
    );
    expect([answer.status, answer.text]).toEqual([
      413,
      "the body holds more than 100 points ([http_api] max_points)\n",
    ]);
    expect(await linesOf("many")).toEqual([]);
  });
});

it("takes compressed JSON", async () => {
  const body = gzipSync(JSON.stringify({ streams: [{ stream: { job: "zipped" }, values: [[time, "x"]] }] }));
  expect((await agent.send(path, { body, headers: { ...json, "content-encoding": "gzip" } })).status).toBe(204);
  expect(await linesOf("zipped")).toHaveLength(1);
});

it("stores the valid entries when others are invalid", async () => {
  const values = [
    [time, "good"],
    ["now", "x"],
    [time, 5],
    [time],
    ["18446744073709551615", "late"],
    [time, "good too"],
  ];
  const answer = await sendJson([{ stream: { job: "mixed" }, values }]);
  expect([answer.status, answer.headers["content-type"]]).toEqual([400, "text/plain; charset=utf-8"]);
  expect(answer.text).toBe(
    "4 entries are left out, the others are kept: 1: the time of an entry must be digits (nanoseconds); " +
      "1: the line of an entry must be a text; 1: an entry must be a list of a time and a line; " +
      "1: the time of an entry is out of range\n",
  );
  expect(await linesOf("mixed")).toHaveLength(2);
});

it.each([
  ["another content type", "x", { "content-type": "text/plain" }, 415, "the Content-Type must be application/json or"],
  ["an empty body", "", json, 400, "the request has no body"],
  ["no JSON", "{", json, 400, "Loki push: "],
  ["JSON without streams", "{}", json, 400, 'Loki push: a member "streams" with a list is expected'],
  [
    "a stream without labels",
    '{"streams":[{"values":[]}]}',
    json,
    400,
    'Loki push: each stream needs a member "stream"',
  ],
  ["deep JSON", "[".repeat(2000), json, 400, "Loki push: nested deeper than 1000"],
  ["no Snappy block", "xxxxxxxx", { "content-type": "application/x-protobuf" }, 400, "Loki push: snappy: "],
  [
    "a block that says it is large",
    new Uint8Array([0xff, 0xff, 0xff, 0x7f, 0]),
    { "content-type": "application/x-protobuf" },
    400,
    "Loki push: snappy: 268435455 bytes, which is more than 65536",
  ],
  ["too much", "x".repeat(65537), json, 413, "body exceeds 65536 bytes"],
  [
    "little that becomes much",
    JSON.stringify({
      streams: [{ stream: { job: "j", big: "x".repeat(60_000) }, values: Array(90).fill([time, ""]) }],
    }),
    json,
    413,
    "its points take more than",
  ],
] as const)("refuses %s in plain text", async (_, body, headers, status, start) => {
  const answer = await agent.send(path, { method: "POST", body, headers });
  expect([answer.status, answer.text.slice(0, start.length)]).toEqual([status, start]);
});

it("returns 404 with the right path for an unsupported path of Loki", async () => {
  const answer = await agent.send("/loki/api/v1/query");
  expect([answer.status, answer.text]).toEqual([
    404,
    "nothing takes GET /loki/api/v1/query; send to POST /loki/api/v1/push\n",
  ]);
});
