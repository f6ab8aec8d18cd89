// The input statsd, run by a real agent: metrics arrive as points, even when other senders send faulty data.

import { createSocket } from "node:dgram";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { millrace } from "../../../support/millrace.ts";
import { startGateway } from "../../../support/recording-gateway.ts";
import { type AgentProcess, startAgent } from "../../../support/running-agent.ts";

const patience = { timeout: 20_000, interval: 50 };
const udp = 'listen="udp://127.0.0.1:0"';

/**
 * Starts an agent whose input statsd listens on ports that the operating system chooses. Returns the agent and these
 * ports.
 */
async function agentOfTest(more = "", listens = ["udp://127.0.0.1:0"], top = "") {
  const config = `${top}\n[inputs.statsd]\nlisten = ${JSON.stringify(listens)}\n${more}\n`;
  const agent = await startAgent({ config });
  onTestFinished(() => agent.stop());
  const ports = () => Array.from(agent.log().matchAll(/receiving at \S+ \(port (\d+)\)/g), ([, port]) => Number(port));
  const withPorts = listens.filter((listen) => !listen.startsWith("unix:"));
  await expect.poll(() => ports().length, patience).toBe(withPorts.length);
  return { agent, ports: ports(), config };
}

async function sendDatagrams(port: number, datagrams: readonly (string | Uint8Array)[]): Promise<void> {
  const socket = createSocket("udp4");
  for (const datagram of datagrams)
    await new Promise<void>((resolve) => socket.send(datagram, port, "127.0.0.1", () => resolve()));
  socket.close();
}

async function connected(at: number | { readonly path: string }): Promise<Socket> {
  const socket = connect(typeof at === "number" ? { host: "127.0.0.1", port: at } : at);
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

async function linesOf(agent: AgentProcess): Promise<string[]> {
  return existsSync(path.join(agent.dataDir, "output/metric.lp")) ? await agent.output("metric") : [];
}

/** Returns the sum of the counter `name` over all points. */
async function sumOf(agent: AgentProcess, name: string): Promise<number> {
  const lines = (await linesOf(agent)).filter((line) => line.startsWith(`${name},`));
  return lines.reduce((sum, line) => sum + Number(/ value=([^, ]+)/.exec(line)![1]), 0);
}

const lineCount = (agent: AgentProcess) => agent.metric(`agent_input_statsd_line_total{${udp}}`);

it("writes a point for each series and interval, with the host and its tags", async () => {
  const { agent, ports } = await agentOfTest('interval = "100ms"\npercentiles = ["50", "99.9"]\ntags = { site = "x" }');
  await sendDatagrams(ports[0]!, ["page.views:1|c|#k:v\npage.views:2|c|#k:v\r\n\n", "t:5|ms\nusers:a|s\nload:0.5|g"]);
  await expect.poll(() => sumOf(agent, "page.views"), patience).toBe(3);
  await expect.poll(async () => (await linesOf(agent)).length, patience).toBeGreaterThanOrEqual(4);
  const text = (await linesOf(agent)).join("\n");
  expect(text).toMatch(/^page\.views,k=v,metric_type=counter,site=x,host=[^,]+ value=3(?:\.0)? \d{19}$/m);
  expect(text).toMatch(/^t,metric_type=timing,site=x,host=.*,p99_9=5 /m);
  expect(text).toMatch(/^users,.*metric_type=set.* count=1i /m);
  expect(text).toMatch(/^load,.*metric_type=gauge.* value=0\.5 /m);
  expect(await agent.metric('agent_io_feed_total{name="v1-write.statsd",category="metric"}')).toBeGreaterThan(0);
});

it("receives over UDP, TCP and a Unix socket, also a line that arrives in two parts", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-statsd-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const at = path.join(folder, "statsd.sock");
  const listens = ["udp://127.0.0.1:0", "tcp://127.0.0.1:0", `unix://${at}`];
  const { agent, ports } = await agentOfTest('interval = "100ms"', listens);
  await expect.poll(() => existsSync(at), patience).toBe(true);
  await sendDatagrams(ports[0]!, ["a:1|c"]);
  const socket = await connected(ports[1]!);
  socket.write("a:10|c\na:1");
  await expect.poll(() => sumOf(agent, "a"), patience).toBe(11);
  socket.write("00|c\n");
  await expect.poll(() => sumOf(agent, "a"), patience).toBe(111);
  const local = await connected({ path: at });
  local.end("a:1000|c");
  await expect.poll(() => sumOf(agent, "a"), patience).toBe(1111);
});

it("stores the last interval at a reload and at the end, and keeps gauges and connections over a reload", async () => {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  const { agent, ports, config } = await agentOfTest(
    'interval = "1h"',
    ["udp://127.0.0.1:0", "tcp://127.0.0.1:0"],
    `[gateway]\nurls = ["${gateway.url}?token=tkn_0123456789"]`,
  );
  const stored = () => gateway.lines().filter((line) => line !== "");
  const socket = await connected(ports[1]!);
  socket.write("g:5|g\nc:1|c\nc:2|");
  await expect.poll(() => agent.metric('agent_input_statsd_line_total{listen="tcp://127.0.0.1:0"}'), patience).toBe(2);
  writeFileSync(path.join(agent.dataDir, "agent.toml"), config.replace('"1h"', '"2h"'));
  agent.signal("SIGHUP");
  await expect.poll(() => stored().length, patience).toBe(2);
  expect(stored().join("\n")).toMatch(/^c,.* value=1/m);
  socket.write("c\ng:+1|g\n");
  await sendDatagrams(ports[0]!, ["c:40|c"]);
  await expect.poll(() => agent.metric('agent_input_statsd_line_total{listen="tcp://127.0.0.1:0"}'), patience).toBe(4);
  await expect.poll(() => lineCount(agent), patience).toBe(1);
  agent.signal("SIGTERM");
  await expect.poll(() => agent.exitCode(), patience).toBe(0);
  expect(stored().slice(2).join("\n")).toMatch(/^c,.* value=42/m);
  expect(stored().slice(2).join("\n")).toMatch(/^g,.* value=6/m);
});

it("counts dropped samples, and survives malformed and very long input", async () => {
  const { agent, ports } = await agentOfTest('interval = "100ms"\nmax_series = 3\nmax_line_bytes = 100', [
    "udp://127.0.0.1:0",
    "tcp://127.0.0.1:0",
  ]);
  const port = ports[0]!;
  const noise = Uint8Array.from({ length: 1000 }, (_, at) => (at * 7919) % 256);
  await sendDatagrams(port, [
    "no statsd",
    `${"x".repeat(101)}:1|c`,
    noise,
    new Uint8Array(60_000),
    "_e{1,1}:a|b\n_sc|x|0",
    "\xff\xfe:1|c",
    Array.from({ length: 100 }, (_, at) => `s${at}:1|c`).join("\n"),
  ]);
  await expect.poll(async () => (await linesOf(agent)).length, patience).toBe(3);
  // Sends a line of 6 MB, which is longer than the agent accepts.
  const endless = await connected(ports[1]!);
  for (let at = 0; at < 100; at++) endless.write("x".repeat(64 * 1024));
  endless.write("\nok:1|c\n");
  await expect.poll(async () => (await sumOf(agent, "ok")) > 0, patience).toBe(true);
  expect(await agent.metric(`agent_input_statsd_dropped_total{${udp},reason="malformed"}`)).toBeGreaterThan(0);
  expect(await agent.metric(`agent_input_statsd_dropped_total{${udp},reason="series"}`)).toBeGreaterThan(50);
  expect(await agent.metric(`agent_input_statsd_dropped_total{${udp},reason="too_long"}`)).toBeGreaterThanOrEqual(2);
  expect(await agent.metric('agent_input_statsd_dropped_total{listen="tcp://127.0.0.1:0",reason="too_long"}')).toBe(1);
  expect(await agent.metric('agent_input_statsd_ignored_line_total{kind="event"}')).toBe(1);
  expect(await agent.metric('agent_input_statsd_ignored_line_total{kind="service_check"}')).toBe(1);
  expect(agent.log().match(/statsd: a sample is dropped/g)).toHaveLength(1);
  expect(agent.log().match(/statsd: .*a line cannot be read/g)).toHaveLength(1);
  expect(agent.log()).not.toContain("\0");
});

it("closes connections beyond its limit, and connections that send nothing for long", async () => {
  const listen = "tcp://127.0.0.1:0";
  const { agent, ports } = await agentOfTest('max_connections = 1\nidle_timeout = "700ms"', [listen]);
  const closedFor = (reason: string) =>
    agent.metric(`agent_input_statsd_closed_connection_total{listen="${listen}",reason="${reason}"}`);
  const first = await connected(ports[0]!);
  const closed = once(first, "close");
  await once(await connected(ports[0]!), "close");
  await expect.poll(() => closedFor("limit"), patience).toBe(1);
  await closed;
  await expect.poll(() => closedFor("idle"), patience).toBe(1);
});

it("appears in the output of doctor and of the monitor", async () => {
  const { agent, ports } = await agentOfTest('interval = "100ms"');
  await sendDatagrams(ports[0]!, ["a:1|c", "bad"]);
  await expect.poll(() => sumOf(agent, "a"), patience).toBe(1);
  const { out } = await millrace(["doctor", "--config", `${agent.dataDir}/agent.toml`, "--to", agent.url]);
  expect(out).toContain("ok    input    statsd udp://127.0.0.1:0: free, nothing receives there now\n");
  const shown = await millrace(["monitor", "--to", agent.url, "--once", "--modules", "inputs"]);
  expect(shown.out).toMatch(/^statsd +- +1 /m);
  expect(shown.out).toMatch(/^udp:\/\/127\.0\.0\.1:0 +- +2 +0 +1 +0$/m);
});
