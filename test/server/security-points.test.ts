// Points that cost the client nothing: those without a field are answered and kept nowhere, many of them are refused, and what is
// written stays in proportion to what was sent.

import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { measure } from "./attack.ts";
import { startGateway } from "./recording-gateway.ts";
import { type AgentProcess, startAgent } from "./running-agent.ts";

const json = { "content-type": "application/json" };
const gzip = { "content-encoding": "gzip" };

describe("an agent that writes to files", () => {
  let agent: AgentProcess;
  beforeAll(async () => {
    agent = await startAgent({
      config: '[http_api]\nrequest_rate_limit = 0\n[global_host_tags]\nfrom = "here"',
      scripts: { "logging/mark.p": 'add_key(marked, "yes")\n' },
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
    ["object", '[{"measurement":"m"}]', '[{"name":"m","fields":[],"time":"T"}]'],
    ["metric", '[{"measurement":"m"}]', '[{"name":"m","fields":[],"time":"T"}]'],
  ])("%s %s is echoed without a default, and written nowhere", async (category, body, echo) => {
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

  it("an object with tags only gets its name and is written", async () => {
    const body = '[{"measurement":"HOST","tags":{"a":"b"}}]';
    expect((await agent.send("/v1/write/object", { body, headers: json })).status).toBe(200);
    expect(await agent.output("object")).toEqual([
      expect.stringMatching(/^HOST,a=b,from=here,host=\S+ name="default" \d+$/),
    ]);
  });

  it("of a body with both, the points with a field are written and run through the script", async () => {
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

  it("line protocol may hold as many points as fit its bytes", async () => {
    const body = gzipSync("m n=1i 1\n".repeat(200_001));
    expect((await agent.send("/v1/write/metric?dry=1", { body, headers: gzip })).status).toBe(200);
  });

  it.each([
    ["what is written", "/v1/write/logging", "m n=1i 1\n"],
    ["what is echoed", "/v1/write/logging?dry=1&echo=json", "m n=1i 1\n"],
  ])("%s stays within 16 MiB and 100 bytes for each byte that was sent", async (_name, path, line) => {
    const before = (await agent.output("logging")).length;
    const body = gzipSync(line.repeat(2_000_000), { level: 9 });
    const { status, text } = await agent.send(path, { body, headers: gzip });
    const most = 16 * 1024 * 1024 + 100 * body.length;
    expect([status, JSON.parse(text).message]).toEqual([
      413,
      `the points take more than ${most} bytes as they are written ([http_api] max_growth)`,
    ]);
    expect((await agent.output("logging")).length).toBe(before);
  });

  it.each([
    ["5 million {}", `[{}${",{}".repeat(4_999_999)}]`, json],
    ["5 million lines", "m n=1i 1\n".repeat(5_000_000), {}],
  ])("%s in gzip fill no disk", async (name, text, headers) => {
    const body = gzipSync(text, { level: 9 });
    const before = (await agent.output("logging")).length;
    const attack = { name, url: agent.url, pid: agent.pid, sent: `${body.length} bytes of gzip` };
    const { answer, peakMb } = await measure(attack, async () => {
      const { status } = await agent.send("/v1/write/logging", { body, headers: { ...headers, ...gzip } });
      return String(status);
    });
    expect(answer).toBe("413");
    expect(peakMb).not.toBeGreaterThan(512);
    expect((await agent.output("logging")).length).toBe(before);
  });
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
