// Filters (rules by which points are dropped) in the configuration, applied by the real agent
// (docs/reference/agent.md#filters).

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startGateway } from "../../support/recording-gateway.ts";
import { type AgentProcess, startAgent } from "../../support/running-agent.ts";

const config = `[environments]
ENV_HOSTNAME = "web01"
[global_host_tags]
dc = "x"
[io.filters]
logging = [
  "{ source = 'noise' }; { level in ['debug', 'trace'] }",
  "{ source = }",
  "{ added_by_script = true }",
  "{ dc = 'x', source = 'tagged' }",
]
metric = ["{ value > 10, measurement match 'cpu*' }"]
log = ["{}"]
`;

describe("filters", () => {
  let agent: AgentProcess;

  beforeAll(async () => {
    agent = await startAgent({
      config,
      scripts: {
        "mark.p": "add_key(added_by_script, true)",
        "make.p":
          'create_point("cpu_made", {}, {"value": 99}, 1, "M")\ncreate_point("cpu_kept", {}, {"value": 9}, 1, "M")',
      },
    });
  });

  afterAll(() => agent.stop());

  const names = async (category: string) => (await agent.output(category)).map((line) => line.split(/[ ,]/)[0]);

  it("log the line of a rule that is skipped for a syntax error, and count the error", async () => {
    await expect
      .poll(() => agent.log())
      .toMatch(/agent\.toml:8: io\.filters\.logging\[1\]: 1:12 parse error: unexpected: "}"; the rule is skipped/);
    await expect.poll(() => agent.log()).toMatch(/agent\.toml:13: io\.filters\.log: unknown category, skipped/);
    const { text } = await agent.send("/metrics");
    expect(text).toContain(
      'agent_filter_parse_error{error="1:12 parse error: unexpected: \\"}\\"",filters="{ source = }"} 1',
    );
  });

  it("drop matching points after the global tags and the script are applied", async () => {
    const body = ['noise m="x" 1', 'app level="debug" 1', 'app level="info" 1', 'tagged level="info" 1'];
    expect((await agent.send("/v1/write/logging", { body: body.join("\n") })).status).toBe(200);
    expect(await agent.output("logging")).toEqual(['app,dc=x,host=web01 level="info",status="unknown" 1000000000']);
    expect((await agent.send("/v1/write/logging?source=mark", { body: 'marked m="x" 1' })).status).toBe(200);
    expect(await names("logging")).toEqual(["app"]);
    const labels = 'category="logging",filters="4",source="local"';
    expect(await agent.metric(`agent_filter_point_total{${labels}}`)).toBe(5);
    expect(await agent.metric(`agent_filter_point_dropped_total{${labels}}`)).toBe(4);
  });

  it("apply to points that a script creates, by the category of these points", async () => {
    expect((await agent.send("/v1/write/logging?source=make", { body: 'app level="info" 1' })).status).toBe(200);
    expect(await names("metric")).toEqual(["cpu_kept"]);
    await agent.send("/v1/write/metric", { body: "cpu value=11 1\ncpu value=10 1\nmem value=11 1" });
    expect(await names("metric")).toEqual(["cpu_kept", "cpu", "mem"]);
  });

  it("do not apply to the echo of a dry write", async () => {
    const { text } = await agent.send("/v1/write/logging?dry=1&echo=lp", { body: 'noise m="x" 1' });
    expect(text).toContain("noise ");
  });
});

describe("auto_timestamp_correction", () => {
  it("replaces a time far from now, after the filters, and keeps the original in __orig_time", async () => {
    const agent = await startAgent({
      config: `[environments]\nENV_HOSTNAME = "h"\n[io]\nauto_timestamp_correction = true\n[io.filters]\nlogging = ["{ source = 'noise' }"]`,
      scripts: { "make.p": 'create_point("made", {}, {"value": 9}, 1, "M")' },
    });
    onTestFinished(() => agent.stop());
    const now = Date.now();
    const [near, ahead] = [now - 7_100_000, now + 7_100_000];
    const far = [now - 7_300_000, now + 7_300_000];
    const lines = [near, ahead, ...far].map((time, at) => `p${at} v=1i ${time}`);
    expect((await agent.send("/v1/write/metric", { body: lines.join("\n") })).status).toBe(200);
    const sent = (await agent.output("metric")).map((line) => line.split(" "));
    expect(sent.slice(0, 2)).toEqual([
      ["p0,host=h", "v=1i", `${near}000000`],
      ["p1,host=h", "v=1i", `${ahead}000000`],
    ]);
    for (const [at, [name, fields, time]] of sent.slice(2).entries()) {
      expect([name, fields]).toEqual([`p${at + 2},host=h`, `__orig_time=${far[at]}000000i,v=1i`]);
      expect(Math.abs(Number(time) / 1e6 - now)).toBeLessThan(60_000);
    }
    expect(await agent.metric('agent_io_point_time_adjusted_total{category="metric",name="v1-write.agent-http"}')).toBe(
      2,
    );

    // A filter also drops points that scripts create. The agent does not count dropped points as written, but the echo
    // (the points returned in the answer) still shows them.
    const body = `app m="x" ${now}\nnoise m="x" 1`;
    const { text } = await agent.send("/v1/write/logging?source=make&echo=lp", { body });
    expect(text).toContain("noise m=");
    const [made] = await agent.output("metric").then((all) => all.slice(4));
    expect(made).toMatch(/^made __orig_time=1i,value=9i \d{19}$/);
    expect(await agent.output("logging")).toHaveLength(1);
    expect(
      await agent.metric('agent_io_point_time_adjusted_total{category="logging",name="v1-write.agent-http"}'),
    ).toBe(0);
  });

  it("is off by default: an old point keeps its time", async () => {
    const agent = await startAgent();
    onTestFinished(() => agent.stop());
    await agent.send("/v1/write/metric?ignore_global_host_tags=1", { body: "m v=1i 1" });
    expect(await agent.output("metric")).toEqual(["m v=1i 1000000000"]);
  });
});

describe("filters of an environment variable", () => {
  it("replace the filters of the file; strict types distinguish ints from floats", async () => {
    const agent = await startAgent({
      config: "[io]\nstrict_types = true\n[io.filters]\nmetric = ['{ a = 1 }']",
      env: { ENV_IO_FILTERS: JSON.stringify({ metric: ["{ b = 1 }", "{ c }"] }) },
    });
    try {
      await expect
        .poll(() => agent.log())
        .toContain('ENV_IO_FILTERS: io.filters.metric[1]: 1:5 parse error: unexpected: "}"');
      await agent.send("/v1/write/metric", { body: "a a=1i 1\nb b=1i 1\nc b=1 1" });
      expect((await agent.output("metric")).map((line) => line[0])).toEqual(["a", "c"]);
    } finally {
      await agent.stop();
    }
  });
});

describe("filters of the gateway", () => {
  const configOf = (url: string, more = "") =>
    `[gateway]\nurls = ["${url}?token=abc"]\n[io]\nflush_interval = "20ms"\n${more}`;
  const answer = (filters: unknown) => JSON.stringify({ filters, pull_interval: 1_000_000_000, other: null });

  it("are pulled, applied, updated, and kept for a restart without the gateway", async () => {
    const gateway = await startGateway();
    gateway.pull = answer({ metric: ["{ a = 1 }", "{ b", "{ c = 1 }"] });
    let agent = await startAgent({ config: configOf(gateway.url) });
    try {
      await expect
        .poll(() => agent.log())
        .toContain("filters of the gateway: metric[1]: 1:4 parse error: unclosed left brace; skipped");
      expect(gateway.pulls[0]!.url).toBe("/v1/agent/pull?filters=true&token=abc");
      await agent.send("/v1/write/metric", { body: "m a=1 1\nm b=1 1\nm c=1 1" });
      await expect.poll(() => gateway.lines().length).toBe(1);
      expect(gateway.lines()[0]).toContain(" b=1 ");
      expect(
        await agent.metric('agent_filter_point_dropped_total{category="metric",filters="3",source="remote"}'),
      ).toBe(2);

      const before = await agent.metric("agent_filter_update_total");
      gateway.pull = answer({ metric: ["{ b = 1 }"] });
      await expect.poll(() => agent.metric("agent_filter_update_total")).toBe(before + 1);
      gateway.pull = "nonsense";
      await expect.poll(() => agent.log()).toMatch(/filters of the gateway: .*; those in force are kept/);

      gateway.taken.length = 0;
      gateway.pull = undefined;
      await agent.kill();
      agent = await startAgent({ config: configOf(gateway.url), dataDir: agent.dataDir });
      await agent.send("/v1/write/metric", { body: "m a=2 1\nm b=1 1" });
      await expect.poll(() => gateway.lines().length).toBe(1);
      expect(gateway.lines()[0]).toContain(" a=2 ");
    } finally {
      await agent.stop();
      await gateway.close();
    }
  });

  it("are not pulled when the configuration contains filters", async () => {
    const gateway = await startGateway();
    gateway.pull = answer({ metric: ["{}"] });
    const agent = await startAgent({ config: configOf(gateway.url, '[io.filters]\nlogging = ["{ a = 1 }"]\n') });
    try {
      await agent.send("/v1/write/metric", { body: "m a=1 1" });
      await expect.poll(() => gateway.lines().length).toBe(1);
      expect(gateway.pulls).toEqual([]);
    } finally {
      await agent.stop();
      await gateway.close();
    }
  });
});
