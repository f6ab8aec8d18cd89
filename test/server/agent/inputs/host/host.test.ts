// The input host, run by a real agent: points of this machine arrive, and the Open API lists the host and its
// processes.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startPlatform } from "../../../platform/open-api/running-platform.ts";
import { millrace } from "../../../support/millrace.ts";
import { type AgentProcess, startAgent } from "../../../support/running-agent.ts";

const patience = { timeout: 30_000, interval: 100 };

async function agentOfTest(config: string, env: Record<string, string> = {}): Promise<AgentProcess> {
  const agent = await startAgent({ config, env });
  onTestFinished(() => agent.stop());
  return agent;
}

const linesOf = async (agent: AgentProcess, category: string) =>
  existsSync(path.join(agent.dataDir, `output/${category}.lp`)) ? await agent.output(category) : [];

it.runIf(process.platform === "linux")("makes points of each part, again and again, also after a reload", async () => {
  const agent = await agentOfTest('[inputs.host]\nenable = true\ninterval = "300ms"\ntags = { rack = "a1" }\n');
  const named = async () => new Set((await linesOf(agent, "metric")).map((line) => /^[^, ]+/.exec(line)![0]));
  const names = ["cpu", "mem", "system", "disk", "net", "processes", "procstat"];
  const missing = async () => {
    const found = await named();
    return names.filter((name) => !found.has(name));
  };
  await expect.poll(missing, patience).toEqual([]);
  const cpus = async () => (await linesOf(agent, "metric")).filter((line) => line.startsWith("cpu,")).length;
  const before = await cpus();
  agent.signal("SIGHUP");
  await expect.poll(async () => (await cpus()) > before + 1, patience).toBe(true);
  expect((await linesOf(agent, "metric"))[0]).toMatch(/,rack=a1/);
  // The agent sends the points of the category object (the host and its processes) less often than metrics. So there
  // are at most two points of the host.
  const hosts = (await linesOf(agent, "object")).filter((line) => line.startsWith("HOST,"));
  expect(hosts.length).toBeLessThanOrEqual(2);
  const { out } = await millrace(["doctor", "--config", `${agent.dataDir}/agent.toml`, "--to", agent.url]);
  expect(out).toContain("ok    input    host: can be read\n");
  const shown = await millrace(["monitor", "--to", agent.url, "--once", "--modules", "inputs"]);
  expect(shown.out).toMatch(/^host +\S+ +[\d,]+ /m);
  expect(shown.out).toMatch(/^processes +\S+ +0$/m);
});

it.runIf(process.platform === "linux")("shows this host and its processes in the lists of the Open API", async () => {
  const platform = await startPlatform();
  onTestFinished(() => platform.stop());
  const token = readFileSync(path.join(platform.dataDir, "platform", "token"), "utf8").trim();
  const agent = await agentOfTest(
    `[gateway]\nurls = ["${platform.url}?token=${token}"]\n[io]\nflush_interval = "200ms"\n[inputs.host]\nenable = true\ninterval = "500ms"\n`,
    { ENV_HOSTNAME: "box-1" },
  );
  const list = async (what: string) =>
    (await platform.call(`/object/${what}`)).body.content as Record<string, unknown>[];
  await expect.poll(async () => (await list("host/list")).length, patience).toBe(1);
  const [host] = await list("host/list");
  expect(host).toMatchObject({
    name: "box-1",
    host: "box-1",
    os: "linux",
    status: "online",
    agent_ver: expect.any(String),
    cpu_usage: expect.any(Number),
    mem_used_percent: expect.any(Number),
    load: expect.any(Number),
    num_cpu: expect.any(Number),
    disk_used_percent: expect.any(Number),
    start_time: expect.any(Number),
  });
  await expect
    .poll(async () => (await list("process/list?host=box-1&search=node")).length, patience)
    .toBeGreaterThan(0);
  const [own] = await list(`process/list?${new URLSearchParams({ filter: JSON.stringify({ pid: agent.pid }) })}`);
  if (own !== undefined)
    expect(own).toMatchObject({ name: `box-1_${agent.pid}`, process_name: "node", state_zombie: false });
});

it.runIf(process.platform === "linux")("goes on with what it can read of a folder that lacks files", async () => {
  const proc = mkdtempSync(path.join(tmpdir(), "millrace-proc-"));
  onTestFinished(() => rmSync(proc, { recursive: true }));
  for (const [name, text] of Object.entries({ stat: "cpu 1 2 3 4\n", meminfo: "MemTotal: 100 kB\nMemFree: 50 kB\n" }))
    writeFileSync(path.join(proc, name), text);
  const agent = await agentOfTest(`[inputs.host]\nenable = true\ninterval = "200ms"\nproc = "${proc}"\n`);
  const hasMemory = async () => (await linesOf(agent, "metric")).some((line) => /^mem.* total=102400i/.test(line));
  await expect.poll(hasMemory, patience).toBe(true);
  await expect.poll(() => agent.metric('agent_input_host_failed_total{part="net"}'), patience).toBeGreaterThan(1);
  expect(await agent.metric('agent_input_host_failed_total{part="mem"}')).toBe(0);
  expect(agent.log().match(/host: net: /g)).toHaveLength(1);
});
