// Points that are cheap for a client to send: points without fields are answered but not stored, very large numbers of
// points are refused, and a client cannot make the service store far more bytes than it has sent.

import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import protobuf from "protobufjs";
import snappy from "snappyjs";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { Point } from "../../../lib/index.ts";
import { encodeWithProtobufjs } from "../../baseline/protobuf.ts";
import { linesOf } from "../gateway/delivered-lines.ts";
import { measure, openSockets } from "../support/attack.ts";
import { encodeRequest } from "../support/otlp-messages.ts";
import { startGateway } from "../support/recording-gateway.ts";
import { type AgentProcess, startAgent } from "../support/running-agent.ts";
import { type GatewayProcess, startGatewayProcess, startWorkspaces } from "../support/running-gateway.ts";
import { ask, folder, metric, platform } from "../support/running-platform.ts";

/** Returns the size in bytes of all files below a folder. */
function bytesBelow(root: string): number {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size, 0);
}

const json = { "content-type": "application/json" };
const pbjson = { "content-type": "application/pbjson" };
const pb = { "content-type": "application/protobuf" };
const gzip = { "content-encoding": "gzip" };

function pointOf(name: string, ...entries: readonly (readonly [key: string, value: string, isTag: boolean])[]): Point {
  const point = new Point(name, 1n);
  for (const [key, value, isTag] of entries) point.append(key, value, isTag);
  return point;
}

const WriteRequest = protobuf
  .parse(
    `syntax = "proto3";
    message WriteRequest { repeated TimeSeries timeseries = 1; }
    message TimeSeries { repeated Label labels = 1; repeated Sample samples = 2; }
    message Label { string name = 1; string value = 2; }
    message Sample { double value = 1; int64 timestamp = 2; }`,
  )
  .root.lookupType("WriteRequest");

/** Returns a Prometheus remote write with one series, which has a sample for each value. */
function remoteWrite(name: string, labels: Readonly<Record<string, string>>, values: readonly number[]): Uint8Array {
  const all = Object.entries({ __name__: name, ...labels }).map(([key, value]) => ({ name: key, value }));
  const samples = values.map((value, at) => ({ value, timestamp: 1_700_000_000_000 + at }));
  const message = WriteRequest.fromObject({ timeseries: [{ labels: all, samples }] });
  return snappy.compress(WriteRequest.encode(message).finish());
}

function otlpLogs(attribute: string, records: readonly object[]): object {
  const resource = { attributes: [{ key: "service.name", value: { stringValue: attribute } }] };
  return { resourceLogs: [{ resource, scopeLogs: [{ logRecords: records }] }] };
}

describe("an agent that writes to files", () => {
  let agent: AgentProcess;
  beforeAll(async () => {
    agent = await startAgent({
      config: '[http_api]\nrequest_rate_limit = 0\n[global_host_tags]\nfrom = "here"',
      scripts: {
        "logging/mark.p": 'add_key(marked, "yes")\n',
        "logging/clear.p": "drop_key(a)\ndrop_key(b)\ndrop_key(status)\n",
        "keyevent/clear.p": "drop_key(a)\ndrop_key(b)\n",
      },
    });
  });
  afterAll(() => agent.stop());

  it.each([
    [
      "logging",
      "[{}]",
      '[{"name":"__default","fields":[],"time":"T","warns":[{"type":"invalid_measurement","message":"empty measurement, use __default"}]}]',
    ],
    [
      "logging",
      '[{"measurement":"m","tags":{"a":"b"}}]',
      '[{"name":"m","fields":[{"key":"a","s":"b","is_tag":true}],"time":"T"}]',
    ],
    [
      "logging",
      '[{"name":"m","fields":[{"key":"a","s":"b","is_tag":true}]}]',
      '[{"name":"m","fields":[{"key":"a","s":"b","is_tag":true}],"time":"T"}]',
    ],
    [
      "custom_object",
      "[{}]",
      '[{"name":"__default","fields":[],"time":"T","warns":[{"type":"invalid_measurement","message":"empty measurement, use __default"}]}]',
    ],
    ["object", '[{"measurement":"m"}]', '[{"name":"m","fields":[],"time":"T"}]'],
    ["metric", '[{"measurement":"m"}]', '[{"name":"m","fields":[],"time":"T"}]'],
  ])("%s %s is echoed without a default field, and is not written", async (category, body, echo) => {
    const before = await agent.output(category);
    for (const query of ["", "?source=mark"]) {
      const { status, text } = await agent.send(`/v1/write/${category}${query}${query === "" ? "?" : "&"}echo=pbjson`, {
        body,
        headers: json,
      });
      expect([status, text.replace(/"time":"\d+"/, '"time":"T"')]).toEqual([200, echo]);
    }
    expect(await agent.output(category)).toEqual(before);
  });

  it("an object that has only tags gets a name field and is written", async () => {
    const body = '[{"measurement":"HOST","tags":{"a":"b"}}]';
    expect((await agent.send("/v1/write/object", { body, headers: json })).status).toBe(200);
    expect(await agent.output("object")).toEqual([
      expect.stringMatching(/^HOST,a=b,from=here,host=\S+ name="default" \d+$/),
    ]);
  });

  it("only the points with a field are written and run through the script", async () => {
    const body = '[{},{"measurement":"kept","fields":{"message":"a"},"time":1},{"measurement":"m","tags":{"a":"b"}}]';
    expect((await agent.send("/v1/write/logging?source=mark", { body, headers: json })).status).toBe(200);
    const lines = (await agent.output("logging")).filter((line) => !line.includes("n="));
    expect(lines).toEqual([expect.stringMatching(/^kept,.*marked="yes"/)]);
  });

  it.each([
    ["/v1/write/logging", json, "[{}", ",{}", 200_000, "]"],
    ["/v1/write/logging", json, '[{"name":"m"}', ',{"name":"m"}', 200_000, "]"],
    ["/v1/write/logging", { "content-type": "application/pbjson" }, "[{}", ",{}", 200_000, "]"],
    ["/v1/write/logstreaming", {}, "a\n", "a\n", 200_000, ""],
    ["/v1/write/logstreaming?type=firelens", {}, "[{}", ",{}", 200_000, "]"],
  ] as const)(
    "%s %j refuses more than max_points points, beginning with %s",
    async (path, headers, first, more, most, end) => {
      const refused = await agent.send(path, {
        body: gzipSync(first + more.repeat(most) + end),
        headers: { ...headers, ...gzip },
      });
      expect([refused.status, JSON.parse(refused.text)]).toEqual([
        413,
        { error_code: "agent.bodyTooLarge", message: "the body holds more than 200000 points ([http_api] max_points)" },
      ]);
      const taken = await agent.send(path, {
        body: first + more.repeat(most - 1) + end,
        headers,
      });
      expect(taken.status).toBe(200);
    },
  );

  it("line protocol can contain as many points as fit into the body", async () => {
    const body = gzipSync("m n=1i 1\n".repeat(200_001));
    expect((await agent.send("/v1/write/metric?dry=1", { body, headers: gzip })).status).toBe(200);
  });

  const ways: readonly (readonly [
    way: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | Uint8Array,
    category: string,
  ])[] = [
    ["JSON", "/v1/write/tracing", json, '[{"measurement":"no"},{"measurement":"yes","fields":{"a":1}}]', "tracing"],
    [
      "PBJSON",
      "/v1/write/network",
      pbjson,
      '[{"name":"no","fields":[{"key":"a","s":"t","is_tag":true}]},{"name":"yes","fields":[{"key":"a","i":"1"}]}]',
      "network",
    ],
    [
      "protobuf",
      "/v1/write/security",
      pb,
      encodeWithProtobufjs([pointOf("no"), pointOf("no", ["a", "t", true]), pointOf("yes", ["a", "f", false])]),
      "security",
    ],
    ["line protocol", "/v1/write/profiling", {}, "yes a=1i 1\n\n\n", "profiling"],
    ["lines of logs", "/v1/write/logstreaming?source=yes", {}, "\n\na\n\r\n", "logging"],
    [
      "OTLP metrics",
      "/otel/v1/metrics",
      json,
      JSON.stringify({
        resourceMetrics: [
          {
            scopeMetrics: [
              {
                metrics: [
                  { name: "no.1", gauge: { dataPoints: [] } },
                  { name: "no.2", gauge: { dataPoints: [{}] } },
                ],
              },
              { metrics: [{ name: "yes.1", gauge: { dataPoints: [{ asInt: "1" }] } }] },
            ],
          },
        ],
      }),
      "metric",
    ],
    ["Prometheus", "/prom_remote_write", {}, remoteWrite("yes_1", {}, [1, Number.NaN, Number.NaN]), "metric"],
  ];
  it.each(ways)("%s: only the point with a field is written", async (_way, path, headers, body, category) => {
    const before = (await agent.output(category)).length;
    expect((await agent.send(path, { body, headers })).status).toBeLessThan(300);
    const lines = (await agent.output(category)).slice(before);
    expect(lines).toEqual([expect.stringMatching(/yes|yes_1/)]);
  });

  it("a point whose fields the script deletes gets a status, or is not written if none is required", async () => {
    const line = "deleted,t=v a=1i,b=2i 1";
    expect((await agent.send("/v1/write/logging?source=clear", { body: line })).status).toBe(200);
    const [written] = (await agent.output("logging")).filter((each) => each.startsWith("deleted,"));
    expect(written).toMatch(/^deleted,.*t=v status="unknown" 1000000000$/);
    expect((await agent.send("/v1/write/keyevent?source=clear", { body: line })).status).toBe(200);
    expect(await agent.output("keyevent")).toEqual([]);
    expect(await agent.metric('agent_io_gateway_skipped_point_total{category="keyevent"}')).toBe(1);
  });

  it("a script adds no field to a point that came without any", async () => {
    const before = (await agent.output("logging")).length;
    const body = '[{"measurement":"m","tags":{"a":"b"}}]';
    expect((await agent.send("/v1/write/logging?source=mark", { body, headers: json })).status).toBe(200);
    expect((await agent.output("logging")).length).toBe(before);
  });

  const manyLines = gzipSync("m n=1i 1\n".repeat(2_000_000), { level: 9 });
  const record = { body: { stringValue: "a" } };
  const manyRecords = gzipSync(JSON.stringify(otlpLogs("x".repeat(1000), Array(30_000).fill(record))), { level: 9 });
  const encodedRecords = gzipSync(encodeRequest("logs", otlpLogs("y".repeat(1000), Array(30_000).fill(record))));
  const longNames = gzipSync(
    `[${Array(180_000)
      .fill(`{"measurement":"${"m".repeat(200)}","fields":{"":1}}`)
      .join()}]`,
    { level: 9 },
  );
  it.each([
    ["what is written", "/v1/write/logging", {}, gzip, manyLines],
    ["what is echoed", "/v1/write/logging?dry=1&echo=json", {}, gzip, manyLines],
    ["what is made of JSON", "/v1/write/logging", json, gzip, longNames],
    [
      "what is made of log lines",
      `/v1/write/logstreaming?source=${"s".repeat(100)}`,
      {},
      gzip,
      gzipSync("a\n".repeat(199_999)),
    ],
    ["what is made of OTLP in JSON", "/otel/v1/logs", json, gzip, manyRecords],
    ["what is made of OTLP", "/otel/v1/logs", { "content-type": "application/x-protobuf" }, gzip, encodedRecords],
    [
      "what is made of samples",
      "/prom_remote_write",
      {},
      {},
      remoteWrite("m", { l: "x".repeat(1000) }, Array(30_000).fill(0)),
    ],
  ])(
    "%s stays within 16 MiB and 100 bytes for each byte that was sent",
    async (_name, path, headers, encoding, body) => {
      const count = async () => (await agent.output("logging")).length + (await agent.output("metric")).length;
      const before = await count();
      const { status, text } = await agent.send(path, { body, headers: { ...headers, ...encoding } });
      const most = 16 * 1024 * 1024 + 100 * body.length;
      expect(status).toBe(413);
      expect(text).toContain(`the points take more than ${most} bytes as they are written ([http_api] max_growth)`);
      expect(await count()).toBe(before);
    },
  );

  it.each([
    ["5 million {}", `[{}${",{}".repeat(4_999_999)}]`, json],
    ["5 million lines", "m n=1i 1\n".repeat(5_000_000), {}],
    ["5 million points of two bytes in protobuf", Buffer.alloc(10_000_000, "0a00", "hex"), pb],
  ])("%s in gzip do not fill the disk", async (name, text, headers) => {
    const body = gzipSync(text, { level: 9 });
    const before = (await agent.output("logging")).length;
    const attack = { name, url: agent.url, pid: agent.pid, sent: `${body.length} bytes of gzip` };
    const { answer, peakMb } = await measure(attack, async () => {
      const { status } = await agent.send("/v1/write/logging", { body, headers: { ...headers, ...gzip } });
      return String(status);
    });
    // Only the size of a protobuf body limits the number of its points, so the agent accepts the body in protobuf. It
    // refuses the bodies in JSON and line protocol, because they have too many points.
    expect(answer).toBe(headers === pb ? "200" : "413");
    expect(peakMb).not.toBeGreaterThan(512);
    expect((await agent.output("logging")).length).toBe(before);
  });
});

it("max_points and max_growth of 0 allow any number of points and bytes", async () => {
  const agent = await startAgent({ config: "[http_api]\nmax_points = 0\nmax_growth = 0" });
  onTestFinished(() => agent.stop());
  const body = gzipSync(`[${Array(200_001).fill('{"fields":{"":1}}').join()}]`, { level: 9 });
  expect((await agent.send("/v1/write/logging", { body, headers: { ...json, ...gzip } })).status).toBe(200);
  expect((await agent.output("logging")).length).toBe(200_001);
});

it("max_points applies to each body separately", async () => {
  const agent = await startAgent({ config: "[http_api]\nmax_points = 2" });
  onTestFinished(() => agent.stop());
  const send = async (points: number) => {
    const body = `[${Array(points).fill('{"fields":{"a":1}}').join()}]`;
    const { status, text } = await agent.send("/v1/write/metric", { body, headers: json });
    return status === 200 ? status : JSON.parse(text);
  };
  expect(await send(2)).toBe(200);
  expect(await send(3)).toEqual({
    error_code: "agent.bodyTooLarge",
    message: "the body holds more than 2 points ([http_api] max_points)",
  });
  expect((await agent.output("metric")).length).toBe(2);
});

const slow = (path: string, type: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: ${body.length + 10}\r\n\r\n${body}`;

/**
 * Sends `sent`, the beginning of a request. When the server has begun to answer, sends `rest`, the end of the request.
 * Returns everything that the server sends until it closes the connection.
 */
async function answerTo(url: string, sent: string, rest: string): Promise<string> {
  const [socket] = await openSockets(url, 1, sent);
  onTestFinished(() => void socket!.destroy());
  let text = "";
  socket!.on("data", (chunk) => {
    text += chunk;
    if (socket!.writable) socket!.write(rest);
  });
  await expect.poll(() => text, { timeout: 30_000 }).toContain("\r\n\r\n");
  return text;
}

it("a body that is answered 408 writes nothing, in any format", async () => {
  const agent = await startAgent({ config: '[http_api]\ntimeout = "2s"' });
  onTestFinished(() => agent.stop());
  const types = {
    lp: "text/plain",
    json: "application/json",
    pbjson: "application/pbjson",
    pb: "application/protobuf",
  };
  const points = '[{"measurement":"m","fields":{"a":1}}]';
  const bodies = {
    lp: "m a=1i 1\n",
    json: points,
    pbjson: '[{"name":"m","fields":[{"key":"a","i":"1"}]}]',
    pb: "\n\u0003\n\u0001m",
  };
  const requests = [
    ...(Object.keys(types) as (keyof typeof types)[]).map((form) =>
      slow("/v1/write/metric", types[form], bodies[form]),
    ),
    slow("/v1/write/logstreaming", types.lp, "a\nb\n"),
    slow("/otel/v1/logs", types.json, JSON.stringify(otlpLogs("a", [{ body: { stringValue: "a" } }]))),
    slow("/prom_remote_write", "application/x-protobuf", "abc"),
  ];
  const answers = await Promise.all(requests.map((request) => answerTo(agent.url, request, " ".repeat(10))));
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  // After the refused writes, the agent still accepts and stores an ordinary point.
  expect((await agent.send("/v1/write/metric", { body: "last a=1i 1" })).status).toBe(200);
  expect(await agent.output("metric")).toEqual([expect.stringMatching(/^last/)]);
  expect(await agent.output("logging")).toEqual([]);
});

it("a write whose script takes too long is answered 408 and writes nothing", async () => {
  const agent = await startAgent({
    config: '[http_api]\ntimeout = "1s"\n[pipeline]\nmax_steps_per_point = 0\nmax_steps_per_write = 0',
    scripts: { "logging/long.p": "for i = 0; i < 1000000000; i = i + 1 {\n}\nadd_key(done, 1)\n" },
  });
  onTestFinished(() => agent.stop());
  const { status } = await agent.send("/v1/write/logging?source=long", { body: 'm message="a" 1\nm message="b" 2' });
  expect(status).toBe(408);
  await expect.poll(() => agent.metric("agent_http_inflight_bytes")).toBe(0);
  expect((await agent.send("/v1/write/logging", { body: 'm message="c" 3' })).status).toBe(200);
  expect(await agent.output("logging")).toEqual([expect.stringContaining('"c"')]);
});

it("points without a field are not sent on in protobuf", async () => {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  const agent = await startAgent({
    config: `[gateway]\nurls = ["${gateway.url}?token=tkn_a"]\ncontent_encoding = "protobuf"`,
  });
  onTestFinished(() => agent.stop());
  const body = '[{},{"measurement":"kept","fields":{"message":"a"},"time":1},{"measurement":"gone","tags":{"a":"b"}}]';
  expect((await agent.send("/v1/write/logging", { body, headers: json })).status).toBe(200);
  await expect.poll(() => agent.metric('agent_io_gateway_point_total{category="logging",status="OK"}')).toBe(1);
});

describe("a platform", () => {
  const at = (form: Readonly<Record<string, string>>, token: string) => ({ ...form, "x-token": token });
  const count = async (url: string, token: string, name: string) =>
    (await ask(url, `L::${name}:(count(*) AS n) [1h]`, token)).series[0]?.values[0]?.[1] ?? 0;

  it("stores no point that comes without any field", async () => {
    const { url, token } = await platform(folder());
    const send = async (headers: Readonly<Record<string, string>>, body: string | Uint8Array) => {
      const answer = await fetch(`${url}/v1/write/logging`, {
        method: "POST",
        body: Buffer.from(body),
        headers: at(headers, token),
      });
      return [answer.status, ((await answer.json()) as { content?: unknown }).content];
    };
    const stored = (points: number) => [200, { points, repeated: false }];
    expect(await send(json, "[{}]")).toEqual(stored(0));
    expect(await send(json, '[{"measurement":"m"},{"measurement":"m","fields":{"a":1}}]')).toEqual(stored(1));
    expect(await send(pbjson, '[{"name":"m","fields":[{"key":"a","s":"t","is_tag":true}]}]')).toEqual(stored(0));
    expect(await send(pb, encodeWithProtobufjs([pointOf("m", ["a", "t", true])]))).toEqual(stored(0));
    expect(await send({}, "m a=1i")).toEqual(stored(1));
    expect(await count(url, token, "m")).toBe(2);
    expect(await metric(url, 'platform_ingest_points_total{category="logging"}')).toBe(2);
  });

  it("refuses more than max_points points in JSON, and ten times as many in other forms", async () => {
    const { url, token } = await platform(folder(), { PLATFORM_MAX_POINTS: "3" });
    const send = async (form: Readonly<Record<string, string>>, body: string) => {
      const answer = await fetch(`${url}/v1/write/logging`, { method: "POST", body, headers: at(form, token) });
      return [answer.status, ((await answer.json()) as { message?: string }).message];
    };
    const list = (element: string, points: number) => `[${Array(points).fill(element).join()}]`;
    const message = "the body holds more than 3 points ([platform] max_points)";
    expect(await send(json, list('{"measurement":"m","fields":{"a":1}}', 3))).toEqual([200, undefined]);
    expect(await send(json, list("{}", 4))).toEqual([413, message]);
    expect(await send(pbjson, list('{"name":"m"}', 4))).toEqual([413, message]);
    expect(await send({}, "m a=1i\n".repeat(30))).toEqual([200, undefined]);
    const compact = "the body holds more than 30 points ([platform] max_points)";
    expect(await send({}, "m a=1i\n".repeat(31))).toEqual([413, compact]);
    expect(await send({ "content-type": "application/protobuf" }, "\n\0".repeat(31))).toEqual([413, compact]);
    expect(await count(url, token, "m")).toBe(33);
  });

  /**
   * Returns a JSON list of many points that all have the same long name. A service would store this name with each
   * point.
   */
  const list = (start: string, end: string) => {
    const element = `${start}${"m".repeat(200)}${end}`;
    return `[${Array(200_000).fill(element).join()}]`;
  };
  const manyInJson = list('{"measurement":"', '","fields":{"a":1}}');
  const hostile: readonly (readonly [
    what: string,
    form: Readonly<Record<string, string>>,
    text: string | Uint8Array,
  ])[] = [
    ["points with a number in JSON", json, manyInJson],
    ["points of one empty field in PBJSON", pbjson, list('{"name":"', '","fields":[{}]}')],
    ["lines with a boolean", {}, "m a=t\n".repeat(1_000_000)],
    ["points of four bytes in protobuf", pb, Buffer.alloc(4_000_000, "0a021200", "hex")],
  ];
  it("stores at most 16 MiB and 100 bytes for each byte that was sent, in any format", async () => {
    const dataDir = folder();
    const { url, token } = await platform(dataDir);
    for (const [what, form, text] of hostile) {
      const body = gzipSync(text, { level: 9 });
      expect(body.length).toBeLessThan(256 * 1024);
      const answer = await fetch(`${url}/v1/write/logging`, {
        method: "POST",
        body,
        headers: at({ ...form, ...gzip }, token),
      });
      const told = ((await answer.json()) as { message: string }).message;
      const most = 16 * 1024 * 1024 + 100 * body.length;
      const message = `the points take more than ${most} bytes as they are written ([platform] max_growth)`;
      expect([what, answer.status, told]).toEqual([what, 413, message]);
    }
    expect(await metric(url, 'platform_ingest_points_total{category="logging"}')).toBe(0);
    expect(bytesBelow(path.join(dataDir, "platform", "points", "log"))).toBeLessThan(1024 * 1024);
    // The points of this body need exactly as many stored bytes as `max_growth` allows, so the body is accepted.
    const body = gzipSync("m a=t\n".repeat(150_000));
    const answer = await fetch(`${url}/v1/write/logging`, { method: "POST", body, headers: at(gzip, token) });
    expect(answer.status).toBe(200);
  });

  it("stores any number of bytes with a max_growth of 0", async () => {
    const { url, token } = await platform(folder(), { PLATFORM_MAX_GROWTH: "0" });
    const answer = await fetch(`${url}/v1/write/logging`, {
      method: "POST",
      body: gzipSync(manyInJson),
      headers: at({ ...json, ...gzip }, token),
    });
    expect([answer.status, await answer.json()]).toEqual([200, { content: { points: 200_000, repeated: false } }]);
  });

  it("stores nothing of a body that is answered 408", async () => {
    const { url, token } = await platform(folder(), { PLATFORM_MIN_BODY_BYTES_PER_SECOND: "100000" });
    const answer = await answerTo(
      url,
      slow(`/v1/write/logging?token=${token}`, "text/plain", "m a=1i\n"),
      " ".repeat(10),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(await metric(url, 'platform_ingest_points_total{category="logging"}')).toBe(0);
    expect(await count(url, token, "m")).toBe(0);
  });
});

describe("a gateway that generates X-Global-Tags", () => {
  const started = async (config = "") => {
    const workspaces = await startWorkspaces();
    onTestFinished(() => workspaces.close());
    const dataDir = folder();
    const entry = (rule: string, token: string) => ({ rules: [rule], url: `${workspaces.url}/?token=${token}` });
    const gateway = await startGatewayProcess({
      dataDir,
      rules: { strict: true, rules: [entry("{ host = 'b' }", tokens.b), entry("*", tokens.a)] },
      files: { "tags.yaml": "- fields: host\n" },
      config: `[gateway_api]\nmin_body_bytes_per_second = 100000\n[sinker.tags]\npath = "${dataDir}/tags.yaml"\n${config}`,
    });
    onTestFinished(() => gateway.stop());
    return { gateway, workspaces };
  };
  const tokens = { a: `tkn_${"a".repeat(32)}`, b: `tkn_${"b".repeat(32)}` };
  const point = (host: string, fields: string) =>
    `{"measurement":"m","tags":{"host":"${host}"},"fields":{${fields}},"time":1}`;

  it("forwards no point that arrives without a field", async () => {
    const { gateway, workspaces } = await started();
    const body = `[${point("a", "")},${point("a", '"n":1')},${point("b", "")},${point("b", '"n":2')},{}]`;
    expect((await gateway.send("/v1/write/metric", { body, headers: json })).status).toBe(200);
    expect([...workspaces.of(tokens.a), ...workspaces.of(tokens.b)].map(({ headers }) => headers["x-points"])).toEqual([
      "1",
      "1",
    ]);
    expect(workspaces.of(tokens.b).flatMap(linesOf)).toEqual(["m,host=b n=2 1000000000"]);
    const one = `[${point("b", "")},${point("b", '"n":3')},{}]`;
    expect((await gateway.send("/v1/write/metric", { body: one, headers: json })).status).toBe(200);
    expect(workspaces.of(tokens.b).flatMap(linesOf)).toEqual(["m,host=b n=2 1000000000", "m,host=b n=3 1000000000"]);
  });

  it("does not read a body with more than max_points points, and forwards it unchanged", async () => {
    const { gateway, workspaces } = await started("max_points = 2\n");
    const body = `[${Array(3).fill(point("b", '"n":1')).join()}]`;
    expect((await gateway.send("/v1/write/metric", { body, headers: json })).status).toBe(200);
    expect(workspaces.of(tokens.a).map((each) => each.body.toString())).toEqual([body]);
    expect(gateway.log()).toContain(
      "the body holds more than 2 points ([sinker.tags] max_points), it goes on without X-Global-Tags",
    );
  });

  describe("and splits a body into parts", () => {
    const many = (host: string) => `${"m".repeat(150)},host=${host} n=1i\n`.repeat(95_000);
    const body = gzipSync(`${many("a")}${many("b")}`, { level: 9 });
    const send = (gateway: GatewayProcess) => gateway.send("/v1/write/metric", { body, headers: gzip });

    it("forwards nothing when the parts exceed 16 MiB and 100 bytes for each byte that was sent", async () => {
      const { gateway, workspaces } = await started();
      const { status, text } = await send(gateway);
      const most = 16 * 1024 * 1024 + 100 * body.length;
      expect([status, JSON.parse(text)]).toEqual([
        413,
        {
          error_code: "gateway.bodyTooLarge",
          message: `the points take more than ${most} bytes as they are written ([sinker.tags] max_growth)`,
        },
      ]);
      expect(workspaces.seen).toEqual([]);
      await expect.poll(() => gateway.metric("gateway_http_inflight_bytes")).toBe(0);
    });

    it("forwards all parts with a max_growth of 0, and counts their bytes while they are held", async () => {
      const { gateway, workspaces } = await started("max_growth = 0\n");
      workspaces.behave(tokens.b, "silent");
      const sent = send(gateway);
      await expect.poll(() => workspaces.seen.length, { timeout: 30_000 }).toBe(2);
      const plain = gunzipSync(body).length;
      const parts = workspaces.seen.reduce((sum, each) => sum + each.body.length, 0);
      expect(parts).toBeGreaterThan(16 * 1024 * 1024);
      expect(await gateway.metric("gateway_http_inflight_bytes")).toBe(body.length + plain + parts);
      await workspaces.close();
      await sent;
    });
  });

  it("forwards nothing from a body that is answered 408", async () => {
    const { gateway, workspaces } = await started();
    expect(await answerTo(gateway.url, slow("/v1/write/metric", "text/plain", "m n=1i 1\n"), " ".repeat(10))).toMatch(
      /^HTTP\/1\.1 408 /,
    );
    expect((await gateway.send("/v1/write/metric", { body: "m n=2i 1" })).status).toBe(200);
    expect(workspaces.seen.map((each) => each.body.toString())).toEqual(["m n=2i 1"]);
  });
});
