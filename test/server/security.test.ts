// Clients that mean harm: the agent refuses, stays within its bounds, and answers the next one.

import { connect } from "node:net";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { framesOf } from "../../server/agent/source-maps/frames.ts";
import { type RecordingGateway, startGateway } from "./recording-gateway.ts";
import { type AgentProcess, startAgent } from "./running-agent.ts";
import { zstdZeros } from "./zstd-zeros.ts";

let agent: AgentProcess;
beforeAll(async () => {
  agent = await startAgent({ config: '[http_api]\nrequest_rate_limit = 0\n[environments]\nENV_HOSTNAME = "web01"' });
});
afterAll(() => agent.stop());
afterEach(async () => {
  expect((await agent.send("/v1/ping")).status).toBe(200);
});

/** Sends bytes over a connection of its own; gives what came back until it was closed. */
function raw(url: string, text: string): Promise<string> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    let answer = "";
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(answer));
  });
}

describe("requests that cost", () => {
  it("100,000 headers", async () => {
    const headers = Array.from({ length: 100_000 }, (_, at) => `X-${at}: y\r\n`).join("");
    expect(await raw(agent.url, `GET /v1/ping HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`)).toMatch(
      /^HTTP\/1\.1 431 /,
    );
  });

  it("a header of 1 MiB", async () => {
    const long = "y".repeat(1024 * 1024);
    expect(await raw(agent.url, `GET /v1/ping HTTP/1.1\r\nHost: localhost\r\nX: ${long}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 /,
    );
  });

  it("headers drop by drop: cut off, while others are served", async () => {
    const patient = await startAgent({ config: '[http_api]\ntimeout = "2s"' });
    const { hostname, port } = new URL(patient.url);
    const sockets = Array.from({ length: 200 }, () => connect(Number(port), hostname));
    let closed = 0;
    const drops = sockets.map((socket) => {
      socket.on("error", () => {});
      socket.on("close", () => closed++);
      socket.write("GET /v1/ping HTTP/1.1\r\nHost: localhost\r\n");
      return setInterval(() => socket.write("X: y\r\n"), 100);
    });
    expect((await patient.send("/v1/ping")).status).toBe(200);
    await expect.poll(() => closed).toBe(sockets.length);
    for (const drop of drops) clearInterval(drop);
    expect((await patient.send("/v1/ping")).status).toBe(200);
    await patient.stop();
  });

  const size = 300 * 1024 * 1024;
  it.each([
    ["gzip", () => gzipSync(Buffer.alloc(size), { level: 9 })],
    ["br", () => brotliCompressSync(Buffer.alloc(size), { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })],
    ["zstd", () => zstdZeros(size)],
  ])("a %s bomb, wherever bodies are decompressed", async (encoding, bomb) => {
    const body = bomb();
    expect(body.length).toBeLessThan(size / 500);
    for (const path of ["/v1/write/metric", "/v1/write/logstreaming", "/v1/pipeline/debug"]) {
      const { status, text } = await agent.send(path, { body, headers: { "content-encoding": encoding } });
      // The debug interface takes no zstd at all.
      const isUnknown = encoding === "zstd" && path === "/v1/pipeline/debug";
      const refusal = isUnknown ? [400, "agent.decodeBodyFailed"] : [413, "agent.bodyTooLarge"];
      expect([path, status, JSON.parse(text).error_code]).toEqual([path, ...refusal]);
    }
    await expect.poll(() => agent.metric("agent_http_inflight_bytes")).toBe(0);
  });
});

describe("stacks of RUM errors that cost", () => {
  it.each([
    ["@ ", 500_000],
    ["at /", 250_000],
    [":1:1", 250_000],
    ["@ /:1:", 160_000],
    ["@//", 300_000],
    ["(/a:1:1", 140_000],
  ])("%j %i times is read once through", async (part, times) => {
    const stack = `at ${part.repeat(times)}`;
    let steps = 0;
    for (const { url } of framesOf(stack, true)) steps += url.length;
    expect(steps).toBeLessThanOrEqual(stack.length);
    const body = `error,app_id=a,sdk_name=web error_stack="${stack}" 1`;
    expect((await agent.send("/v1/write/rum", { body })).status).toBe(200);
  });
});

describe("JSON nested 100,000 deep", () => {
  const lists = "[".repeat(100_000) + "]".repeat(100_000);
  const objects = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
  const json = { headers: { "content-type": "application/json" } };

  it.each([
    ["/v1/write/metric", lists],
    ["/v1/write/metric", `[{"measurement":"m","fields":{"a":${lists}}}]`],
    ["/v1/write/metric", `[{"name":"m","fields":${objects}}]`],
    ["/v1/pipeline/debug", `{"category":"logging","pipeline":${objects}}`],
    ["/v1/dialtesting/debug", `{"task_type":"http","task":${objects}}`],
    ["/v1/object/labels", `{"object_class":"a","object_name":"b","key":"c","labels":[],"value":${lists}}`],
    ["/v1/lasterror", "[".repeat(50_000)],
    ["/v1/query/raw", `{"queries":[${objects}]}`],
  ])("%s refuses it", async (path, body) => {
    const { status } = await agent.send(path, { ...json, body });
    expect(status).toBe(400);
  });

  it("brackets in texts do not count", async () => {
    const text = JSON.stringify({ input: "a", err_content: `\\"${"[".repeat(5000)}` });
    expect((await agent.send("/v1/lasterror", { body: text })).status).toBe(200);
  });

  it("as the text of a log that a script parses", async () => {
    const { status, text } = await agent.send("/v1/pipeline/debug", {
      body: JSON.stringify({
        pipeline: { logging: { a: Buffer.from("x = load_json(_)\nadd_key(x, x)").toString("base64") } },
        script_name: "a",
        category: "logging",
        data: [Buffer.from(lists).toString("base64"), Buffer.from("[1]").toString("base64")],
      }),
    });
    expect(status).toBe(200);
    expect(JSON.parse(text).content.plresults[1].point.fields.x).toBe("[1]");
  });
});

describe("keys that name what every object has", () => {
  const keys = ["__proto__", "constructor", "toString", "hasOwnProperty"];

  it("are ordinary keys of points, in every form, and leave nothing behind", async () => {
    const tags = keys.map((key) => `${key}=t`).join(",");
    const line = await agent.send("/v1/write/metric?dry=1&echo=json", { body: `m,${tags} v=1i 1` });
    expect([line.status, Object.keys(JSON.parse(line.text)[0].tags).sort()]).toEqual([200, [...keys].sort()]);
    const text = `[{"measurement":"m","tags":{"__proto__":"polluted","constructor":"c"},"fields":{"__proto__":1,"prototype":2}}]`;
    const json = await agent.send("/v1/write/metric?dry=1&echo=lp", {
      body: text,
      headers: { "content-type": "application/json" },
    });
    expect([200, 400]).toContain(json.status);
    const next = await agent.send("/v1/write/metric?dry=1&echo=json", { body: "n v=1i 1" });
    expect(next.text).toBe('[{"measurement":"n","fields":{"v":1},"time":1000000000}]');
  });

  it("are ordinary names elsewhere", async () => {
    const send = async (path: string, body: string) => (await agent.send(path, { body })).status;
    expect(await send("/v1/write/logging?source=__proto__", "l v=1i 1")).toBe(200);
    expect(
      await send("/v1/pipeline/debug", '{"category":"__proto__","pipeline":{"__proto__":{"a":""}},"script_name":"a"}'),
    ).toBe(400);
    expect(
      await send("/v1/pipeline/debug", '{"category":"logging","pipeline":{"logging":{}},"script_name":"constructor"}'),
    ).toBe(400);
    const variables = '{"__proto__":{"name":"__proto__","value":"x"},"polluted":{"name":"constructor","value":"y"}}';
    expect(await send("/v1/dialtesting/debug", `{"task_type":"__proto__","task":{},"variables":${variables}}`)).toBe(
      400,
    );
    await agent.send("/v1/global/host/tags?__proto__=polluted&constructor=c", { method: "POST" });
    await agent.send("/v1/global/host/tags?tags=__proto__,constructor", { method: "DELETE" });
    expect((await agent.send("/v1/global/host/tags")).text).toBe('{"host-tags":{"host":"web01"}}');
  });

  it("in a script's maps", async () => {
    const script =
      'x = load_json(_)\nx["__proto__"] = {"polluted": 1}\ny = {}\nadd_key(found, y["polluted"])\nadd_key(x, x)';
    const { text } = await agent.send("/v1/pipeline/debug", {
      body: JSON.stringify({
        pipeline: { logging: { a: Buffer.from(script).toString("base64") } },
        script_name: "a",
        category: "logging",
        data: [Buffer.from('{"__proto__":{"polluted":2},"constructor":1}').toString("base64")],
      }),
    });
    const { fields } = JSON.parse(text).content.plresults[0].point;
    expect(fields.found ?? null).toBeNull();
    expect(fields.x).toContain('"__proto__":{"polluted":1}');
  });
});

describe("texts that mean to be headers", () => {
  let gateway: RecordingGateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.close());

  it("tag values and names stay in the body, one point a line", async () => {
    const sender = await startAgent({
      config: `[gateway]\nurls = ["${gateway.url}?token=t"]\n[io]\nflush_interval = "20ms"\n[environments]\nENV_HOSTNAME = "web01"`,
    });
    const evil = encodeURIComponent("a\r\nX-Evil: 1\r\n\r\nevil v=1i");
    await sender.send(`/v1/global/host/tags?cluster=${evil}`, { method: "POST" });
    await sender.send("/v1/write/logging?storage_index=abc", { body: "one v=1i 1" });
    const index = await sender.send(`/v1/write/logging?storage_index=${evil}`, { body: "two v=1i 1" });
    expect(index.status).toBe(400);
    await expect.poll(() => gateway.taken.length).toBe(1);
    const [{ headers, lines }] = gateway.taken;
    expect(Object.keys(headers)).not.toContain("x-evil");
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^one,host=web01,cluster=a.*X-Evil/s);
    await sender.stop();
  });

  it("a shard key's value makes no header of its own, and holds nothing up", async () => {
    const sender = await startAgent({
      config: `[gateway]\nurls = ["${gateway.url}?token=t"]\nenable_sinker = true\nglobal_customer_keys = ["cluster"]\n[io]\nflush_interval = "20ms"`,
    });
    const before = gateway.taken.length;
    const json = JSON.stringify([
      { measurement: "a", tags: { cluster: "x\r\nX-Evil: 1\0\u007f\r" }, fields: { v: 1 } },
      { measurement: "b", tags: { cluster: "\u65e5" }, fields: { v: 1 } },
    ]);
    const sent = await sender.send("/v1/write/metric", { body: json, headers: { "content-type": "application/json" } });
    expect(sent.status).toBe(200);
    await expect.poll(() => gateway.taken.length).toBe(before + 2);
    for (const { headers } of gateway.taken.slice(before)) {
      expect(Object.keys(headers)).not.toContain("x-evil");
      expect(headers["x-global-tags"]).toMatch(/^cluster=/);
    }
    await sender.stop();
  });

  it("an answer repeats only a trace id that is one", async () => {
    const echoed = async (id: string) =>
      (await agent.send("/v1/ping", { headers: { "x-trace-id": id } })).headers["x-trace-id"];
    expect(await echoed("trace_abc-1")).toBe("trace_abc-1");
    for (const odd of ["a b", "é", "x".repeat(129), ""]) expect(await echoed(odd)).toMatch(/^trace_[\da-f-]{36}$/);
    expect((await agent.send("/nope", { headers: { "x-trace-id": "t" } })).headers["x-trace-id"]).toBe("t");
  });
});

describe("X-Forwarded-For: 127.0.0.1 is not local", () => {
  it.each([
    ["GET", "/metrics"],
    ["GET", "/restart"],
    ["POST", "/v1/write/logstreaming"],
    ["POST", "/v1/pipeline/debug"],
    ["POST", "/v1/dialtesting/debug"],
    ["POST", "/v1/query/raw"],
    ["PUT", "/v1/sourcemap"],
    ["DELETE", "/v1/global/host/tags"],
    ["GET", "/nope"],
  ])("%s %s", async (method, path) => {
    for (const name of ["x-forwarded-for", "x-real-ip"]) {
      const { status, text } = await agent.send(path, { method, headers: { [name]: "127.0.0.1" } });
      expect([status, JSON.parse(text).error_code]).toEqual([403, "agent.publicAccessDisabled"]);
    }
  });
});
