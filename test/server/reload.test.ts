// A new configuration while clients write: no connection is refused, no write is lost, what was counted stays.

import { writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type RecordingGateway, startGateway } from "./recording-gateway.ts";
import { type AgentProcess, startAgent } from "./running-agent.ts";

interface Writer {
  readonly answered: string[];
  /** What was no 200. */
  readonly failures: string[];
  /** Ports of its connections. */
  readonly ports: Set<number>;
  stop(): Promise<void>;
}

/** Writes one point after the other. */
function startWriter(url: string, name: string, connections: Agent | false): Writer {
  const [answered, failures, ports] = [[] as string[], [] as string[], new Set<number>()];
  const write = (line: string) =>
    new Promise<void>((resolve) => {
      const call = request(`${url}/v1/write/metric`, { method: "POST", agent: connections }, (response) => {
        ports.add(response.socket.localPort!);
        if (response.statusCode === 200) answered.push(line);
        else failures.push(`${line}: ${response.statusCode}`);
        response.resume().on("end", resolve);
      });
      call.on("error", (error) => {
        failures.push(`${line}: ${error.message}`);
        resolve();
      });
      call.end(line);
    });
  let isStopping = false;
  const run = async () => {
    for (let count = 0; !isStopping; count++) await write(`${name} n=${count}i 1`);
  };
  const running = run();
  return {
    answered,
    failures,
    ports,
    stop: async () => {
      isStopping = true;
      await running;
      if (connections !== false) connections.destroy();
    },
  };
}

const configOf = (gateway: RecordingGateway, processes: number, more = "") => `[http_api]
request_rate_limit = 0
processes = ${processes}
workers = 1
[gateway]
urls = ["${gateway.url}"]
retry_delay = "50ms"
${more}
[io]
flush_interval = "20ms"
[environments]
ENV_HOSTNAME = "web01"
`;

async function startBoth(processes: number): Promise<{ gateway: RecordingGateway; agent: AgentProcess }> {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  const agent = await startAgent({ config: configOf(gateway, processes) });
  onTestFinished(() => agent.stop());
  return { gateway, agent };
}

async function reload(agent: AgentProcess, config: string, told: string): Promise<void> {
  const times = () => agent.log().split(told).length;
  const before = times();
  writeFileSync(path.join(agent.dataDir, "agent.toml"), config);
  agent.signal("SIGHUP");
  await expect.poll(times, { timeout: 30_000 }).toBe(before + 1);
}

const uptime = "agent_uptime_seconds{";
const writes = 'agent_http_api_total{api="/v1/write/metric",method="POST",status="OK"}';

async function uptimeOf(agent: AgentProcess): Promise<number> {
  const { text } = await agent.send("/metrics");
  return Number(
    text
      .split("\n")
      .find((line) => line.startsWith(uptime))!
      .split(" ")
      .at(-1),
  );
}

it.each([1, 2])("goes on for clients that write to %i processes", async (processes) => {
  const { gateway, agent } = await startBoth(processes);
  const keeping = () => new Agent({ keepAlive: true, maxSockets: 1 });
  const kept = [0, 1, 2].map((at) => startWriter(agent.url, `kept${at}`, keeping()));
  const all = [...kept, ...[0, 1].map((at) => startWriter(agent.url, `new${at}`, false))];
  const uptimes = [await uptimeOf(agent)];
  for (const tag of ["a", "b"]) {
    await reload(
      agent,
      `${configOf(gateway, processes)}[global_host_tags]\ntag = "${tag}"\n`,
      "configuration reloaded",
    );
    uptimes.push(await uptimeOf(agent));
    const before = all.map(({ answered }) => answered.length);
    await expect.poll(() => all.every(({ answered }, at) => answered.length > before[at])).toBe(true);
  }
  // One that does not start: the old one goes on.
  const wal = path.join(agent.dataDir, "agent.toml", "queue");
  await reload(agent, configOf(gateway, processes, `wal.path = "${wal}"`), "going on with the old configuration");
  expect(agent.log()).toMatch(/the new configuration does not start: ENOTDIR/);
  uptimes.push(await uptimeOf(agent));
  for (const writer of all) await writer.stop();

  expect(all.flatMap(({ failures }) => failures)).toEqual([]);
  expect(kept.map(({ ports }) => ports.size)).toEqual(kept.map(() => 1));
  expect(uptimes).toEqual([...new Set(uptimes)].sort((a, b) => a - b));
  const answered = all.flatMap(({ answered }) => answered.map((line) => line.slice(0, -2)));
  // The response may be closed after its client has it.
  await expect.poll(() => agent.metric(writes)).toBe(answered.length);
  const arrived = () =>
    gateway
      .lines()
      .map((line) => line.replace(/^(\w+),\S+ (n=\d+i) .*/, "$1 $2"))
      .sort();
  await expect.poll(() => arrived().length, { timeout: 20_000 }).toBeGreaterThanOrEqual(answered.length);
  expect(arrived()).toEqual(answered.sort());
  expect(gateway.lines().some((line) => line.includes("tag=b"))).toBe(true);
});
