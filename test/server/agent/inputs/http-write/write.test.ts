// The route POST /v1/write/:category of the real agent (docs/reference/agent.md#writes).

import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentProcess, type Answer, startAgent } from "../../../support/running-agent.ts";
import { zstdZeros } from "../../../support/zstd-zeros.ts";

let agent: AgentProcess;

beforeAll(async () => {
  agent = await startAgent({
    config: '[http_api]\nrequest_rate_limit = 0\n[global_host_tags]\ndc = "x"\n[environments]\nENV_HOSTNAME = "web01"',
  });
});

afterAll(() => agent.stop());

const write = (path: string, body: string | Uint8Array, headers: Record<string, string> = {}): Promise<Answer> =>
  agent.send(`/v1/write/${path}`, { body, headers, method: "POST" });

const json = { "content-type": "application/json; charset=utf-8" };

describe("a plain write", () => {
  it("returns an empty 200 and forwards the points with the global tags", async () => {
    const { status, text, headers } = await write("metric", 'plain,host=a v=1i,s="x" 1700000000');
    expect([status, text, headers["content-length"], headers["content-type"]]).toEqual([200, "", "0", undefined]);
    expect(await agent.output("metric")).toContain("plain,dc=x,host=a v=1i 1700000000000000000");
  });

  it("adds the host tag to points without one, unless the request disables global tags", async () => {
    await write("metric", "tagged v=1i 1");
    await write("metric?ignore_global_host_tags=1", "bare v=1i 1");
    await write("metric?ignore_global_tags=1&global_election_tags=1", "elected v=1i 1");
    const lines = await agent.output("metric");
    expect(lines).toContain("tagged,dc=x,host=web01 v=1i 1000000000");
    expect(lines).toContain("bare v=1i 1000000000");
    expect(lines).toContain("elected,dc=x,host=web01 v=1i 1000000000");
  });

  it("writes nothing in a dry run", async () => {
    await write("metric?dry=false", "dry v=1i 1");
    await write("metric?dry=", "wet v=1i 1");
    const lines = await agent.output("metric");
    expect(lines.filter((line) => line.startsWith("dry"))).toEqual([]);
    expect(lines.filter((line) => line.startsWith("wet"))).toHaveLength(1);
  });

  it("accepts protobuf with any vendor name in the content type", async () => {
    const point = "0a110a016d12060a017518ac021880a8d6b907";
    const headers = { "content-type": "Application/Protobuf; proto=com.example.Point" };
    const { status, text } = await write("metric?echo=pbjson", Buffer.from(point, "hex"), headers);
    expect([status, text]).toEqual([
      200,
      '[{"name":"m","fields":[{"key":"u","u":"300"}],"time":"2000000000000000000"}]',
    ]);
    expect(await agent.output("metric")).toContain("m,dc=x,host=web01 u=300u 2000000000000000000");
  });

  it("accepts all ten categories", async () => {
    for (const category of "metric network keyevent object custom_object logging tracing rum security profiling".split(
      " ",
    )) {
      expect((await write(`${category}?dry=1`, "m v=1i 1")).status).toBe(200);
    }
  });

  it("counts its points under the input name of the request", async () => {
    await write("metric?input=probe", "m v=1i 1\nm v=2i 2");
    expect(await agent.metric('agent_io_feed_total{name="v1-write.probe",category="metric"}')).toBe(1);
    expect(await agent.metric('agent_io_feed_point_sum{name="v1-write.probe",category="metric"}')).toBe(2);
  });

  it("limits the number of input names that clients can add to the metrics", async () => {
    for (let at = 0; at < 250; at++) await write(`keyevent?input=made-up-${at}`, "m v=1i 1");
    expect(await agent.metric('agent_io_feed_total{name="v1-write.others",category="keyevent"}')).toBeGreaterThan(40);
    // A write that the agent refuses may also have an invented input name. A refused write must not add a label to the
    // metrics.
    for (let at = 0; at < 5; at++) await write(`keyevent?input=refused-${at}`, "no point");
    expect(await agent.metric('agent_io_feed_error_total{name="v1-write.others",category="keyevent"}')).toBe(5);
  });

  it("adds the address of the browser to RUM points", async () => {
    const { text } = await write("rum?dry=1&echo=lp", "view,city=Oslo v=1i 1", {
      "x-forwarded-for": "1.2.3.4, 5.6.7.8",
    });
    expect(text).toMatch(
      /^view,city=Oslo,country=[A-Z]{2},ip=1\.2\.3\.4,isp=unknown,province=unknown v=1i 1000000000$/,
    );
  });

  it.each([
    [{ "x-forwarded-for": "8.8.8.8" }, "US", "8.8.8.8"],
    [{ "x-forwarded-for": "2001:4860:4860::8888" }, "US", "2001:4860:4860::8888"],
    [{ "x-real-ip": "1.1.1.1" }, "AU", "1.1.1.1"],
    [{ "x-forwarded-for": "8.8.8.8", "x-real-ip": "1.1.1.1" }, "US", "8.8.8.8"],
    [{ "x-forwarded-for": "10.0.0.1" }, "unknown", "10.0.0.1"],
    [{ "x-forwarded-for": "no address" }, "unknown", "no\\ address"],
    [{ "x-forwarded-for": "8.8.8.8:443" }, "unknown", "8.8.8.8:443"],
    [{}, "unknown", "127.0.0.1"],
  ])("adds the country of a browser whose request has the headers %j: %s", async (headers, country, ip) => {
    const { text } = await write("rum?dry=1&echo=lp", "view v=1i 1", headers);
    expect(text).toBe(`view,city=unknown,country=${country},ip=${ip},isp=unknown,province=unknown v=1i 1000000000`);
  });
});

describe("echo", () => {
  it.each([
    [
      "metric?echo=lp&dry=1",
      'cpu,host=a v=1i,s="x" 1700000000',
      "cpu,host=a v=1i 1700000000000000000",
      "text/plain; charset=utf-8",
    ],
    [
      "logging?echo=json&dry=1",
      "l a.b=1i 1700000000000",
      '[{"measurement":"l","fields":{"a_b":1,"status":"unknown"},"time":1700000000000000000}]',
      "application/json",
    ],
    [
      "logging?echo=pbjson&dry=1",
      "l a.b=1i 1700000000000",
      '[{"name":"l","fields":[{"key":"a_b","i":"1"},{"key":"status","s":"unknown"}],"time":"1700000000000000000","warns":[{"type":"dot_in_key","message":"invalid field key `a.b\': found `.\'"},{"type":"add_required_kv","message":"add required key-value \\"status\\": \\"unknown\\""}]}]',
      "application/json",
    ],
    ["metric?echo_line_proto=1", "m v=1i 1", "m v=1i 1000000000", "text/plain; charset=utf-8"],
    ["metric?echo_json=1", "m v=1i 1", '[{"measurement":"m","fields":{"v":1},"time":1000000000}]', "application/json"],
    ["metric?echo=lp&echo=json&echo_json=1", "m v=1i 1", "m v=1i 1000000000", "text/plain; charset=utf-8"],
    ["metric?echo=&echo_json=1&echo_line_proto=1", "m v=1i 1", "m v=1i 1000000000", "text/plain; charset=utf-8"],
    ["metric?echo=xml", "m v=1i 1", "", undefined],
    ["metric?echo=xml&echo_json=1", "m v=1i 1", "", undefined],
    ["metric?echo=lp&precision=ms", "m v=1i 1", "m v=1i 1000000", "text/plain; charset=utf-8"],
    ["metric?echo=lp&precision=us", "m v=1i 1", "m v=1i 1000", "text/plain; charset=utf-8"],
    ["metric?echo=lp&precision=ns", "m v=1i 1", "m v=1i 1", "text/plain; charset=utf-8"],
  ])("%s", async (path, body, echo, type) => {
    const answer = await write(path, body);
    expect([answer.status, answer.text, answer.headers["content-type"]]).toEqual([200, echo, type]);
  });

  it("shows the receive time for points without a time", async () => {
    const before = Date.now();
    const { text } = await write("metric?echo=lp&dry=1", '[{"measurement":"","fields":{"a":1.5}}]', json);
    const [, name, time] = /^(\S+ \S+) (\d+)$/.exec(text)!;
    expect(name).toBe("__default a=1.5");
    expect(Number(time) / 1e6).toBeGreaterThanOrEqual(before - 1);
    expect(Number(time) / 1e6).toBeLessThanOrEqual(Date.now() + 1);
  });

  it("accepts PBJSON with any vendor name in the content type", async () => {
    const body = '[{"name":"m","fields":[{"key":"i","i":"9007199254740993"}],"time":"1700000000000000000"}]';
    const { text } = await write("metric?echo=lp&dry=1", body, {
      "content-type": "application/pbjson; proto=com.example.Point",
    });
    expect(text).toBe("m i=9007199254740993i 1700000000000000000");
  });
});

describe("compressed bodies", () => {
  const line = "m v=1i 1\n";
  // The compressed form of `line`: the output of `printf 'm v=1i 1\n' | zstd | base64`.
  const zstd = Buffer.from("KLUv/QRYSQAAbSB2PTFpIDEKJyyYsA==", "base64");

  it.each([
    ["gzip", gzipSync(line)],
    ["deflate", deflateSync(line)],
    ["deflate", deflateRawSync(line)],
    ["br", brotliCompressSync(line)],
    ["zstd", zstd],
  ])("are accepted with %s, by parameter and by header", async (encoding, body) => {
    expect((await write(`metric?dry=1&echo=lp&encoding=${encoding}`, body)).text).toBe("m v=1i 1000000000");
    expect((await write("metric?dry=1&echo=lp", body, { "content-encoding": encoding })).text).toBe(
      "m v=1i 1000000000",
    );
  });

  it("are decoded by the parameter before the header; an empty parameter has no effect", async () => {
    const send = async (query: string, encoding: string) =>
      (await write(`metric?dry=1&echo=lp&${query}`, gzipSync(line), { "content-encoding": encoding })).text;
    expect(await send("encoding=gzip", "br")).toBe("m v=1i 1000000000");
    expect(await send("encoding=", "gzip")).toBe("m v=1i 1000000000");
    expect(await send("encoding=br", "gzip")).toBe('{"error_code":"agent.decodeBodyFailed"}');
  });

  it.each(["gzip", "deflate", "br", "zstd", "lz4", "GZIP"])("refuses what is no %s", async (encoding) => {
    const { status, text } = await write(`metric?encoding=${encoding}`, "bad");
    expect([status, text]).toEqual([400, '{"error_code":"agent.decodeBodyFailed"}']);
  });

  it("are refused when the checksum of a zstd body is wrong", async () => {
    const hurt = Buffer.from(zstd);
    hurt[hurt.indexOf("=1i") + 1] = "2".charCodeAt(0);
    const { status, text } = await write("metric?encoding=zstd", hurt);
    expect([status, text]).toEqual([400, '{"error_code":"agent.decodeBodyFailed"}']);
  });

  it("are refused when a gzip body is cut off", async () => {
    const { text } = await write("metric?encoding=gzip", gzipSync(line.repeat(1000)).subarray(0, 40));
    expect(text).toBe('{"error_code":"agent.decodeBodyFailed"}');
  });
});

describe("bad input gets its documented error, and the next write works", () => {
  const refused = async (answer: Answer, status: number, code: string, message?: string): Promise<void> => {
    expect(answer.status).toBe(status);
    expect(answer.headers["content-type"]).toBe("application/json");
    const body = JSON.parse(answer.text);
    expect(body.error_code).toBe(code);
    if (message !== undefined) expect(body.message).toBe(message);
    expect((await write("metric?dry=1&echo=lp", "next v=1i 1")).text).toBe("next v=1i 1000000000");
  };

  it("text that is not line protocol", async () => {
    const message =
      "invalid lineprotocol: unable to parse 'a: b'(pos: 1): invalid field format\nwith 0 point parse ok, 1 points failed. Origin data: \"a: b\"";
    await refused(await write("metric", "a: b"), 400, "agent.invalidLinePoint", message);
    // The error message has several lines, but the log shows it on one line.
    await expect
      .poll(() => agent.log())
      .toContain(`write metric: agent.invalidLinePoint: ${message.replace("\n", "\\n")}\n`);
  });

  it("one bad line among good ones, after which no line is written", async () => {
    const body =
      "some1,t1=1,t2=v2 f1=1i,f2=3\nsome2,t1=1,t2 f1=1i,f2=3\nsome3,t1=1,t2=v3 f1=1i,f2=3\nsome2,t1=1,t2 f1=1i,f2=\n";
    const message = `invalid lineprotocol: unable to parse 'some2,t1=1,t2 f1=1i,f2=3'(pos: 29): missing tag value
unable to parse 'some2,t1=1,t2 f1=1i,f2='(pos: 82): missing tag value
with 2 point parse ok, 2 points failed. Origin data: ${JSON.stringify(body)}`;
    await refused(await write("metric", body), 400, "agent.invalidLinePoint", message);
    expect((await agent.output("metric")).filter((line) => line.startsWith("some"))).toEqual([]);
  });

  it("an unknown category", async () => {
    await refused(await write("nope", "m v=1i 1"), 400, "agent.invalidCategory", 'invalid URL "/v1/write/nope"');
  });

  it("an empty body", async () => {
    const answer = await write("metric", "");
    expect(answer.text).toBe('{"error_code":"agent.emptyBody"}');
    await refused(answer, 400, "agent.emptyBody");
  });

  it("a body that is empty after decompression", async () => {
    await refused(await write("metric?encoding=gzip", gzipSync("")), 400, "agent.invalidLinePoint", "empty data");
  });

  it("a precision that is no unit of time", async () => {
    for (const [sent, shown] of [
      ["parsec", "parsec"],
      ["S", "S"],
      ["x".repeat(2000), `${"x".repeat(32)}...`],
    ]) {
      const message = `invalid precision "${shown}": one of n, ns, u, us, ms, s, m, h is expected`;
      await refused(await write(`metric?precision=${sent}`, "m v=1i 1"), 400, "agent.badRequest", message);
    }
  });

  it("JSON objects that are no points, such as those of loggers", async () => {
    const message =
      'point 0: has none of measurement, tags and fields; a point is {"measurement":"app","tags":{"host":"web01"},"fields":{"message":"text"},"time":1700000000}; JSON logs of any form go to POST /v1/write/logstreaming';
    for (const dry of ["", "?dry=1"]) {
      const answer = await write(`logging${dry}`, '[{"level":"warn","message":"x"}]', json);
      await refused(answer, 400, "agent.invalidJsonPoint", message);
    }
    expect((await write("logging?dry=1", "[{}]", json)).status).toBe(200);
  });

  it("a body without points", async () => {
    await refused(await write("metric", "# only a comment"), 400, "agent.noPoints");
    await refused(await write("metric", "[]", json), 400, "agent.noPoints");
  });

  it("JSON that is no array of points", async () => {
    await refused(await write("metric", '{"a":1}', json), 400, "agent.invalidJsonPoint");
    await refused(await write("metric", "[null]", json), 400, "agent.invalidJsonPoint", "point 0 is null");
    await refused(await write("metric", "[{", json), 400, "agent.invalidJsonPoint");
  });

  it("malformed protobuf", async () => {
    const type = { "content-type": "application/protobuf; proto=com.example.Point" };
    await refused(await write("metric", "x", type), 400, "agent.invalidProtobufPoint", "unexpected EOF");
  });

  it.each([
    ["logging", "l a.b=1i 1", "dot_in_key: invalid field key `a.b': found `.'"],
    ["logging", 'ok status="ok" 1\nl v=1i 1', 'add_required_kv: add required key-value "status": "unknown"'],
    ["object", "o v=1i 1", 'add_required_kv: add required key-value "name": "default"'],
    ["custom_object", "o v=1i 1", 'add_required_kv: add required key-value "name": "default"'],
  ])("a point with a warning in strict mode: %s %j", async (category, body, message) => {
    await refused(await write(`${category}?strict=1`, body), 400, "agent.pointGotWarning", message);
    expect((await write(`${category}?dry=1`, body)).status).toBe(200);
  });

  it("a duplicate tag in strict mode", async () => {
    await refused(await write("metric?strict=1", "m,a=1,a=1 v=1i 1"), 400, "agent.invalidLinePoint");
    expect((await write("metric?dry=1", "m,a=1,a=1 v=1i 1")).status).toBe(200);
  });

  it("an invalid storage index, which is ignored outside of logging", async () => {
    const answer = await write("logging?storage_index=9x", "l v=1i 1");
    await refused(answer, 400, "agent.invalidStorageIndex", 'invalid storage_index "9x"');
    expect((await write("metric?storage_index=9x", "m v=1i 1")).status).toBe(200);
  });

  it("a gzip bomb", async () => {
    const bomb = gzipSync(Buffer.alloc(300 * 1024 * 1024, 0x61), { level: 9 });
    expect(bomb.length).toBeLessThan(400_000);
    await refused(await write("metric?encoding=gzip", bomb), 413, "agent.bodyTooLarge");
  });

  it("a zstd bomb", async () => {
    // The body consists of zstd run-length blocks. Each block takes four bytes and decompresses to 128 KiB.
    await refused(await write("metric?encoding=zstd", zstdZeros(300 * 1024 * 1024)), 413, "agent.bodyTooLarge");
  });

  it("a body whose declared length is too large", async () => {
    const answer = await agent.send("/v1/write/metric", {
      method: "POST",
      body: Buffer.alloc(64 * 1024 * 1024 + 1, 0x61),
    });
    await refused(answer, 413, "agent.bodyTooLarge");
  });

  it("an invalid content type, which is read as line protocol", async () => {
    const { text } = await write("metric?dry=1&echo=lp", "m v=1i 1", { "content-type": "((" });
    expect(text).toBe("m v=1i 1000000000");
  });

  it("a path with an invalid percent-encoding", async () => {
    await refused(await write("%zz", "m v=1i 1"), 400, "agent.badRequest", 'invalid URL "/v1/write/%zz"');
  });

  it("a string field of 33 MiB, which is truncated with a warning", async () => {
    const body = `l status="ok",s="${"a".repeat(33 * 1024 * 1024)}" 1`;
    const { status, text } = await write("logging?dry=1&echo=pbjson", body);
    expect(status).toBe(200);
    const [point] = JSON.parse(text);
    expect(point.fields.find((field: { key: string }) => field.key === "s").s).toHaveLength(32 * 1024 * 1024);
    expect(point.warns).toEqual([
      {
        type: "exceed_max_field_value_len",
        message: "field (s) exceed max field value length(33554432), got 34603008, value truncated",
      },
    ]);
    expect((await write("metric?dry=1&echo=lp", "next v=1i 1")).text).toBe("next v=1i 1000000000");
  });
});
