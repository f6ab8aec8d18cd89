// Splunk's HTTP Event Collector over real HTTP (docs/inputs.md#splunk-hec).

import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentProcess, startAgent } from "../../../support/running-agent.ts";

const config = (more: string) => `[http_api]
request_rate_limit = 0
max_body_bytes = 65536
max_points = 20
[environments]
ENV_HOSTNAME = "web01"
[inputs.splunk_hec]
enable = true
token = "abc"
${more}`;

let agent: AgentProcess;
beforeAll(async () => {
  agent = await startAgent({ config: config("") });
});
afterAll(() => agent.stop());

const headers = { authorization: "Splunk abc" };
const send = (path: string, body: string | Uint8Array, more: Record<string, string> = {}) =>
  agent.send(path, { method: "POST", body, headers: { ...headers, ...more } });
const linesOf = async (name: string) => (await agent.output("logging")).filter((line) => line.startsWith(`${name},`));

describe("HEC events", () => {
  it.each(["", "/event", "/event/1.0", "/1.0"])("at /services/collector%s become logs", async (end) => {
    const name = `type${end.length}`;
    const answer = await send(
      `/services/collector${end}?index=main&host=unused`,
      `{"time":1700000000.123456789,"host":"h1","source":"/a.log","sourcetype":"${name}","event":"said","fields":{"env":"prod","n":9007199254740993}}` +
        `{"time":"1700000001","sourcetype":"${name}","event":{"level":"warn","message":"two","n":18446744073709551615}}\n` +
        `{"sourcetype":"${name}","event":5}`,
    );
    expect([answer.status, JSON.parse(answer.text)]).toEqual([200, { text: "Success", code: 0 }]);
    const [first, second, third] = await linesOf(name);
    expect(first).toBe(
      `${name},env=prod,host=h1,splunk_index=main,splunk_source=/a.log message="said",n=9007199254740993i,status="unknown" 1700000000123456789`,
    );
    expect(second).toBe(
      `${name},host=unused,splunk_index=main level="warn",message="two",n=18446744073709551615u,status="warning" 1700000001000000000`,
    );
    expect(third).toContain('message="5"');
  });

  it("may be sent as raw lines", async () => {
    const answer = await send("/services/collector/raw?sourcetype=rawlines&source=s", gzipSync("one\r\n\ntwo {\n"), {
      "content-encoding": "gzip",
    });
    expect(answer.status).toBe(200);
    expect((await linesOf("rawlines")).map((line) => /message="[^"]*"/.exec(line)![0])).toEqual([
      'message="one"',
      'message="two {"',
    ]);
  });

  it.each([
    ["nothing", "", 400, 5, undefined],
    ["blank lines", " \n", 400, 5, undefined],
    ["no JSON", "x", 400, 6, 0],
    ["a broken second event", '{"event":"kept not"}{"event":', 400, 6, 1],
    ["no event", '{"host":"h"}', 400, 12, 0],
    ["a blank event", '{"event":"a"}{"event":""}', 400, 13, 1],
    ["a list of fields", '{"event":"a","fields":[1]}', 400, 15, 0],
    ["a time that is none", '{"event":"a","time":"soon"}', 400, 6, 0],
    ["deep events", `{"event":${"[".repeat(1200)}`, 400, 6, 0],
    ["too many events", '{"event":"a"}'.repeat(21), 413, 6, undefined],
    ["too much", "x".repeat(65537), 413, 6, undefined],
  ])("are refused as a whole: %s", async (_, body, status, code, number) => {
    const before = (await agent.output("logging")).length;
    const answer = await send("/services/collector/event", body);
    const { code: itsCode, "invalid-event-number": its } = JSON.parse(answer.text);
    expect([answer.status, itsCode, its]).toEqual([status, code, number]);
    expect(await agent.output("logging")).toHaveLength(before);
  });

  it.each([
    [undefined, 401, 2, "Token is required"],
    ["Splunk other", 403, 4, "Invalid token"],
    [`Basic ${Buffer.from("x:abc").toString("base64")}`, 200, 0, "Success"],
  ])("with the authorization %s are answered %i", async (authorization, status, code, text) => {
    const answer = await agent.send("/services/collector", {
      body: '{"event":"a"}',
      headers: authorization === undefined ? {} : { authorization },
    });
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([status, { text, code }]);
  });
});

it("returns its health without a token", async () => {
  for (const path of ["/services/collector/health", "/services/collector/health/1.0"]) {
    const answer = await agent.send(path);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([200, { text: "HEC is healthy", code: 17 }]);
  }
});

it("returns 404 in the format of HEC for an unsupported path", async () => {
  const answer = await agent.send("/services/collector/validate", { body: "{}" });
  expect([answer.status, JSON.parse(answer.text).code]).toEqual([404, 404]);
});

describe("acknowledgements", () => {
  it("are off by default", async () => {
    const answer = await send("/services/collector/ack?channel=c", '{"acks":[0]}');
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([400, { text: "ACK is disabled", code: 14 }]);
  });

  it("need a channel, and confirm events that are on disk", async () => {
    const own = await startAgent({ config: config("ack = true") });
    try {
      const ask = (path: string, body: string, more: Record<string, string> = {}) =>
        own.send(path, { body, headers: { ...headers, ...more } });
      const missing = await ask("/services/collector", '{"event":"a"}');
      expect([missing.status, JSON.parse(missing.text)]).toMatchObject([
        400,
        { text: "Data channel is missing", code: 10 },
      ]);
      const channel = { "x-splunk-request-channel": "0aeeac95-ac74-4aa9-b30d-6c4c0ac581ba" };
      const [one, two] = [
        JSON.parse((await ask("/services/collector", '{"event":"a"}', channel)).text),
        JSON.parse((await ask("/services/collector/raw?channel=c", "a")).text),
      ];
      expect([one.code, two.ackId - one.ackId]).toEqual([0, 1]);
      const acks = await ask("/services/collector/ack", JSON.stringify({ acks: [one.ackId, two.ackId] }), channel);
      expect(JSON.parse(acks.text)).toEqual({ acks: { [one.ackId]: true, [two.ackId]: true } });
      expect((await own.output("logging")).length).toBe(2);
      const wrong = await ask("/services/collector/ack", '{"acks":["x"]}', channel);
      expect([wrong.status, JSON.parse(wrong.text).code]).toEqual([400, 6]);
    } finally {
      await own.stop();
    }
  });
});
