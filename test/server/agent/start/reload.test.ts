// A reload of the configuration while clients write: no connection is refused, no write is lost, and counters keep
// their values.

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { connect as connectTls } from "node:tls";
import { expect, it, onTestFinished } from "vitest";
import { makeCertificates } from "../../support/certificates.ts";
import { childrenOf, openClient, openClientOf, type RawClient, rawClient } from "../../support/processes.ts";
import { type RecordingGateway, startGateway } from "../../support/recording-gateway.ts";
import { type AgentProcess, startAgent } from "../../support/running-agent.ts";

interface Writer {
  readonly answered: string[];
  /** The answers to this client's writes that had another status than 200. */
  readonly failures: string[];
  /** The local ports of the connections over which this client has sent its writes. */
  readonly ports: Set<number>;
  stop(): Promise<void>;
}

/** Starts a client that writes one point after the other until it is stopped. */
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

const configOf = (gateway: RecordingGateway, processes: number, more = "", http = "") => `[http_api]
request_rate_limit = 0
${http}
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

async function gatewayOfTest(): Promise<RecordingGateway> {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  return gateway;
}

async function agentOfTest(config: string, args: readonly string[] = []): Promise<AgentProcess> {
  const agent = await startAgent({ config, args });
  onTestFinished(() => agent.stop());
  return agent;
}

async function reload(agent: AgentProcess, config: string, told: string): Promise<void> {
  const times = () => agent.log().split(told).length;
  const before = times();
  writeFileSync(path.join(agent.dataDir, "agent.toml"), config);
  agent.signal("SIGHUP");
  await expect.poll(times).toBeGreaterThan(before);
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

it.each([1, 2])("answers every write over successful and failed reloads, with %i processes", async (processes) => {
  const gateway = await gatewayOfTest();
  const agent = await agentOfTest(configOf(gateway, processes));
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
  // Two wrong configurations. With the first, the main process of a new agent fails to start; with the second, an
  // intake process (a process that accepts writes beside the main process) fails. After each failed reload, the old
  // agent goes on with the old configuration.
  const queue = path.join(agent.dataDir, "other");
  mkdirSync(queue);
  const blocked = [path.join(agent.dataDir, "agent.toml"), ...(processes === 1 ? [] : [path.join(queue, "process-2")])];
  for (const file of blocked) {
    if (!existsSync(file)) writeFileSync(file, "");
    const wal = file === blocked[0] ? path.join(file, "queue") : queue;
    await reload(agent, configOf(gateway, processes, `wal.path = "${wal}"`), "going on with the old configuration");
    expect(agent.log()).toMatch(new RegExp(`the new configuration does not start: \\w+: .*${file}`));
  }
  uptimes.push(await uptimeOf(agent));
  for (const writer of all) await writer.stop();

  expect(all.flatMap(({ failures }) => failures)).toEqual([]);
  expect(kept.map(({ ports }) => ports.size)).toEqual(kept.map(() => 1));
  expect(uptimes).toEqual([...new Set(uptimes)].sort((a, b) => a - b));
  const answered = all.flatMap(({ answered }) => answered.map((line) => line.slice(0, -2)));
  // The agent counts an answer a moment after the client has received it. So the test waits for the counter.
  await expect.poll(() => agent.metric(writes)).toBe(answered.length);
  const arrived = () =>
    gateway
      .lines()
      .map((line) => line.replace(/^(\w+),\S+ (n=\d+i) .*/, "$1 $2"))
      .sort();
  await expect.poll(() => arrived().length).toBeGreaterThanOrEqual(answered.length);
  expect(arrived()).toEqual(answered.sort());
  expect(gateway.lines().some((line) => line.includes("tag=b"))).toBe(true);
});

/**
 * Reads the global host tags on each connection before and after a reload that adds a tag. Checks that only the later
 * answers have this tag.
 */
async function askOverReload(agent: AgentProcess, config: string, clients: readonly RawClient[]): Promise<void> {
  const ask = (client: RawClient) => client.ask("GET /v1/global/host/tags HTTP/1.1\r\nHost: localhost\r\n\r\n");
  for (const client of clients) expect(await ask(client)).toMatch(/^HTTP\/1\.1 200 (?![\s\S]*anew)/);
  await reload(agent, `${config}[global_host_tags]\ntag = "anew"\n`, "configuration reloaded");
  for (const client of clients) {
    expect(await ask(client)).toMatch(/^HTTP\/1\.1 200 [\s\S]*"tag":"anew"/);
    client.close();
  }
}

it("combines signals that arrive together into one reload", async () => {
  const agent = await startAgent({ env: { ENV_RELOAD_INTERVAL: "1h" } });
  onTestFinished(() => agent.stop());
  const told = (text: string) => agent.log().split(text).length - 1;
  agent.signal("SIGHUP");
  await expect.poll(() => told("configuration reloaded")).toBe(1);
  agent.signal("SIGHUP");
  await expect.poll(() => told("the configuration is read again in")).toBe(1);
  for (let count = 0; count < 20; count++) {
    agent.signal("SIGHUP");
    expect((await agent.send("/v1/ping")).status).toBe(200);
  }
  expect([told("configuration reloaded"), told("the configuration is read again in")]).toEqual([1, 1]);
});

it.each([
  ["in a row", "5s", false],
  ["each of which arrives", "1h", true],
])(
  "makes two reloads at most of 195 signals %s, and answers every write meanwhile",
  async (_how, interval, arrives) => {
    const gateway = await gatewayOfTest();
    const agent = await startAgent({ config: configOf(gateway, 1), env: { ENV_RELOAD_INTERVAL: interval } });
    onTestFinished(() => agent.stop());
    const told = (text: string) => agent.log().split(text).length - 1;
    const reloads = () => told("configuration reloaded");
    const keeping = new Agent({ keepAlive: true, maxSockets: 1 });
    const writers = [startWriter(agent.url, "kept", keeping), startWriter(agent.url, "new", false)];
    for (let count = 0; count < 195; count++) {
      agent.signal("SIGHUP");
      // When a process has not handled a signal yet, the operating system merges the next signal with it. So before
      // each further signal, the test waits until the process has handled the last one.
      if (arrives) expect((await agent.send("/v1/ping")).status).toBe(200);
    }
    await expect.poll(reloads).toBeGreaterThan(0);
    const before = writers.map(({ answered }) => answered.length);
    await expect.poll(() => writers.every(({ answered }, at) => answered.length > before[at]! + 50)).toBe(true);
    // All signals that arrive during the first reload together cause one more reload, after the minimum interval.
    const waits = told("the configuration is read again in");
    const expected = interval === "1h" ? 1 : 1 + waits;
    await expect.poll(reloads, { timeout: 20_000 }).toBe(expected);
    for (const writer of writers) await writer.stop();
    expect(waits).toBeLessThanOrEqual(1);
    expect([reloads(), told("the configuration is read again in")]).toEqual([expected, waits]);
    expect(writers.flatMap(({ failures }) => failures)).toEqual([]);
    expect(writers.flatMap(({ answered }) => answered).length).toBeGreaterThan(100);
  },
);

function folderOfTest(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-reload-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

it("keeps connections over Unix sockets open during a reload", async () => {
  const [main, further] = ["main", "further"].map((name) => path.join(folderOfTest(), name));
  const config = configOf(await gatewayOfTest(), 1, "", `listen_socket = "${further}"`);
  const agent = await agentOfTest(config, ["--listen", main]);
  await askOverReload(
    agent,
    config,
    [main, further].map((file) => rawClient(connect(file))),
  );
});

it("keeps TLS connections to every process, and plain ones over a Unix socket, during a reload", async () => {
  const { files, remove } = makeCertificates();
  onTestFinished(remove);
  const further = path.join(folderOfTest(), "further");
  const tls = `[http_api.tls]\ncert = "${files.cert}"\nprivkey = "${files.key}"\n`;
  const config = configOf(await gatewayOfTest(), 2, "", `listen_socket = "${further}"`) + tls;
  const agent = await agentOfTest(config);
  const open = (url: string) => {
    const { hostname: host, port } = new URL(url);
    return rawClient(connectTls({ host, port: Number(port), rejectUnauthorized: false }));
  };
  const clients = [rawClient(connect(further))];
  for (const pid of [agent.pid, ...childrenOf(agent.pid)]) clients.push(await openClientOf(agent, pid, open));
  await askOverReload(agent, config, clients);
});

/**
 * Sends the same write again and again. Returns the first answer whose status is not 200, or an empty string when
 * `isStopping` returns true before there is such an answer.
 */
async function writeUntilRefused(client: RawClient, isStopping: () => boolean): Promise<string> {
  const write = "POST /v1/write/metric HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6\r\n\r\nm v=1i";
  for (let answer = ""; !isStopping(); ) {
    answer = await client.ask(write);
    if (!answer.startsWith("HTTP/1.1 200 ")) return answer;
  }
  return "";
}

const notReady = /^HTTP\/1\.1 503 [\s\S]*\r\nretry-after: 2\r\n[\s\S]*"agent\.notReady"/i;

it("refuses requests to a process that a reload removed, and continues in the others", async () => {
  const gateway = await gatewayOfTest();
  const agent = await agentOfTest(configOf(gateway, 3));
  const pids = [agent.pid, ...childrenOf(agent.pid)];
  const clients: RawClient[] = [];
  for (const pid of pids) clients.push(await openClientOf(agent, pid));
  let isStopping = false;
  const writing = clients.map((client) => writeUntilRefused(client, () => isStopping));
  await reload(agent, configOf(gateway, 2), "configuration reloaded");
  isStopping = true;
  const answers = await Promise.all(writing);
  const left = [agent.pid, ...childrenOf(agent.pid)];
  expect(left).toHaveLength(2);
  expect(answers.map((answer) => notReady.test(answer))).toEqual(pids.map((pid) => !left.includes(pid)));
  await expect.poll(() => clients.map(({ isOver }) => isOver)).toEqual(pids.map((pid) => !left.includes(pid)));
  for (const client of clients) client.close();
});

it("refuses requests to any process while neither configuration starts", async () => {
  const config = configOf(await gatewayOfTest(), 2);
  const agent = await agentOfTest(config);
  const clients: RawClient[] = [];
  for (const pid of [agent.pid, ...childrenOf(agent.pid)]) clients.push(await openClientOf(agent, pid));
  const writing = clients.map((client) => writeUntilRefused(client, () => false));
  const labels = path.join(agent.dataDir, "object-labels.json");
  writeFileSync(labels, "no JSON");
  await reload(agent, config, "no agent runs");
  for (const answer of await Promise.all(writing)) expect(answer).toMatch(notReady);
  rmSync(labels);
  await expect.poll(() => agent.log()).toContain("configuration reloaded");
  const client = openClient(agent.url);
  expect(await client.ask("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 /);
  client.close();
  expect(childrenOf(agent.pid)).toHaveLength(1);
});
