// An agent with intake processes (processes that accept writes beside the main process) passes each connection to the
// process with the fewest connections, however connections and processes end.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { childrenOf, clientPorts, dryWrite, openClientOf, type RawClient, rawClient } from "../../support/processes.ts";
import { type RecordingGateway, startGateway } from "../../support/recording-gateway.ts";
import { type AgentProcess, startAgent } from "../../support/running-agent.ts";

let gateway: RecordingGateway;

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(() => gateway.close());

const start = (timeout: string) =>
  startAgent({
    config: `[http_api]
request_rate_limit = 0
processes = 3
workers = 1
timeout = "${timeout}"
[gateway]
urls = ["${gateway.url}"]
`,
  });

interface Client extends RawClient {
  reset(): void;
}

async function openClient(agent: AgentProcess): Promise<Client> {
  const { hostname, port } = new URL(agent.url);
  const socket = connect(Number(port), hostname);
  const raw = rawClient(socket);
  onTestFinished(() => raw.close());
  await once(socket, "connect");
  return Object.assign(raw, { reset: () => void socket.resetAndDestroy() });
}

/** Opens connections to the agent, one after the other. */
async function openClients(agent: AgentProcess, count: number): Promise<Client[]> {
  const clients: Client[] = [];
  while (clients.length < count) clients.push(await openClient(agent));
  return clients;
}

const counts = (agent: AgentProcess) => clientPorts(agent).map((ports) => ports.length);

// The tests read from /proc which connections each process has, so they need Linux.
describe.skipIf(process.platform !== "linux")("connections", () => {
  let agent: AgentProcess;

  beforeAll(async () => {
    agent = await start("30s");
  });

  afterAll(() => agent.stop());

  /**
   * Waits until the main process knows about all closed connections. A request for metrics makes the main process ask
   * all other processes about their connections.
   */
  async function settle(client: Client): Promise<void> {
    for (let times = 0; times < 3; times++) {
      expect(await client.ask("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 /);
    }
  }

  /**
   * Opens a connection that the main process handles, while no other connection is open. The main process may still
   * count a closed connection and therefore pass the new one to another process. Then the function closes the new
   * connection and tries again.
   */
  async function onlyClient(): Promise<Client> {
    for (;;) {
      const client = await openClient(agent);
      await expect.poll(() => clientPorts(agent).flat()).toEqual([client.port]);
      await settle(client);
      if (clientPorts(agent)[0].includes(client.port)) return client;
      client.close();
    }
  }

  /** Suspends a process with SIGSTOP. It continues at the end of the test, unless it was killed. */
  function hold(pid: number): void {
    process.kill(pid, "SIGSTOP");
    onTestFinished(() => {
      if (childrenOf(agent.pid).includes(pid)) process.kill(pid, "SIGCONT");
    });
  }

  it("are spread evenly, and new ones go to the process whose connections have ended", async () => {
    const clients = [await onlyClient(), ...(await openClients(agent, 11))];
    await expect.poll(() => counts(agent)).toEqual([4, 4, 4]);
    for (const at of [2, 0, 1]) {
      const before = clientPorts(agent);
      const [leaving, staying] = [true, false].map((isIn) =>
        clients.filter(({ port }) => before[at].includes(port) === isIn),
      );
      for (const each of leaving) each.close();
      await expect.poll(() => clientPorts(agent)[at]).toEqual([]);
      await settle(staying[0]);
      const coming = await openClients(agent, 4);
      const expected = before.map((ports, each) => (each === at ? coming.map(({ port }) => port) : ports).toSorted());
      await expect.poll(() => clientPorts(agent).map((ports) => ports.toSorted())).toEqual(expected);
      for (const each of coming) expect(await each.ask(dryWrite)).toMatch(/^HTTP\/1\.1 200 /);
      clients.splice(0, Number.POSITIVE_INFINITY, ...staying, ...coming);
    }
  });

  it("that clients reset at once are no longer counted", async () => {
    const resets = Array.from({ length: 200 }, async () => (await openClient(agent)).reset());
    await Promise.all(resets);
    await onlyClient();
    await openClients(agent, 11);
    await expect.poll(() => counts(agent)).toEqual([4, 4, 4]);
  });

  it("end with their assigned process, also those not yet handed over to it", async () => {
    await onlyClient();
    const [victim] = childrenOf(agent.pid);
    hold(victim);
    const clients = await openClients(agent, 11);
    // The main process has assigned four connections to each of the three processes (itself included). The suspended
    // process cannot receive its four connections. So the main process still has them open, in addition to its own
    // four.
    await expect.poll(() => counts(agent)).toEqual([8, 0, 4]);
    process.kill(victim, "SIGKILL");
    await expect.poll(() => clients.filter(({ isOver }) => isOver).length).toBe(4);
    for (const each of clients.filter(({ isOver }) => !isOver)) {
      expect(await each.ask(dryWrite)).toMatch(/^HTTP\/1\.1 200 /);
    }
    await expect.poll(() => agent.log()).toContain("intake process 2 died and is started again: SIGKILL");
    await expect.poll(() => childrenOf(agent.pid).length).toBe(2);
  });

  it("go to a killed process only after it is started again", async () => {
    const before = childrenOf(agent.pid);
    const [other, victim] = before;
    await openClientOf(agent, victim).then((client) => client.close());
    process.kill(victim, "SIGKILL");
    // The operating system may give the new process a lower id than the killed one had, because the ids begin again
    // after the highest possible one. So the new process may come first in the list of processes.
    const started = () => childrenOf(agent.pid).find((pid) => !before.includes(pid));
    await expect.poll(started, { interval: 5 }).toBeDefined();
    const next = started()!;
    hold(next);
    expect(new Set(childrenOf(agent.pid))).toEqual(new Set([other, next]));
    const first = await openClients(agent, 6);
    const place = [agent.pid, ...childrenOf(agent.pid)].indexOf(next);
    await expect.poll(() => counts(agent).toSpliced(place, 1)).toEqual([3, 3]);
    expect(counts(agent)[place]).toBe(0);
    for (const each of first) expect(await each.ask(dryWrite)).toMatch(/^HTTP\/1\.1 200 /);
    process.kill(next, "SIGCONT");
    // The process that was suspended runs again, so the agent gives it some of the next connections. Another process
    // may get the first of them, so the test opens several.
    await expect.poll(async () => (await openClients(agent, 1)) && counts(agent)[place]).toBeGreaterThan(0);
    await openClientOf(agent, next).then((client) => client.close());
  });
});

it("every process cuts off slow clients, and other clients are served meanwhile", async () => {
  const agent = await start("2s");
  onTestFinished(() => agent.stop());
  const head = "POST /v1/write/metric HTTP/1.1\r\nHost: localhost\r\n";
  const slow: Promise<string>[] = [];
  const others: RawClient[] = [];
  for (const pid of [agent.pid, ...childrenOf(agent.pid)]) {
    for (const begun of [head, `${head}Content-Length: 100\r\n\r\nm v=1i 1\n`]) {
      const client = await openClientOf(agent, pid);
      slow.push(client.ask(begun));
    }
    others.push(await openClientOf(agent, pid));
  }
  let cutOff = 0;
  for (const each of slow) void each.then(() => cutOff++);
  do {
    for (const each of others) expect(await each.ask(dryWrite)).toMatch(/^HTTP\/1\.1 200 /);
  } while (cutOff < slow.length);
  for (const answer of await Promise.all(slow)) expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  for (const each of others) each.close();
});

describe("SIGTERM", () => {
  it("waits for the requests in progress in every process, and refuses new connections", async () => {
    const agent = await start("30s");
    onTestFinished(() => agent.stop());
    const clients: { client: RawClient; socket: Socket }[] = [];
    for (const pid of [agent.pid, ...childrenOf(agent.pid)]) {
      let socket!: Socket;
      const client = await openClientOf(agent, pid, (url) => {
        const { hostname, port } = new URL(url);
        socket = connect(Number(port), hostname);
        return rawClient(socket);
      });
      clients.push({ client, socket });
    }
    const head =
      "POST /v1/write/metric HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n";
    for (const { socket } of clients) {
      const went = once(socket, "data");
      socket.write(head);
      // The answer with the status 100 asks the client for the body, so the request is in progress now.
      expect(String((await went)[0])).toMatch(/^HTTP\/1\.1 100 /);
    }
    agent.signal("SIGTERM");
    const { hostname, port } = new URL(agent.url);
    const isRefused = () =>
      new Promise<boolean>((resolve) => {
        const socket = connect(Number(port), hostname);
        socket.on("connect", () => resolve(!socket.destroy()));
        socket.on("error", () => resolve(true));
      });
    await expect.poll(isRefused).toBe(true);
    const answers = clients.map(({ client }) => client.ask("m v=1i 1\n"));
    for (const answer of await Promise.all(answers)) expect(answer).toMatch(/\r\n\r\nHTTP\/1\.1 200 /);
    await expect.poll(agent.exitCode).toBe(0);
  });

  it("does not wait for connections without a request in progress", async () => {
    const agent = await start("30s");
    onTestFinished(() => agent.stop());
    const clients = await openClients(agent, 12);
    for (const each of clients.slice(6)) expect(await each.ask(dryWrite)).toMatch(/^HTTP\/1\.1 200 /);
    await agent.stop();
    expect(agent.exitCode()).toBe(0);
    await expect.poll(() => clients.every(({ isOver }) => isOver)).toBe(true);
  });
});
