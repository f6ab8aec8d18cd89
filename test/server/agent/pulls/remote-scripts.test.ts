// Scripts that an agent fetches from its gateway (docs/reference/agent.md#scripts).

import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startPlatform } from "../../platform/open-api/running-platform.ts";
import { type RecordingGateway, startGateway } from "../../support/recording-gateway.ts";
import { type AgentOptions, type AgentProcess, startAgent } from "../../support/running-agent.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const script = (name: string, text: string) => ({
  name,
  category: "logging",
  base64text: base64(text),
  asDefault: false,
});
const relation = (source: string, name: string) => ({ category: "logging", source, name });
const answer = (update_time: number, pipelines: object[], relation_update_time = -1, relations: object[] = []) =>
  JSON.stringify({
    filters: {},
    remote_pipelines: { update_time, pipelines, relation_update_time, relation: relations },
  });

const patience = { interval: 100 };

const configOf = (url: string) => `[gateway]
urls = ["${url}?token=secret-of-the-gateway"]
[io]
flush_interval = "50ms"
[http_api]
workers = 1
request_rate_limit = 0
[pipeline]
remote_pull_interval = "1s"
`;

async function gatewayOf(scripts: string): Promise<RecordingGateway> {
  const gateway = await startGateway();
  gateway.scripts = scripts;
  onTestFinished(() => gateway.close());
  return gateway;
}

async function agentOf(options: AgentOptions): Promise<AgentProcess> {
  const agent = await startAgent(options);
  onTestFinished(() => agent.stop());
  return agent;
}

let written = 0;

/**
 * Writes a point with this `source` and returns the field `by` of the line that the gateway receives. Each script sets
 * `by` to a value of its own.
 */
async function markOf(agent: AgentProcess, gateway: RecordingGateway, source: string): Promise<string | undefined> {
  const id = `w${++written}`;
  const { status, text } = await agent.send(`/v1/write/logging?source=${source}`, { body: `p message="${id}" 1` });
  expect(status, text).toBe(200);
  const line = () => gateway.lines().find((each) => each.includes(`message="${id}"`));
  await expect.poll(line).toBeDefined();
  return /by="(\w+)"/.exec(line()!)?.[1];
}

const local = {
  "a.p": 'use("helper.p")',
  "helper.p": 'add_key(by, "local")',
  "only.p": 'add_key(by, "file")',
};

describe("scripts of the gateway", () => {
  it("hide local scripts; the local ones run when those of the gateway are deleted or do not compile", async () => {
    const gateway = await gatewayOf(
      answer(
        100,
        [script("a.p", 'use("helper.p")'), script("helper.p", 'add_key(by, "remote")')],
        7,
        // Two entries ("relations") assign a script to the source `app`. The first of them applies.
        [relation("app", "a.p"), relation("app", "only.p"), relation("to_file", "only.p"), relation("only", "gone.p")],
      ),
    );
    const agent = await agentOf({ config: configOf(gateway.url), scripts: local });
    const mark = (source: string) => markOf(agent, gateway, source);
    await expect.poll(() => agent.log()).toContain("scripts of the gateway: 2, in place of those of before");
    expect(gateway.scriptPulls[0]!.url).toBe(
      "/v1/agent/pull?relation_ts=0&remote_pipelines=true&token=secret-of-the-gateway&ts=0",
    );
    expect(await mark("a")).toBe("remote");
    expect(await mark("app")).toBe("remote");
    expect(await mark("to_file")).toBe("file");
    expect(await mark("only")).toBeUndefined();
    const points = (name: string, namespace: string) =>
      agent.metric(`agent_pipeline_point_total{category="logging",name="${name}",namespace="${namespace}"}`);
    expect([await points("a.p", "remote"), await points("a.p", "default")]).toEqual([2, 0]);
    expect(await points("only.p", "default")).toBe(1);

    // The gateway now offers a script a.p that does not compile, so the agent must use its local script a.p. The
    // agent's second request names the version of the scripts that the agent already has.
    gateway.scripts = answer(101, [script("a.p", "x = = 1"), script("helper.p", 'add_key(by, "second")')]);
    await expect
      .poll(() => agent.log(), patience)
      .toMatch(/script logging\/a\.p of the gateway is not in force: a\.p:1:\d+: .*; the local one takes its place/);
    const known = gateway.scriptPulls.map(({ url }) => new URL(url, gateway.url).searchParams);
    expect(known.map((each) => [each.get("ts"), each.get("relation_ts")])).toContainEqual(["100", "7"]);
    // The remote script a.p does not compile, so the local script a.p runs. A local script uses the local helper and
    // not the helper of the gateway.
    expect(await mark("app")).toBe("local");
    expect(await mark("helper")).toBe("second");

    gateway.scripts = answer(1, [], 8, []);
    await expect.poll(() => agent.log(), patience).toContain("scripts of the gateway: 0, in place of those of before");
    expect(await mark("helper")).toBe("local");
    expect(await mark("app")).toBeUndefined();
    expect(await mark("only")).toBe("file");
    expect(agent.log()).not.toContain("secret-of-the-gateway");
  });

  it("remain after a restart while the gateway does not answer, until it answers again", async () => {
    const gateway = await gatewayOf(answer(100, [script("b.p", 'add_key(by, "kept")')], 7, [relation("x", "b.p")]));
    const first = await startAgent({ config: configOf(gateway.url) });
    await expect.poll(() => first.log()).toContain("scripts of the gateway: 1, in place of those of before");
    expect(await markOf(first, gateway, "x")).toBe("kept");
    await first.kill();
    const file = path.join(first.dataDir, ".pull-scripts");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).not.toContain("secret-of-the-gateway");

    gateway.scripts = 500;
    const agent = await agentOf({ config: configOf(gateway.url), dataDir: first.dataDir });
    await expect
      .poll(() => agent.log())
      .toContain("scripts of the gateway: 500 Internal Server Error; those in force are kept");
    expect(await markOf(agent, gateway, "x")).toBe("kept");
    const asked = new URL(gateway.scriptPulls.at(-1)!.url, gateway.url).searchParams;
    expect([asked.get("ts"), asked.get("relation_ts")]).toEqual(["0", "0"]);
    gateway.scripts = answer(100, [script("b.p", 'add_key(by, "anew")')], 9, [relation("y", "b.p")]);
    await expect.poll(() => markOf(agent, gateway, "y"), patience).toBe("anew");
    expect(await markOf(agent, gateway, "x")).toBeUndefined();
  });

  it("are not pulled when there are several gateways", async () => {
    const gateway = await gatewayOf(answer(100, [script("a.p", 'add_key(by, "remote")')]));
    const config = configOf(gateway.url).replace(/^urls = \[(.*)\]$/m, "urls = [$1, $1]");
    const agent = await agentOf({ config, scripts: local });
    // An agent that pulls scripts requests scripts and filters at the same time. The gateway has received requests for
    // filters but none for scripts, so this agent does not pull scripts.
    await expect.poll(() => gateway.pulls.length).toBeGreaterThan(0);
    expect(await markOf(agent, gateway, "a")).toBe("local");
    expect(gateway.scriptPulls).toEqual([]);
  });
});

describe("a pipeline of the Open API", () => {
  it("changes the points of an agent that sends to the platform", async () => {
    const platform = await startPlatform();
    onTestFinished(() => platform.stop());
    const made = await platform.call("/pipeline/add", {
      body: { name: "stored", category: "logging", content: base64('add_key(origin, "platform")'), source: ["web"] },
    });
    expect(made.status, made.text).toBe(200);
    const token = readFileSync(path.join(platform.dataDir, "platform", "token"), "utf8").trim();
    const agent = await agentOf({
      config: configOf(platform.url).replace("secret-of-the-gateway", token),
    });
    await expect.poll(() => agent.log()).toContain("scripts of the gateway: 1, in place of those of before");
    const now = Date.now();
    const sent = await agent.send("/v1/write/logging?source=web&precision=ms", { body: `access message="m" ${now}` });
    expect(sent.status, sent.text).toBe(200);
    const ask = async () => {
      const query = {
        q: "L::access:(origin, message)",
        timeRange: [now - 60_000, now + 60_000],
        disableMultipleField: false,
      };
      const body = { queries: [{ qtype: "dql", query }] };
      return (await platform.call("/df/query_data_v1", { body })).text;
    };
    await expect.poll(ask, { interval: 200 }).toContain('"platform"');
    expect(agent.log()).not.toContain(token);
  });
});
