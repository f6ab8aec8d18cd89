// POST /v1/write/logstreaming and GET /restart (docs/reference/agent.md#log-streams).

import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type AgentProcess, type Sent, startAgent } from "../../../support/running-agent.ts";

describe("log streaming", () => {
  let agent: AgentProcess;
  beforeAll(async () => {
    agent = await startAgent({
      config: '[http_api]\nrequest_rate_limit = 0\n[environments]\nENV_HOSTNAME = "web01"',
      scripts: { "logging/mark.p": 'set_tag(marked, "yes")' },
    });
  });
  afterAll(() => agent.stop());

  const stream = (query: string, body: string | Uint8Array, headers: Sent["headers"] = {}) =>
    agent.send(`/v1/write/logstreaming?${query}`, { body, headers });
  const linesOf = async (source: string) =>
    (await agent.output("logging"))
      .filter((line) => line.startsWith(`${source},`))
      .map((line) => line.replace(/ \d{19}$/, " T"));

  it("turns each line into a log, with the status unknown", async () => {
    const { status, text, headers } = await stream("source=plain&tags=a=b,c=d=e,odd,=x", 'one "1"\r\n\ntwo\n');
    expect([status, text, headers["content-type"]]).toEqual([200, '{"status":"success"}', "application/json"]);
    const tags = "a=b,c=d\\=e,host=web01,ip_or_hostname=127.0.0.1,service=plain";
    expect(await linesOf("plain")).toEqual([
      `plain,${tags} message="one \\"1\\"",status="unknown" T`,
      `plain,${tags} message="two",status="unknown" T`,
    ]);
  });

  it("reads the source, the service and the script from the query", async () => {
    await stream("service=api&pipeline=mark.p", "x");
    expect((await linesOf("default"))[0]).toMatch(
      /^default,host=web01,ip_or_hostname=127\.0\.0\.1,marked=yes,service=api /,
    );
  });

  it("accepts line protocol with a precision", async () => {
    expect((await stream("type=influxdb&precision=s&source=unused", "lp,service=own v=1i 1700000000")).status).toBe(
      200,
    );
    const [line] = (await agent.output("logging")).filter((each) => each.startsWith("lp,"));
    expect(line).toBe('lp,service=own,ip_or_hostname=127.0.0.1,host=web01 v=1i,status="unknown" 1700000000000000000');
  });

  it.each([
    ["application/json", '{"level":"warn","message":"x","time":1700000000.5,"n":9007199254740993}\n'],
    ["application/x-ndjson", '{"level":"warn","message":"x","time":1700000000.5,"n":9007199254740993}'],
    ["application/json; charset=utf-8", '[{"level":"warn","message":"x","time":1700000000.5,"n":9007199254740993}]'],
  ])("reads JSON logs of the type %s before it runs their script", async (type, body) => {
    const source = `json${type.length}`;
    const { status } = await stream(`source=${source}&pipeline=mark.p`, body, { "content-type": type });
    expect(status).toBe(200);
    expect((await agent.output("logging")).filter((each) => each.startsWith(`${source},`))).toEqual([
      `${source},host=web01,ip_or_hostname=127.0.0.1,marked=yes,service=${source} level="warn",message="x",n=9007199254740993i,status="warning" 1700000000500000000`,
    ]);
  });

  it("reads JSON with another content type as plain lines", async () => {
    await stream("source=text", '{"message":"x"}', { "content-type": "text/plain" });
    expect((await linesOf("text"))[0]).toContain('message="{\\"message\\":\\"x\\"}"');
  });

  it("accepts the JSON records of a log router with type=firelens", async () => {
    const records = [
      {
        log: "said",
        date: 1700000000.123456,
        source: "stdout",
        container: "c1",
        count: 9007199254740991,
        nested: { a: [1] },
      },
      { date: 1700000001 },
    ];
    expect((await stream("type=firelens&source=fl", JSON.stringify(records))).status).toBe(200);
    const lines = (await agent.output("logging")).filter((each) => each.startsWith("fl,"));
    expect(lines[0]).toContain('message="said"');
    expect(lines[0]).toContain('firelens_source="stdout"');
    expect(lines[0]).toContain('container="c1"');
    expect(lines[0]).toContain("count=9007199254740991");
    expect(lines[0]).toContain('nested="{\\"a\\":[1]}"');
    expect(lines[0]).toMatch(/ 1700000000123456000$/);
    expect(lines[1]).toMatch(/ 1700000001000000000$/);
  });

  it.each([
    ["", ""],
    ["type=firelens", "{"],
    ["type=firelens", "{}"],
    ["type=firelens", "[1]"],
    ["type=influxdb", "a: b"],
    ["storage_index=BAD", "x"],
    ["type=influxdb&precision=x", "a v=1i 1"],
    ["", '{"a":1}\nno JSON', "application/json"],
  ])("returns 400 with an empty body for %j %j", async (query, body, type = "") => {
    const { status, text } = await stream(query, body, { "content-type": type });
    expect([status, text]).toEqual([400, ""]);
  });

  it("refuses clients that are not local, and omits the source tags when configured", async () => {
    expect((await stream("", "x", { "x-real-ip": "8.8.8.8" })).status).toBe(403);
    const bare = await startAgent({ config: "[logstreaming]\nignore_url_tags = true" });
    await bare.send("/v1/write/logstreaming", { body: "x" });
    expect((await bare.output("logging"))[0]).not.toMatch(/service=|ip_or_hostname=/);
    await bare.stop();
  });
});

describe("/restart", () => {
  it("reloads the configuration for a client that knows the token", async () => {
    const configOf = (tag: string) =>
      `[gateway]\nurls = ["http://127.0.0.1:9?token=t1"]\n[global_host_tags]\ntag = "${tag}"\n[environments]\nENV_HOSTNAME = "web01"\n`;
    const agent = await startAgent({ config: configOf("old") });
    onTestFinished(() => agent.stop());
    for (const query of ["", "?token=", "?token=t2"]) {
      const { status, text } = await agent.send(`/restart${query}`);
      expect([status, text]).toEqual([403, '{"error_code":"agent.invalidToken"}']);
    }
    writeFileSync(path.join(agent.dataDir, "agent.toml"), configOf("new"));
    const { status, text } = await agent.send("/restart?token=t1");
    expect([status, text]).toEqual([200, ""]);
    await expect.poll(() => agent.log()).toMatch(/configuration reloaded, listening on/);
    const url = /configuration reloaded, listening on (\S+)/.exec(agent.log())![1];
    expect(JSON.parse((await agent.send("/v1/global/host/tags", {}, url)).text)["host-tags"].tag).toBe("new");
  });

  it("is refused without a gateway, since the token is that of the gateway", async () => {
    const agent = await startAgent();
    onTestFinished(() => agent.stop());
    expect((await agent.send("/restart?token=")).status).toBe(403);
  });
});
