// An agent with intake processes (processes that accept writes beside the main process) from start to end: the number
// of processes, their queues, and TLS.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { connect as connectTls } from "node:tls";
import { expect, it, onTestFinished } from "vitest";
import { makeCertificates } from "../../support/certificates.ts";
import {
  childrenOf,
  clientPorts,
  dryWrite,
  isRunning,
  openClient,
  openClientOf,
  rawClient,
} from "../../support/processes.ts";
import { type RecordingGateway, startGateway } from "../../support/recording-gateway.ts";
import { type AgentProcess, startAgent } from "../../support/running-agent.ts";

async function gatewayOfTest(): Promise<RecordingGateway> {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  return gateway;
}

const configOf = (gateway: RecordingGateway, processes: number, http = "request_rate_limit = 0", flush = "20ms") =>
  `[http_api]
${http}
processes = ${processes}
workers = 1
[gateway]
urls = ["${gateway.url}"]
retry_delay = "50ms"
[io]
flush_interval = "${flush}"
[environments]
ENV_HOSTNAME = "web01"
`;

async function agentOfTest(options: Parameters<typeof startAgent>[0]): Promise<AgentProcess> {
  const agent = await startAgent(options);
  onTestFinished(() => agent.stop());
  return agent;
}

/** Sends a write to each process of the agent and returns the lines that arrive at the gateway. */
async function writeToAll(agent: AgentProcess, name: string): Promise<string[]> {
  const pids = [agent.pid, ...childrenOf(agent.pid)];
  for (const [at, pid] of pids.entries()) {
    const body = `${name},at=a${at} v=1i 1`;
    const client = await openClientOf(agent, pid);
    const answer = await client.ask(
      `POST /v1/write/metric HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    client.close();
  }
  return pids.map((_, at) => `${name},at=a${at},host=web01 v=1i 1000000000`);
}

it.each([
  [
    "with a rate limit",
    (gateway: RecordingGateway) => configOf(gateway, 3, ""),
    "requests are counted in one process; set request_rate_limit = 0",
  ],
  [
    "without a gateway",
    () => "[http_api]\nrequest_rate_limit = 0\nprocesses = 3\n",
    "points go into files, which one process writes",
  ],
])("%s the agent runs one process, and logs the reason", async (_what, config, reason) => {
  const agent = await agentOfTest({ config: config(await gatewayOfTest()) });
  await expect.poll(() => agent.log()).toContain(`http_api.processes = 3 has no effect: ${reason}`);
  expect(childrenOf(agent.pid)).toEqual([]);
});

it("on a Unix socket the agent runs one process, and logs the reason", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-intake-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const args = ["--listen", path.join(folder, "agent.sock")];
  const agent = await agentOfTest({ config: configOf(await gatewayOfTest(), 3), args });
  await expect.poll(() => agent.log()).toContain("http_api.processes = 3 has no effect: it holds for TCP only");
  expect(childrenOf(agent.pid)).toEqual([]);
});

it("the setting processes = 0 starts one process for each core", async () => {
  const agent = await agentOfTest({ config: configOf(await gatewayOfTest(), 0) });
  expect(childrenOf(agent.pid)).toHaveLength(availableParallelism() - 1);
});

it("a reload with fewer processes sends the queues of removed processes; one with more reopens them", async () => {
  const gateway = await gatewayOfTest();
  const agent = await agentOfTest({ config: configOf(gateway, 3) });
  const reload = async (processes: number, times: number) => {
    writeFileSync(path.join(agent.dataDir, "agent.toml"), configOf(gateway, processes));
    agent.signal("SIGHUP");
    await expect.poll(() => agent.log().match(/configuration reloaded/g)?.length).toBe(times);
    expect(childrenOf(agent.pid)).toHaveLength(processes - 1);
  };
  gateway.behave(500);
  const lines = await writeToAll(agent, "three");
  await reload(1, 1);
  lines.push(...(await writeToAll(agent, "one")));
  const { text } = await agent.send("/metrics");
  expect(text).toMatch(/^agent_io_queue_points\{category="metric",gateway="failover"\} 4$/m);
  await reload(3, 2);
  lines.push(...(await writeToAll(agent, "again")));
  await reload(1, 3);
  gateway.behave(200);
  await expect.poll(() => gateway.lines().sort()).toEqual(lines.sort());
  expect((await agent.send("/healthz")).status).toBe(200);
});

it("a configuration that fails to start leaves the port to the old one", async () => {
  const config = configOf(await gatewayOfTest(), 2);
  const agent = await agentOfTest({ config });
  const file = path.join(agent.dataDir, "agent.toml");
  writeFileSync(file, config.replace("[http_api]", `[http_api]\nlisten_socket = "${file}"`));
  agent.signal("SIGHUP");
  await expect.poll(() => agent.log()).toMatch(/the configuration stays as it was: .* is no socket/);
  await expect.poll(async () => (await agent.send("/healthz")).status).toBe(200);
  expect(agent.log()).not.toContain("is in use");
});

it("every process refuses a write when too many writes wait for a thread", async () => {
  const config = configOf(await gatewayOfTest(), 2, "request_rate_limit = 0\nmax_waiting_writes = 1");
  const endless = "[pipeline]\nmax_steps_per_point = 0\nmax_steps_per_write = 0\n";
  const agent = await agentOfTest({ config: config + endless, scripts: { "logging/loop.p": "for ;; { x = 1 }" } });
  const write = (at: string) => `POST ${at} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6\r\n\r\nl v=1i`;
  const looping = [0, 1].map(() => openClient(agent.url));
  for (const each of looping) void each.ask(write("/v1/write/logging?source=loop"));
  await expect.poll(async () => (await agent.send("/readyz")).text).toContain("too many writes wait for a thread");
  for (const pid of [agent.pid, ...childrenOf(agent.pid)]) {
    const client = await openClientOf(agent, pid);
    const refused = await client.ask(write("/v1/write/logging?source=loop"));
    expect(refused).toMatch(/^HTTP\/1\.1 503 [\s\S]*\r\nretry-after: 1\r\n[\s\S]*"agent\.tooManyWritesWaiting"/i);
    expect(await client.ask(write("/v1/write/logging"))).toMatch(/^HTTP\/1\.1 200 /);
    client.close();
  }
  for (const each of looping) each.close();
});

it("SIGTERM sends the queued points of all processes, and ends all processes", async () => {
  const gateway = await gatewayOfTest();
  const agent = await startAgent({ config: configOf(gateway, 3, undefined, "30s") });
  const pids = childrenOf(agent.pid);
  const lines = await writeToAll(agent, "held");
  expect(gateway.lines()).toEqual([]);
  await agent.stop();
  expect(agent.exitCode()).toBe(0);
  expect(gateway.lines().sort()).toEqual(lines.sort());
  expect(pids.filter(isRunning)).toEqual([]);
});

it("all processes end when the main process is killed, and a new agent sends their points", async () => {
  const gateway = await gatewayOfTest();
  gateway.behave(500);
  const first = await startAgent({ config: configOf(gateway, 3) });
  const pids = childrenOf(first.pid);
  const lines = await writeToAll(first, "orphaned");
  await first.kill();
  await expect.poll(() => pids.filter(isRunning), { interval: 10 }).toEqual([]);
  const second = await agentOfTest({ config: configOf(gateway, 3), dataDir: first.dataDir });
  gateway.behave(200);
  await expect.poll(() => gateway.lines().sort()).toEqual(lines.sort());
  expect((await second.send("/readyz")).status).toBe(200);
});

it("a process that is still starting ends when the main process is killed", async () => {
  const gateway = await gatewayOfTest();
  const agent = await startAgent({ config: configOf(gateway, 2) });
  const dataDir = agent.dataDir;
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const [before] = childrenOf(agent.pid);
  process.kill(before, "SIGKILL");
  let starting: number[] = [];
  while (starting.length === 0) starting = childrenOf(agent.pid).filter((pid) => pid !== before);
  await agent.kill();
  await expect.poll(() => starting.filter(isRunning), { interval: 10 }).toEqual([]);
});

it("every process serves TLS, and accepts pages of its own HTTPS origin", async () => {
  const { files, remove } = makeCertificates();
  onTestFinished(remove);
  const tls = `[http_api.tls]\ncert = "${files.cert}"\nprivkey = "${files.key}"\n`;
  const agent = await agentOfTest({ config: configOf(await gatewayOfTest(), 2) + tls });
  const open = (url: string) => {
    const { hostname: host, port } = new URL(url);
    return rawClient(connectTls({ host, port: Number(port), rejectUnauthorized: false }));
  };
  for (const pid of [agent.pid, ...childrenOf(agent.pid)]) {
    const client = await openClientOf(agent, pid, open);
    const ask = (origin: string) =>
      client.ask(`GET /v1/global/host/tags HTTP/1.1\r\nHost: localhost\r\nOrigin: ${origin}\r\n\r\n`);
    expect(await ask("https://localhost")).toMatch(/^HTTP\/1\.1 200 /);
    expect(await ask("http://localhost")).toMatch(/^HTTP\/1\.1 403 /);
    client.close();
  }
  if (process.platform !== "linux") return;
  // Waits until the agent has noticed that all connections are closed.
  await expect.poll(() => clientPorts(agent)).toEqual([[], []]);
  const evenly = async () => {
    const clients = Array.from({ length: 6 }, () => open(agent.url));
    for (const each of clients) expect(await each.ask(dryWrite)).toMatch(/^HTTP\/1\.1 200 /);
    const counts = clientPorts(agent).map((ports) => ports.length);
    for (const each of clients) each.close();
    return counts;
  };
  await expect.poll(evenly).toEqual([3, 3]);
});
