// The route POST /v1/pipeline/debug, which runs a script on given data, against the real agent
// (docs/reference/agent.md#script-debugging).

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type AgentProcess, startAgent } from "../../support/running-agent.ts";

let agent: AgentProcess;

beforeAll(async () => {
  agent = await startAgent();
});

afterAll(() => agent.stop());

const base64 = (text: string) => Buffer.from(text).toString("base64");

interface Asked {
  readonly script?: string;
  readonly data?: readonly string[];
  readonly [member: string]: unknown;
}

/**
 * Returns the body of a request, with the given members changed. `script` and `data` are given as plain text and
 * encoded to base64.
 */
function request({ script = 'grok(_, "%{INT:n:int}")', data = ["abc 42"], ...members }: Asked = {}) {
  const category = typeof members.category === "string" ? members.category : "logging";
  return {
    pipeline: { [category]: { main: base64(script) } },
    script_name: "main",
    category,
    data: data.map(base64),
    ...members,
  };
}

const post = (body: unknown, to = agent) =>
  to.send("/v1/pipeline/debug", { body: typeof body === "string" ? body : JSON.stringify(body) });

async function content(asked: Asked, to = agent) {
  const { status, text } = await post(request(asked), to);
  expect(status).toBe(200);
  return JSON.parse(text).content;
}

describe("a debug run", () => {
  it("returns each point with its members in a fixed order", async () => {
    const { status, headers, text } = await post(
      request({ script: 'add_key(big, 9007199254740993)\nset_tag(t, "v")\nadd_key(f, 2.5)' }),
    );
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("application/json");
    expect(headers["x-trace-id"]).toMatch(/^trace_/);
    expect(text).toMatch(
      /^\{"content":\{"cost":"[\d.]+(?:ns|µs|ms|s)","benchmark":"","pl_errors":\[\],"plresults":\[\{"point":\{"dropped":false,"name":"main","tags":\{"t":"v"\},"fields":\{"message":"abc 42","status":"unknown","big":9007199254740993,"f":2\.5\},"time":\d{10},"time_ns":\d{1,9}\},"dropped":false,"create_point":null,"run_error":null\}\]\}\}$/,
    );
  });

  it("keeps a text item whole and returns one result per item", async () => {
    const { plresults } = await content({ data: ["a\nb", "c"], data_type: "text/plain; charset=utf-8" });
    expect(plresults.map((each: { point: { fields: { message: string } } }) => each.point.fields.message)).toEqual([
      "a\nb",
      "c",
    ]);
  });

  it("reads text as a log in each category", async () => {
    const pipeline = { metric: { main: Buffer.from("add_key(seen, message)").toString("base64") } };
    const { plresults } = await content({ category: "metric", pipeline, data: ["a"], data_type: "text/plain" });
    expect(plresults[0].point).toMatchObject({ name: "main", fields: { message: "a", status: "unknown", seen: "a" } });
  });

  it("marks dropped points and shows created ones", async () => {
    const script = 'drop()\ncreate_point("made", {"t": "v"}, {"f": 1}, 1700000000000000001, "M")';
    const [result] = (await content({ script })).plresults;
    expect([result.dropped, result.point.dropped]).toEqual([true, true]);
    expect(result.create_point).toEqual([
      { dropped: false, name: "made", tags: { t: "v" }, fields: { f: 1 }, time: 1700000000, time_ns: 1 },
    ]);
  });

  it("reads line protocol for other categories, several points from one item", async () => {
    const { plresults } = await content({
      category: "metric",
      script: "add_key(x, 1)",
      data: ["m v=1i 1700000000000000005\nm v=2i"],
    });
    expect(plresults).toHaveLength(2);
    expect(plresults[0].point).toMatchObject({ name: "m", fields: { v: 1, x: 1 }, time: 1700000000, time_ns: 5 });
  });

  it.each([
    ["application/json; charset=utf-8", '[{"measurement":"m","fields":{"v":1},"time":1700000000000000005}]'],
    ["application/pbjson", '[{"name":"m","fields":[{"key":"v","i":"1"}],"time":"1700000000000000005"}]'],
  ])("reads points of %s", async (data_type, text) => {
    const { plresults } = await content({ category: "metric", script: "add_key(x, 1)", data: [text], data_type });
    expect(plresults).toMatchObject([
      { point: { name: "m", fields: { v: 1, x: 1 }, time: 1700000000, time_ns: 5 }, run_error: null },
    ]);
  });

  it("appends aggregated points with the global tags, and forgets the aggregation afterwards", async () => {
    const script = 'x = 2\nadd_key(w, "w")\nagg_create("b")\nagg_metric("b", "s", "sum", ["w"], "x")';
    for (let round = 0; round < 2; round++) {
      const { plresults } = await content({ script, data: ["one", "two"] });
      expect(plresults.map(({ point }: { point: { name: string } }) => point.name)).toEqual(["main", "main", "b"]);
      const { point, ...rest } = plresults[2];
      expect(rest).toEqual({ dropped: false, create_point: null, run_error: null });
      expect(point).toMatchObject({
        dropped: false,
        tags: { w: "w", host: expect.stringMatching(/./) },
        fields: { s: 4 },
      });
    }
  });

  it("reads a log that is not line protocol as text, item by item", async () => {
    const { plresults } = await content({
      data: ["no points", "l v=1i 1"],
      data_type: "application/line-protocol",
      script: "" + "add_key(x, 1)",
    });
    expect(plresults[0].point.fields.message).toBe("no points");
    expect(plresults[1].point).toMatchObject({ name: "l", fields: { v: 1 } });
  });

  it("reads texts in GB 18030", async () => {
    const asked = request({ script: "add_key(x, 1)", encode: "GBK" });
    const { text } = await post({ ...asked, data: [Buffer.from([0xd6, 0xd0, 0xce, 0xc4]).toString("base64")] });
    expect(JSON.parse(text).content.plresults[0].point.fields.message).toBe("中文");
  });

  it("calls the other scripts of the category", async () => {
    const asked = request({ script: 'use("other.p")' });
    const pipeline = { logging: { ...asked.pipeline.logging, other: base64('add_key(from, "other")') } };
    const { text } = await post({ ...asked, pipeline });
    expect(JSON.parse(text).content.plresults[0].point.fields.from).toBe("other");
  });

  it("reports a script that does not compile before it reports broken data", async () => {
    const asked = request({ script: "x = 1\nadd_key(" });
    const { status, text } = await post({ ...asked, data: ["!"] });
    expect(status).toBe(200);
    const { pl_errors: errors, plresults, cost } = JSON.parse(text).content;
    expect([plresults, cost]).toEqual([[], ""]);
    expect(errors).toHaveLength(1);
    expect(errors[0].pos_chain[0]).toMatchObject({ file: "main.p", ln: 2 });
  });

  it("reports a runtime error with its position", async () => {
    const { plresults } = await content({ script: "add_key(a, 1)\nz = a - 1\nx = a / z" });
    expect(plresults).toMatchObject([
      { point: null, dropped: false, create_point: null, run_error: { error: "integer division by zero" } },
    ]);
    expect(plresults[0].run_error.pos_chain[0]).toMatchObject({ file: "main.p", ln: 3 });
  });

  it("returns a benchmark when the request asks for one", async () => {
    const { benchmark } = await content({ benchmark: true });
    expect(benchmark).toMatch(/^ *\d+\t *[\d.]+ ns\/op$/);
  });
});

describe("a script that uses too much memory", () => {
  const nested = "l = [1]\nfor i = 0; i < 40; i += 1 { l = [l, l] }\nadd_key(x, l)";
  const points = 'for ;; { create_point("p", {}, {"f": 1}) }';

  it.each([
    ["a list that holds itself, forty times", nested, 3],
    ["points without end", points, 1],
  ])("ends with an error at the statement, and the other points are processed: %s", async (_, script, ln) => {
    const { plresults } = await content({ script: `if _ == "bad" {}\n${script}`, data: ["one"] });
    expect(plresults).toMatchObject([
      {
        point: null,
        run_error: { error: "values of the script exceed 67108864 bytes", pos_chain: [{ file: "main.p", ln: ln + 1 }] },
      },
    ]);
  });

  it("has the configured limit, also in a write", async () => {
    const small = await startAgent({
      config: "[pipeline]\nmax_bytes_per_point = 10000",
      scripts: { "logging/large.p": 'for i = 0; i < 100; i += 1 { create_point("p", {}, {"f": 1}) }' },
    });
    onTestFinished(() => small.stop());
    const { plresults } = await content({ script: points, data: ["one"] }, small);
    expect(plresults).toMatchObject([{ run_error: { error: "values of the script exceed 10000 bytes" } }]);
    const { status } = await small.send("/v1/write/logging?source=large", { body: 'a message="x"' });
    expect(status).toBe(200);
    await expect.poll(() => small.log()).toContain("values of the script exceed 10000 bytes");
  });
});

describe("an endless script", () => {
  const endless = { script: "for ;; {}", data: ["one"] };
  let hasty: AgentProcess;
  beforeAll(async () => {
    hasty = await startAgent({ args: ["--debug-deadline-ms", "2500"] });
  });
  afterAll(() => hasty.stop());

  it("is ended at its deadline", async () => {
    const { plresults } = await content(endless, hasty);
    expect(plresults).toMatchObject([{ point: null, run_error: { error: "script exceeded 2.5s" } }]);
  });

  it("delays no write", async () => {
    const patient = await startAgent({ args: ["--debug-deadline-ms", "600000"] });
    onTestFinished(() => patient.kill());
    let ended = false;
    const end = () => {
      ended = true;
    };
    patient.send("/v1/pipeline/debug", { body: JSON.stringify(request(endless)) }).then(end, end);
    await expect.poll(() => patient.metric("agent_http_inflight_bytes")).toBeGreaterThan(0);
    for (let writes = 0; writes < 20; writes++) {
      expect((await patient.send("/v1/write/metric", { body: `m v=${writes}i` })).status).toBe(200);
    }
    expect(ended).toBe(false);
  });

  it("does not prevent the script from running on the points after it", async () => {
    const script = 'if grok(_, "^loop") {\nfor ;; {}\n}\nadd_key(x, 1)';
    const { plresults } = await content({ script, data: ["a", "loop", "b"] }, hasty);
    const seen = plresults.map((each: { run_error: { error: string } | null }) => each.run_error?.error ?? "ok");
    expect(seen).toEqual(["ok", "script exceeded 2.5s", "ok"]);
  });
});

describe("refused debug requests", () => {
  const big = "#".repeat(1024 * 1024 + 1);

  it.each([
    ["no JSON", "{", "agent.invalidRequest", undefined],
    ["no object", "[]", "agent.invalidRequest", "a JSON object is needed"],
    [
      "a member of the wrong type",
      request({ benchmark: "yes" }),
      "agent.invalidRequest",
      "benchmark must be a boolean",
    ],
    ["an unknown category", { category: "else" }, "agent.invalidCategory", "invalid category"],
    ["no scripts", { category: "logging" }, "agent.invalidPipeline", "invalid pipeline"],
    ["no map of the category", { ...request(), pipeline: { metric: {} } }, "agent.invalidPipeline", "invalid pipeline"],
    ["a script that is not there", request({ script_name: "x" }), "agent.invalidPipeline", "invalid pipeline"],
    [
      "a script that is no base64",
      { ...request(), pipeline: { logging: { main: "YQ=" } } },
      "agent.invalidData",
      "illegal base64 data at input byte 3",
    ],
    ["a script that is too long", request({ script: big }), "agent.invalidData", "script size exceeds 1MB limit"],
    [
      "data that is no base64",
      { ...request(), data: ["*"] },
      "agent.invalidData",
      "illegal base64 data at input byte 0",
    ],
    [
      "protobuf",
      request({ data_type: "application/protobuf", category: "metric", data: ["x"] }),
      "agent.invalidData",
      "unexpected EOF",
    ],
    [
      "JSON that is no list",
      request({ data_type: "application/json", category: "metric", data: ["{}"] }),
      "agent.invalidData",
      undefined,
    ],
    [
      "data that is no point",
      request({ category: "metric", data: ["a: b"] }),
      "agent.invalidData",
      "invalid lineprotocol: unable to parse 'a: b'(pos: 1): invalid field format\nwith 0 point parse ok, 1 points failed. Origin data: \"a: b\"",
    ],
  ])("%s", async (_name, body, code, message) => {
    const { status, text } = await post(body);
    const answer = JSON.parse(text);
    expect([status, answer.error_code]).toEqual([400, code]);
    if (message === undefined) expect(answer.message).not.toBe("");
    else expect(answer.message).toBe(message);
  });

  it("data that is too long", async () => {
    const { status, text } = await post({
      ...request(),
      data: [Buffer.alloc(32 * 1024 * 1024 + 1, 0x61).toString("base64")],
    });
    expect([status, JSON.parse(text).message]).toEqual([400, "data size exceeds 32MB limit"]);
  });

  it("accepts the name of the script with its suffix", async () => {
    expect((await content({ script_name: "main.p" })).plresults[0].point.fields.n).toBe(42);
  });
});
