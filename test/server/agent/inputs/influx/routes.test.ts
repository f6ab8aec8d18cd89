// The interfaces of InfluxDB 1 and 2 over real HTTP (docs/inputs.md#influx), also with InfluxDB's own clients.

import { gzipSync } from "node:zlib";
import { consoleLogger, InfluxDB, Point, setLogger } from "@influxdata/influxdb-client";
import { InfluxDB as InfluxDB1 } from "influx";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentProcess, type Sent, startAgent } from "../../../support/running-agent.ts";

let agent: AgentProcess;
beforeAll(async () => {
  agent = await startAgent({
    config: `[http_api]
request_rate_limit = 0
max_body_bytes = 65536
[environments]
ENV_HOSTNAME = "web01"
[inputs.influx]
enable = true
token = "se:cret"
database_tag = "db"
`,
    scripts: { "metric/scripted.p": 'set_tag(marked, "yes")' },
  });
});
afterAll(() => agent.stop());

const authorization = "Token se:cret";
const post = (path: string, body: Sent["body"], headers: Sent["headers"] = {}) =>
  agent.send(path, { body: body!, headers: { authorization, ...headers } });
const linesOf = async (name: string) =>
  (await agent.output("metric")).filter((line) => line.startsWith(`${name},`) || line.startsWith(`${name} `));

describe("an Influx write", () => {
  it.each([
    [
      "p1",
      "/write?db=d",
      "p1 v=9007199254740993i 1700000000123456789",
      "db=d,",
      "9007199254740993i 1700000000123456789",
    ],
    ["p2", "/write?db=d&precision=u", "p2 v=1.5 1700000000123456", "db=d,", "1.5 1700000000123456000"],
    ["p3", "/write?precision=m", "p3 v=t 28333333", "", "t 1699999980000000000"],
    ["p4", "/write?precision=h", "p4 v=1i 472222", "", "1i 1699999200000000000"],
    ["p5", "/write?precision=n", "p5 v=1i 5", "", "1i 5"],
    [
      "p6",
      "/api/v2/write?bucket=b&org=o&precision=ms",
      "p6 v=18446744073709551615u 1700000000123",
      "db=b,",
      "18446744073709551615u 1700000000123000000",
    ],
    ["p7", "/api/v2/write?precision=us", "p7 v=1i 1700000000123456", "", "1i 1700000000123456000"],
    ["p8", "/api/v2/write?precision=s", "p8 v=1i 1700000000", "", "1i 1700000000000000000"],
    ["p9", "/api/v2/write", "p9 v=1i 1700000000123456789", "", "1i 1700000000123456789"],
  ])("keeps the exact time and number of the point %s", async (name, path, body, tag, rest) => {
    const { status, text } = await post(path, body);
    expect([status, text]).toEqual([204, ""]);
    expect(await linesOf(name)).toEqual([`${name},${tag}host=web01 v=${rest}`]);
  });

  it("may be compressed, and runs the script named after its measurement", async () => {
    const { status } = await post("/write", gzipSync("scripted v=1i 1"), { "content-encoding": "gzip" });
    expect(status).toBe(204);
    expect(await linesOf("scripted")).toEqual(["scripted,host=web01,marked=yes v=1i 1"]);
  });

  it.each([
    ["/write", "Basic", Buffer.from("user:se:cret").toString("base64"), 204],
    ["/write", "Bearer", "se:cret", 204],
    ["/write", "Token", "user:se:cret", 204],
    ["/write", "Token", "other", 401],
    ["/api/v2/write", "Token", "se:cre", 401],
  ])("to %s with the authorization %s %s returns %i", async (path, scheme, token, status) => {
    const answer = await agent.send(path, { body: "auth v=1i", headers: { authorization: `${scheme} ${token}` } });
    expect(answer.status).toBe(status);
  });

  it("may pass its token in the parameter p", async () => {
    expect((await agent.send("/write?u=me&p=se:cret", { body: "auth v=1i" })).status).toBe(204);
  });

  it.each([
    ["v1: no token", "/write", "a v=1", "", 401, { error: "a token is missing: send the header Authorization" }],
    [
      "v2: no token",
      "/api/v2/write",
      "a v=1",
      "",
      401,
      { code: "unauthorized", message: "a token is missing: send the header Authorization" },
    ],
    [
      "v1: an unknown precision",
      "/write?precision=d",
      "a v=1",
      authorization,
      400,
      { error: 'invalid precision "d": use ns, us, ms, s, m or h' },
    ],
    [
      "v1: one bad line",
      "/write",
      "bad",
      authorization,
      400,
      { error: "1 line is left out, nothing is kept: line 1: unable to parse 'bad': missing fields" },
    ],
    [
      "v2: one bad line",
      "/api/v2/write",
      "bad",
      authorization,
      400,
      {
        code: "invalid",
        message: "1 line is left out, nothing is kept: line 1: unable to parse 'bad': missing fields",
      },
    ],
    ["v2: nothing", "/api/v2/write", "", authorization, 400, { code: "invalid", message: "writing requires points" }],
    ["v1: too much", "/write", "x".repeat(65537), authorization, 413, { error: "body exceeds 65536 bytes" }],
    [
      "v2: too much",
      "/api/v2/write",
      "x".repeat(65537),
      authorization,
      413,
      { code: "request too large", message: "body exceeds 65536 bytes" },
    ],
    [
      "v1: an unknown compression",
      "/write",
      "a v=1",
      authorization,
      400,
      { error: "the body cannot be decompressed; Content-Encoding may be gzip, deflate, br or zstd" },
    ],
  ])("is refused with an error in the format of InfluxDB: %s", async (name, path, body, auth, status, expected) => {
    const headers = {
      ...(auth === "" ? {} : { authorization: auth }),
      ...(name.includes("compression") ? { "content-encoding": "lz4" } : {}),
    };
    const answer = await agent.send(path, { method: "POST", body, headers });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([status, expected]);
    const named = path.startsWith("/api")
      ? answer.headers["x-platform-error-code"]
      : answer.headers["x-influxdb-error"];
    expect(named).toBe("code" in expected ? expected.code : expected.error);
  });

  it("is refused with 413 when it is a decompression bomb", async () => {
    const answer = await post("/write", gzipSync(Buffer.alloc(10_000_000, "a")), { "content-encoding": "gzip" });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([413, { error: "body exceeds 65536 bytes" }]);
  });

  it("with an empty body is accepted in version 1", async () => {
    expect((await agent.send("/write", { method: "POST", headers: { authorization } })).status).toBe(204);
  });

  it.each([
    ["/write", (text: string) => JSON.parse(text).error],
    ["/api/v2/write", (text: string) => JSON.parse(text).message],
  ])("to %s stores the valid lines when others are invalid", async (path, messageOf) => {
    const name = path === "/write" ? "part1" : "part2";
    const body = `${name} v=1i 1\nbad\n${name} v=2i 2\n# note\n${name} v=3i,s="two\nlines" 3\n${name} v=x 4\n`;
    const answer = await post(path, body);
    expect(answer.status).toBe(400);
    expect(messageOf(answer.text)).toMatch(
      /^2 lines are left out, the others are kept: line 2: unable to parse 'bad': missing fields; line 7: unable to parse 'part[12] v=x 4': /,
    );
    expect((await linesOf(name)).map((line) => line.replace(/.* (\d)$/, "$1"))).toEqual(["1", "2", "3"]);
  });

  it("gets a short error that names only three of many invalid lines", async () => {
    const answer = await post("/write", `${"x".repeat(2000)}\n`.repeat(20));
    expect(answer.text.length).toBeLessThan(1024);
    expect(JSON.parse(answer.text).error).toContain("; 17 more");
  });
});

describe("requests that Influx senders make when they start", () => {
  it.each([
    ["GET", "/ping", 204, ""],
    ["HEAD", "/ping", 204, ""],
    ["GET", "/ping?verbose=true", 200, '{"version":"1.8.10+millrace.'],
    [
      "GET",
      "/health",
      200,
      '{"name":"millrace","message":"ready for writes","status":"pass","checks":[],"version":"1.8.10+',
    ],
  ])("%s %s is answered without a token", async (method, path, status, start) => {
    const answer = await agent.send(path, { method });
    expect([answer.status, answer.text.slice(0, start.length)]).toEqual([status, start]);
    if (path.startsWith("/ping")) expect(answer.headers["x-influxdb-version"]).toMatch(/^1\.8\.10\+millrace\./);
  });

  it.each([
    ["POST", "CREATE DATABASE mydb", 200, { results: [{ statement_id: 0 }] }],
    [
      "GET",
      "show databases",
      200,
      { results: [{ statement_id: 0, series: [{ name: "databases", columns: ["name"] }] }] },
    ],
    ["GET", "SELECT * FROM a", 400, { error: "the agent takes writes only; ask the platform with POST /v1/query/raw" }],
  ])("%s /query is answered for the statement %s", async (method, statement, status, expected) => {
    const path = `/query?q=${encodeURIComponent(statement)}`;
    const answer = await agent.send(path, { method, headers: { authorization } });
    expect([answer.status, JSON.parse(answer.text)]).toEqual([status, expected]);
  });

  it("wrong methods and unknown paths get an error that names the write paths", async () => {
    const wrong = await agent.send("/write", { headers: { authorization } });
    expect([wrong.status, wrong.headers.allow, JSON.parse(wrong.text).error]).toEqual([
      405,
      "POST",
      "GET is not taken here; send to POST /write, POST /api/v2/write",
    ]);
    const unknown = await agent.send("/api/v2/query", { body: "from()" });
    expect([unknown.status, JSON.parse(unknown.text)]).toEqual([
      404,
      { code: "not found", message: "nothing takes POST /api/v2/query; send to POST /write, POST /api/v2/write" },
    ]);
  });
});

describe("InfluxDB's own clients", () => {
  it("of version 2 write points, and receive an error that names a bad line", async () => {
    const client = new InfluxDB({ url: agent.url, token: "se:cret" }).getWriteApi("org", "bucket2", "ns", {
      maxRetries: 0,
      gzipThreshold: 1,
    });
    client.writePoint(
      new Point("client2").tag("t", "a b").intField("i", "9007199254740991").timestamp("1700000000123456789"),
    );
    await client.close();
    expect(await linesOf("client2")).toEqual([
      "client2,db=bucket2,host=web01,t=a\\ b i=9007199254740991i 1700000000123456789",
    ]);
    const failing = new InfluxDB({ url: agent.url, token: "se:cret" }).getWriteApi("org", "b", "ns", {
      maxRetries: 0,
      writeFailed: (error) => {
        reason = error.message;
      },
    });
    let reason = "";
    failing.writeRecord("bad");
    // InfluxDB's client would print the failure on the console. So the test replaces the client's logger.
    setLogger({ error: () => {}, warn: () => {} });
    await failing.flush().catch(() => {});
    setLogger(consoleLogger);
    expect(reason).toContain("unable to parse 'bad': missing fields");
  });

  it("of version 1 create a database and write points", async () => {
    const client = new InfluxDB1({
      host: "127.0.0.1",
      port: Number(new URL(agent.url).port),
      database: "db1",
      username: "me",
      password: "se:cret",
    });
    await client.createDatabase("db1");
    expect((await client.ping(2000)).map(({ online }) => online)).toEqual([true]);
    await client.writePoints([
      { measurement: "client1", tags: { t: "x" }, fields: { v: 1.5 }, timestamp: new Date(1700000000123) },
    ]);
    expect(await linesOf("client1")).toEqual(["client1,t=x,db=db1,host=web01 v=1.5 1700000000123000000"]);
  });
});

it("Influx writes are counted in /metrics", async () => {
  const refused = await agent.metric('agent_input_push_refused_total{input="influx",status="401"}');
  await agent.send("/write", { body: "a v=1" });
  expect(await agent.metric('agent_input_push_refused_total{input="influx",status="401"}')).toBe(refused + 1);
  expect(await agent.metric('agent_input_push_info{input="influx",path="/write"}')).toBe(1);
  expect(await agent.metric('agent_input_push_rejected_item_total{input="influx"}')).toBeGreaterThan(20);
  expect(await agent.metric('agent_io_feed_total{name="influx",category="metric"}')).toBeGreaterThan(9);
});
