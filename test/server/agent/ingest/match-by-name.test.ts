// The agent may choose the script of a point by the point's name instead of its source. It does so without any setting
// for log streams, Prometheus remote writes and OTLP, and for other writes only if the configuration says so.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentProcess, startAgent } from "../../support/running-agent.ts";

const scripts = {
  "logging/a.p": 'set_tag(ran, "a")',
  "logging/b.p": 'set_tag(ran, "b")\nif grok(_, "^bad") {\ndrop()\n}',
  "logging/fails.p": 'set_tag(ran, "fails")\nz = 1 - 1\nx = 1 / z',
  "logging/any.p": 'set_tag(ran, "any")',
  "tracing/shop.p": 'set_tag(ran, "shop")',
  "rum/app_view.p": 'set_tag(ran, "app")',
  "security/check.p": 'set_tag(ran, "check")',
  "keyevent/alert.p": 'set_tag(ran, "alert")',
  "metric/m.p": 'set_tag(ran, "m")',
};
const base = '[http_api]\nrequest_rate_limit = 0\nworkers = 2\n[environments]\nENV_HOSTNAME = "web01"\n';

/**
 * Returns for each point its name and its tag `ran`. Each script of this file sets this tag to the script's own name.
 */
const ranIn = async (agent: AgentProcess, category: string) =>
  (await agent.output(category)).map((line) => [line.split(/[, ]/)[0], /,ran=(\w+)/.exec(line)?.[1]]);

describe("matching scripts by name, with the default setting", () => {
  let agent: AgentProcess;
  beforeAll(async () => {
    agent = await startAgent({ config: base, scripts });
  });
  afterAll(() => agent.stop());

  it("runs the script named after the source on streamed logs, and counts its points", async () => {
    await agent.send("/v1/write/logstreaming?source=b", { body: "good\nbad\nbetter" });
    await agent.send("/v1/write/logstreaming?source=none", { body: "x" });
    await agent.send("/v1/write/logstreaming?source=b&pipeline=a.p", { body: "named" });
    expect(await ranIn(agent, "logging")).toEqual([
      ["b", "b"],
      ["b", "b"],
      ["none", undefined],
      ["b", "a"],
    ]);
    const counter = (name: string) => `agent_pipeline_${name}_total{category="logging",name="b.p",namespace="default"}`;
    expect(await agent.metric(counter("point"))).toBe(3);
    expect(await agent.metric(counter("drop_point"))).toBe(1);
  });

  it("selects the script for each point of a request separately", async () => {
    const body = ["a", "b", "other", "fails", "a"].map((name) => `${name} message="x" 1`).join("\n");
    const before = (await agent.output("logging")).length;
    await agent.send("/v1/write/logstreaming?type=influxdb", { body });
    expect((await ranIn(agent, "logging")).slice(before)).toEqual([
      ["a", "a"],
      ["b", "b"],
      ["other", undefined],
      ["fails", "fails"],
      ["a", "a"],
    ]);
    await expect.poll(() => agent.log()).toContain("script logging/fails.p failed on 1 points: ");
  });

  it("counts each point and logs each failure only under the name of the script that ran", async () => {
    const agent = await startAgent({ config: base, scripts });
    try {
      const body = ["a", "fails", "b", "fails"].map((name) => `${name} message="bad" 1`).join("\n");
      await agent.send("/v1/write/logstreaming?type=influxdb", { body });
      const { text } = await agent.send("/metrics");
      const counts = [...text.matchAll(/^agent_pipeline_(\w+)_total{category="logging",name="([^"]+)".*} (\d+)$/gm)];
      expect(counts.map(([, what, name, count]) => `${what} ${name} ${count}`)).toEqual([
        "point a.p 1",
        "point fails.p 2",
        "point b.p 1",
        "drop_point a.p 0",
        "drop_point fails.p 0",
        "drop_point b.p 1",
        "error_point a.p 0",
        "error_point fails.p 2",
        "error_point b.p 0",
      ]);
      await expect.poll(() => agent.log()).toContain("script logging/fails.p failed on 2 points: ");
      expect(agent.log().match(/ failed on /g)).toHaveLength(1);
    } finally {
      await agent.stop();
    }
  });

  it("selects the script of a span by its service name", async () => {
    const span = { traceId: "5b8efff798038103d269b633813fc60c", spanId: "eee19b7ec3c1b174", startTimeUnixNano: "1" };
    const of = (service: string) => ({
      resource: { attributes: [{ key: "service.name", value: { stringValue: service } }] },
      scopeSpans: [{ spans: [span] }],
    });
    await agent.send("/otel/v1/traces", {
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ resourceSpans: [of("shop"), of("pay")] }),
    });
    expect(await ranIn(agent, "tracing")).toEqual([
      ["opentelemetry", "shop"],
      ["opentelemetry", undefined],
    ]);
  });

  it("does not apply to /v1/write", async () => {
    await agent.send("/v1/write/metric", { body: "m v=1" });
    expect(await ranIn(agent, "metric")).toEqual([["m", undefined]]);
  });
});

describe("the setting match_by_name", () => {
  it("selects scripts for /v1/write by the naming key of each category, or a default script, when true", async () => {
    const defaults = '[pipeline.default_pipeline]\nlogging = "any.p"\nmetric = "gone.p"\n';
    const agent = await startAgent({ config: `${base}[pipeline]\nmatch_by_name = true\n${defaults}`, scripts });
    try {
      const write = (category: string, body: string, query = "") =>
        agent.send(`/v1/write/${category}${query}`, { body });
      await write("metric", "m v=1 1\nother v=1 1");
      await write("logging", 'a message="x" 1\nelse message="x" 1');
      await write("logging", 'a message="x" 1', "?source=b");
      await write("rum", "view,app_id=app v=1 1\nview v=1 1");
      await write("security", "s,category=check v=1 1\ncheck v=1 1");
      await write("keyevent", "k,df_source=alert v=1 1");
      expect(await ranIn(agent, "metric")).toEqual([
        ["m", "m"],
        ["other", undefined],
      ]);
      expect(await ranIn(agent, "logging")).toEqual([
        ["a", "a"],
        ["else", "any"],
        ["a", "b"],
      ]);
      expect((await ranIn(agent, "rum")).map(([, ran]) => ran)).toEqual(["app", undefined]);
      expect((await ranIn(agent, "security")).map(([, ran]) => ran)).toEqual(["check", undefined]);
      expect(await ranIn(agent, "keyevent")).toEqual([["k", "alert"]]);
    } finally {
      await agent.stop();
    }
  });

  it("selects no script by name for streamed logs either when false", async () => {
    const agent = await startAgent({ config: `${base}[pipeline]\nmatch_by_name = false\n`, scripts });
    try {
      await agent.send("/v1/write/logstreaming?source=a", { body: "x" });
      expect(await ranIn(agent, "logging")).toEqual([["a", undefined]]);
    } finally {
      await agent.stop();
    }
  });
});

describe("scripts that keep state", () => {
  it("see each of their points, whether the request or the name selected the script", async () => {
    const count = 'n = cache_get("n")\nif n == nil {\nn = 0\n}\nn = n + 1\ncache_set("n", n)\nadd_key(n, n)';
    const agent = await startAgent({ config: base, scripts: { ...scripts, "logging/counts.p": count } });
    try {
      for (let at = 0; at < 5; at++) {
        await agent.send("/v1/write/logstreaming?source=counts", { body: "x" });
        await agent.send("/v1/write/logging?source=counts", { body: 'counts message="x" 1' });
      }
      const seen = (await agent.output("logging")).map((line) => Number(/[ ,]n=(\d+)i/.exec(line)?.[1]));
      expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    } finally {
      await agent.stop();
    }
  });
});
