// Malicious clients: the agent refuses their requests, stays within its limits, and still answers the next client.

import { readFileSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { framesOf } from "../../../server/agent/source-maps/frames.ts";
import { type RecordingGateway, startGateway } from "../support/recording-gateway.ts";
import { type AgentProcess, startAgent } from "../support/running-agent.ts";
import { zstdZeros } from "../support/zstd-zeros.ts";

let agent: AgentProcess;
beforeAll(async () => {
  agent = await startAgent({ config: '[http_api]\nrequest_rate_limit = 0\n[environments]\nENV_HOSTNAME = "web01"' });
});
afterAll(() => agent.stop());
afterEach(async () => {
  expect((await agent.send("/v1/ping")).status).toBe(200);
});

/** Sends bytes over a new connection and returns everything that the server sends until it closes the connection. */
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

describe("expensive requests", () => {
  it("100,000 headers are refused with 431", async () => {
    const headers = Array.from({ length: 100_000 }, (_, at) => `X-${at}: y\r\n`).join("");
    expect(await raw(agent.url, `GET /v1/ping HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`)).toMatch(
      /^HTTP\/1\.1 431 /,
    );
  });

  it("a header of 1 MiB is refused with 431", async () => {
    const long = "y".repeat(1024 * 1024);
    expect(await raw(agent.url, `GET /v1/ping HTTP/1.1\r\nHost: localhost\r\nX: ${long}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 /,
    );
  });

  it("headers that arrive slowly are cut off, while other clients are served", async () => {
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
  ])("a %s bomb is refused wherever bodies are decompressed", async (encoding, bomb) => {
    const body = bomb();
    expect(body.length).toBeLessThan(size / 500);
    for (const path of ["/v1/write/metric", "/v1/write/logstreaming", "/v1/pipeline/debug"]) {
      const { status, text } = await agent.send(path, { body, headers: { "content-encoding": encoding } });
      expect([path, status, JSON.parse(text).error_code]).toEqual([path, 413, "agent.bodyTooLarge"]);
    }
    await expect.poll(() => agent.metric("agent_http_inflight_bytes")).toBe(0);
  });
});

describe("expensive stacks of RUM errors", () => {
  it.each([
    ["@ ", 500_000],
    ["at /", 250_000],
    [":1:1", 250_000],
    ["@ /:1:", 160_000],
    ["@//", 300_000],
    ["(/a:1:1", 140_000],
  ])("%j repeated %i times is read in a single pass", async (part, times) => {
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
  ])("is refused by %s", async (path, body) => {
    const { status } = await agent.send(path, { ...json, body });
    expect(status).toBe(400);
  });

  it("brackets inside texts are not counted", async () => {
    const text = JSON.stringify({ input: "a", err_content: `\\"${"[".repeat(5000)}` });
    expect((await agent.send("/v1/lasterror", { body: text })).status).toBe(200);
  });

  it("does no harm as the text of a log that a script parses", async () => {
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

describe("keys with the names of members that every JavaScript object has", () => {
  const keys = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"];
  const script = (text: string) => Buffer.from(text).toString("base64");

  /** After each test with hostile keys, an ordinary request must still get its usual answer. */
  afterEach(async () => {
    const next = await agent.send("/v1/write/metric?dry=1&echo=json", { body: "n v=1i 1" });
    expect(next.text).toBe('[{"measurement":"n","fields":{"v":1},"time":1000000000}]');
    const json = await agent.send("/v1/write/metric?dry=1&echo=json", {
      body: '[{"measurement":"n","fields":{"v":1},"time":1}]',
      headers: { "content-type": "application/json" },
    });
    expect(json.text).toBe(next.text);
    expect((await agent.send("/v1/global/host/tags")).text).toBe('{"host-tags":{"host":"web01"}}');
    expect((await agent.send("/v1/env_variable?app_id=polluted")).text).toBe('{"content":{}}');
  });

  const members = (value: (key: string) => unknown) =>
    keys.map((key) => `${JSON.stringify(key)}:${JSON.stringify(value(key))}`).join(",");
  const tagText = members((key) => `t-${key}`);
  const fieldText = members(() => 1);
  const listed = (value: object, prefix: string) =>
    keys.map((key) => JSON.stringify({ key: `${prefix}${key}`, ...value })).join(",");

  it.each<[form: string, type: string, body: string, echo: string]>([
    [
      "tags of line protocol",
      "text/plain",
      `m,${keys.map((key) => `${key}=t-${key}`).join(",")} v=1i 1`,
      `[{"measurement":"m","tags":{TAGS},"fields":{"v":1},"time":1000000000}]`,
    ],
    [
      "fields of line protocol",
      "text/plain",
      `m ${keys.map((key) => `${key}=1i`).join(",")} 1`,
      `[{"measurement":"m","fields":{FIELDS},"time":1000000000}]`,
    ],
    [
      "tags of JSON",
      "application/json",
      `[{"measurement":"m","tags":{${tagText}},"fields":{"v":1},"time":1}]`,
      `[{"measurement":"m","tags":{TAGS},"fields":{"v":1},"time":1000000000}]`,
    ],
    [
      "fields of JSON",
      "application/json",
      `[{"measurement":"m","fields":{${fieldText}},"time":1}]`,
      `[{"measurement":"m","fields":{FIELDS},"time":1000000000}]`,
    ],
    [
      "tags and fields of PBJSON",
      "application/pbjson",
      `[{"name":"m","fields":[${listed({ s: "t", is_tag: true }, "")},${listed({ i: "1" }, "f-")}],"time":"1000000000000000000"}]`,
      `[{"measurement":"m","tags":{${members(() => "t")}},"fields":{${keys.map((key) => `"f-${key}":1`).join(",")}},"time":1000000000000000000}]`,
    ],
    [
      "members beside those of a JSON point",
      "application/json",
      `[{"measurement":"m","fields":{"v":1},"time":1,${members(() => ({ measurement: "polluted", tags: { a: "b" } }))}}]`,
      '[{"measurement":"m","fields":{"v":1},"time":1000000000}]',
    ],
  ])("are ordinary keys of points, and are returned as they were sent: %s", async (_form, type, body, echo) => {
    const sent = { body, headers: { "content-type": type } };
    const { status, text } = await agent.send("/v1/write/metric?dry=1&echo=json", sent);
    const sorted = (all: readonly string[]) => [...all].sort();
    expect(status).toBe(200);
    const [wanted] = JSON.parse(echo.replace("TAGS", tagText).replace("FIELDS", fieldText));
    const [point] = JSON.parse(text);
    expect(point).toEqual(wanted);
    for (const part of ["tags", "fields"]) {
      expect(sorted(Object.keys(point[part] ?? {}))).toEqual(sorted(Object.keys(wanted[part] ?? {})));
    }
    expect((await agent.send("/v1/write/metric", sent)).status).toBe(200);
  });

  it.each(["__proto__", "constructor", "prototype"])("a tag %s that is no text is refused by its name", async (key) => {
    const body = `[{"measurement":"m","tags":{"${key}":{"polluted":"x"}},"fields":{"v":1}}]`;
    const { status, text } = await agent.send("/v1/write/metric", {
      body,
      headers: { "content-type": "application/json" },
    });
    const message = `point 0: tags: value of "${key}" must be a string, got an object`;
    expect([status, JSON.parse(text)]).toEqual([400, { error_code: "agent.invalidJsonPoint", message }]);
  });

  it("have no meaning as names of query parameters", async () => {
    const query = keys.map((key) => `${key}=lp&${key}[echo]=lp`).join("&");
    const { status, text } = await agent.send(`/v1/write/metric?${query}`, { body: "m v=1i 1" });
    expect([status, text]).toEqual([200, ""]);
    for (const key of keys) {
      expect((await agent.send(`/v1/write/logging?source=${key}`, { body: "l v=1i 1" })).status).toBe(200);
      expect((await agent.send(`/v1/env_variable?app_id=${key}`)).text).toBe('{"content":{}}');
    }
  });

  it("can be set, shown, used and deleted as names of tags", async () => {
    const query = keys.map((key) => `${key}=t-${key}`).join("&");
    const set = await agent.send(`/v1/global/host/tags?${query}`, { method: "POST" });
    const all = JSON.parse(set.text)["host-tags"];
    expect(Object.keys(all)).toEqual(["host", ...keys].sort());
    for (const key of keys) expect(Object.getOwnPropertyDescriptor(all, key)?.value).toBe(`t-${key}`);
    const deleted = await agent.send(`/v1/global/host/tags?tags=${keys}`, { method: "DELETE" });
    expect(deleted.text).toContain('"host-tags":{"host":"web01"}');
  });

  it("can be names, keys and values of labelled objects, and never replace requested members", async () => {
    const put = async (body: string) => {
      const { status, text } = await agent.send("/v1/object/labels", { body });
      return [status, text];
    };
    const value = `{${members(() => ({ polluted: 1 }))}}`;
    const object = `"object_class":"__proto__","object_name":"constructor","key":"prototype","value":${value}`;
    const [status, text] = await put(
      `{${object},"labels":${JSON.stringify(keys)},${members(() => ({ key: "other" }))}}`,
    );
    expect([status, text]).toEqual([200, expect.stringMatching(/^\{"content":\{"_id":"[0-9a-f]{40}"\}\}$/)]);
    const [kept] = Object.values(JSON.parse(readFileSync(path.join(agent.dataDir, "object-labels.json"), "utf8")));
    expect(JSON.stringify(kept)).toBe(`{${object},"labels":${JSON.stringify(keys)}}`);
    const inherited = `{"__proto__":{"object_class":"a","object_name":"b","key":"c","labels":[]}}`;
    const message = "object_class must be a string";
    expect(await put(inherited)).toEqual([400, JSON.stringify({ error_code: "agent.invalidRequest", message })]);
  });

  it.each([
    ['{"task_type":"__proto__","task":{}}', "unknown task type:__PROTO__"],
    [
      '{"task_type":"tcp","task":{"__proto__":{"host":"h"},"port":"1","success_when":[{}]}}',
      "host should not be empty",
    ],
    ['{"task_type":"tcp","task":{"host":"{{constructor}}"}}', "variable 'constructor' not defined"],
    [
      '{"task_type":"tcp","task":{"host":"{{__proto__}}"},"variables":{"__proto__":{"name":"__proto__","value":"127.0.0.9"}}}',
      "dest host [127.0.0.9] is not allowed to be tested",
    ],
    [
      '{"task_type":"tcp","task":{"host":"{{x}}"},"variables":{"constructor":{"__proto__":{"name":"x","value":"y"}}}}',
      "variable 'x' not defined",
    ],
  ])("are ordinary names in dial tests: %s", async (body, message) => {
    const { status, text } = await agent.send("/v1/dialtesting/debug", { body });
    expect([status, JSON.parse(text).error_code]).toEqual([400, "agent.invalidRequest"]);
    expect(JSON.parse(text).message).toContain(message);
  });

  it("are ordinary names of scripts, and no categories", async () => {
    const debug = async (category: string, pipeline: string, name: string) => {
      const body = `{"category":"${category}","pipeline":${pipeline},"script_name":"${name}","data":["eA=="]}`;
      const { status, text } = await agent.send("/v1/pipeline/debug", { body });
      return [status, JSON.parse(text)];
    };
    const run = script('add_key(from, "own")');
    for (const key of ["__proto__", "constructor"]) {
      const [status, { content }] = await debug("logging", `{"logging":{"${key}":"${run}"}}`, key);
      expect([status, content.plresults[0].point.fields.from]).toEqual([200, "own"]);
      const none = [400, { error_code: "agent.invalidPipeline", message: "invalid pipeline" }];
      expect(await debug("logging", `{"logging":{"a":"${run}"}}`, key)).toEqual(none);
      const odd = [400, { error_code: "agent.invalidCategory", message: "invalid category" }];
      expect(await debug(key, `{"${key}":{"a":"${run}"}}`, "a")).toEqual(odd);
    }
  });

  it("are ordinary keys in a script's maps", async () => {
    const text = `x = load_json(_)
${keys.map((key) => `x["${key}"] = {"polluted": 1}`).join("\n")}
y = {}
add_key(found, y["polluted"])
${keys.map((key, at) => `add_key(own${at}, y["${key}"])`).join("\n")}
add_key(x, x)`;
    const body = {
      pipeline: { logging: { a: script(text) } },
      script_name: "a",
      category: "logging",
      data: [script('{"__proto__":{"polluted":2},"constructor":1}')],
    };
    const answer = await agent.send("/v1/pipeline/debug", { body: JSON.stringify(body) });
    const { fields } = JSON.parse(answer.text).content.plresults[0].point;
    for (const name of ["found", ...keys.map((_, at) => `own${at}`)]) expect(fields[name] ?? null).toBeNull();
    const x = JSON.parse(fields.x);
    expect(Object.keys(x).sort()).toEqual([...keys].sort());
    for (const key of keys) expect(Object.getOwnPropertyDescriptor(x, key)?.value).toEqual({ polluted: 1 });
  });
});

describe("texts that look like headers", () => {
  let gateway: RecordingGateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.close());

  it("stay in the body as tag values and names, one point a line", async () => {
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

  it("add no header and block nothing as the value of a shard key", async () => {
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

  it("are not repeated in an answer unless they are a valid trace id", async () => {
    const echoed = async (id: string) =>
      (await agent.send("/v1/ping", { headers: { "x-trace-id": id } })).headers["x-trace-id"];
    expect(await echoed("trace_abc-1")).toBe("trace_abc-1");
    for (const odd of ["a b", "é", "x".repeat(129), ""]) expect(await echoed(odd)).toMatch(/^trace_[\da-f-]{36}$/);
    expect((await agent.send("/nope", { headers: { "x-trace-id": "t" } })).headers["x-trace-id"]).toBe("t");
  });
});
