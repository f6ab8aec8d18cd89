// The agent's answers to requests with an unknown path. The answer is an error in the format of the protocol to
// which such paths belong, or a hint that names the path which the client probably meant.

import { describe, expect, it, onTestFinished } from "vitest";
import { answerUnknown, suggestedPath } from "../../../../../server/agent/inputs/push/unknown-path.ts";
import { type Config, defaults } from "../../../../../server/config/schema.ts";
import { startAgent } from "../../../support/running-agent.ts";

const off = defaults();
const on: Config = {
  ...off,
  "inputs.influx.enable": true,
  "inputs.loki.enable": true,
  "inputs.elasticsearch.enable": true,
};
const told = (method: string, path: string, config: Config) => {
  const answer = answerUnknown(method, path, config);
  return answer && [answer.status, String(answer.body)];
};

describe("a request of a known protocol", () => {
  const hint = (name: string, title: string) =>
    `${title} are off here: set enable = true in [inputs.${name}] of the agent's configuration`;

  it.each([
    ["POST", "/write", '{"error":"INFLUX"}'],
    ["POST", "/api/v2/write", '{"code":"not found","message":"INFLUX"}'],
    ["GET", "/ping", '{"error":"INFLUX"}'],
    ["POST", "/loki/api/v1/push", "LOKI\n"],
    [
      "POST",
      "/services/collector/event",
      '{"text":"The requested URL was not found on this server.","code":404,"message":"SPLUNK"}',
    ],
    ["POST", "/v1/write/json-lines", '{"error_code":"agent.inputOff","message":"JSON"}'],
  ])("%s %s gets a hint how to enable the input", (method, path, expected) => {
    const body = expected
      .replace("INFLUX", hint("influx", "Influx writes"))
      .replace("LOKI", hint("loki", "Loki pushes"))
      .replace("SPLUNK", hint("splunk_hec", "Splunk HEC events"))
      .replace("JSON", hint("json_lines", "JSON lines"));
    expect(told(method, path, off)).toEqual([404, body]);
  });

  it.each(["/_bulk", "/elasticsearch/_bulk", "/logs/_bulk", "/_template/x"])(
    "%s gets the hint in the format of Elasticsearch",
    (path) => {
      const [status, body] = told("POST", path, off)!;
      expect([status, JSON.parse(body as string).error.reason]).toEqual([
        404,
        hint("elasticsearch", "Elasticsearch bulk requests"),
      ]);
    },
  );

  it.each([
    ["GET", "/write", 405, '{"error":"GET is not taken here; send to POST /write, POST /api/v2/write"}'],
    ["GET", "/loki/ready", 404, "nothing takes GET /loki/ready; send to POST /loki/api/v1/push\n"],
  ])("%s %s gets the right method and path when the input is enabled", (method, path, status, body) => {
    expect(told(method, path, on)).toEqual([status, body]);
  });

  it("gets a shortened form of a long path in the answer", () => {
    expect((told("GET", `/loki/${"x".repeat(5000)}`, on)![1] as string).length).toBeLessThan(1024);
  });
});

it.each(["/", "/v1/write/other", "/health", "/metrics", "/writes", "/x/y"])("%s belongs to no protocol", (path) => {
  expect(answerUnknown("GET", path, off)).toBeUndefined();
});

const known = [
  "/v1/write/logging",
  "/v1/write/metric",
  "/prom_remote_write",
  "/v1/traces",
  "/v1/logs",
  "/v1/ping",
  "/metrics",
];
it.each([
  ["/v1/write/loging", "/v1/write/logging"],
  ["/v1/pings", "/v1/ping"],
  ["/metric", "/metrics"],
  ["/api/v1/prom/remote/write", "/prom_remote_write"],
  ["/api/v1/write/remote-write", "/prom_remote_write"],
  ["/api/traces", "/v1/traces"],
  ["/ingest/logs", "/v1/write/logging"],
  ["/x", undefined],
  [`/log${"s".repeat(300)}`, undefined],
])("for the path %s, the suggested path is %s", (path, expected) => {
  expect(suggestedPath(path, known)).toBe(expected);
});

it("the agent returns the hints over HTTP and in its 404 page, unless the page is disabled", async () => {
  const agent = await startAgent();
  onTestFinished(() => agent.stop());
  const write = await agent.send("/api/v2/write?bucket=b", { body: "a v=1" });
  expect([write.status, write.headers["content-type"], JSON.parse(write.text).code]).toEqual([
    404,
    "application/json",
    "not found",
  ]);
  expect(JSON.parse((await agent.send("/v1/write/json-lines", { body: "{}" })).text).error_code).toBe("agent.inputOff");
  expect(JSON.parse((await agent.send("/v1/write/other", { body: "{}" })).text).error_code).toBe(
    "agent.invalidCategory",
  );
  const page = await agent.send("/v1/trace", { body: "x" });
  expect([page.status, page.text]).toEqual([
    404,
    expect.stringContaining("<p>Did you mean <code>/v1/traces</code>?</p>"),
  ]);
  expect((await agent.send("/nothing/like/it")).text).not.toContain("Did you mean");
  const silent = await startAgent({ config: "[http_api]\ndisable_404page = true" });
  onTestFinished(() => silent.stop());
  expect((await silent.send("/write", { body: "a v=1" })).text).toBe("404 page not found");
});
