// An agent that accepts writes in several processes (intake processes): a change made through one process applies to
// all, their counters are added up, and a process that dies is replaced.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { childrenOf, openClient, openClientOf } from "../../support/processes.ts";
import { type RecordingGateway, startGateway } from "../../support/recording-gateway.ts";
import { type AgentProcess, startAgent, writeScript } from "../../support/running-agent.ts";

let gateway: RecordingGateway;
let agent: AgentProcess;

beforeAll(async () => {
  gateway = await startGateway();
  gateway.pull = JSON.stringify({ filters: {}, pull_interval: 1_000_000_000 });
  agent = await startAgent({
    config: `[http_api]
request_rate_limit = 0
processes = 3
workers = 1
[gateway]
urls = ["${gateway.url}"]
retry_delay = "50ms"
[io]
flush_interval = "20ms"
[environments]
ENV_HOSTNAME = "web01"
`,
  });
});

afterAll(async () => {
  await agent.stop();
  await gateway.close();
});

const all = () => [agent.pid, ...childrenOf(agent.pid)];

/** Sends a request to one process of the agent and returns the body of the answer. */
async function askOf(pid: number, line: string, body = ""): Promise<string> {
  const client = await openClientOf(agent, pid);
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  const answer = await client.ask(`${line} HTTP/1.1\r\nHost: localhost\r\n${length}\r\n\r\n${body}`);
  client.close();
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  return answer.slice(answer.indexOf("\r\n\r\n") + 4);
}

/**
 * Sorts the tags of a line, because their order differs: when the agent passes on a line without parsing it, it appends
 * its own tags at the end.
 */
function inOrder(line: string): string {
  const [series, ...pause] = line.split(" ");
  const [name, ...tags] = series.split(",");
  return [[name, ...tags.sort()].join(","), ...pause].join(" ");
}

const linesThatCame = () => gateway.lines().map(inOrder);

let marks = 0;

/** Sends two points (v = 1 and v = 2) to one process and returns the lines that reach the gateway. */
async function arrived(pid: number, category: string, query = ""): Promise<string[]> {
  const mark = `mark=m${++marks},`;
  const body = [1, 2].map((v) => `m,${mark}z=z v=${v}i 1`).join("\n");
  await askOf(pid, `POST /v1/write/${category}${query}`, body);
  const lines = () => gateway.lines().filter((line) => line.includes(mark));
  await expect.poll(lines, { interval: 20 }).not.toEqual([]);
  return lines().map((line) => inOrder(line.replace(mark, "")));
}

/**
 * Sends two points to each intake process, one process after the other, and returns all lines that reach the gateway.
 */
async function arrivedByAll(category: string, query = ""): Promise<string[]> {
  const lines: string[] = [];
  for (const pid of childrenOf(agent.pid)) lines.push(...(await arrived(pid, category, query)));
  return lines;
}

it("each process has its own queue", async () => {
  expect(childrenOf(agent.pid)).toHaveLength(2);
  for (const pid of all()) await askOf(pid, "POST /v1/write/metric", `of,pid=p${pid} v=1i 1`);
  const lines = all().map((pid) => `of,host=web01,pid=p${pid} v=1i 1000000000`);
  await expect.poll(linesThatCame).toEqual(expect.arrayContaining(lines));
  // Each process puts a prefix of its own before the ids of its uploads. The ids have three different prefixes, so each
  // of the three processes has uploaded its own points.
  const ids = gateway.taken.map(({ headers }) => /^ag_[0-9a-f-]{36}/.exec(String(headers["x-pkg-id"]))![0]);
  expect(new Set(ids).size).toBe(3);
});

it("global tags changed through one process apply to the next write of every process", async () => {
  for (const [at, pid] of all().entries()) {
    await askOf(pid, `POST /v1/global/host/tags?round=r${at}`);
    for (const each of all()) {
      expect((await arrived(each, "metric"))[0]).toBe(`m,host=web01,round=r${at},z=z v=1i 1000000000`);
    }
  }
  await askOf(agent.pid, "DELETE /v1/global/host/tags?tags=round");
  for (const each of all()) expect((await arrived(each, "metric"))[0]).toBe("m,host=web01,z=z v=1i 1000000000");
});

it("a new script runs on the writes of every process", async () => {
  writeScript(agent.dataDir, "network/n.p", "add_key(by_script, true)");
  const lines = [1, 2].map((v) => `m,host=web01,z=z by_script=true,v=${v}i 1000000000`);
  await expect.poll(() => arrivedByAll("network", "?source=n"), { interval: 200 }).toEqual([...lines, ...lines]);
});

it("a new filter applies to the writes of every process", async () => {
  gateway.pull = JSON.stringify({ filters: { tracing: ["{ v > 1 }"] }, pull_interval: 1_000_000_000 });
  const line = "m,host=web01,z=z v=1i 1000000000";
  await expect.poll(() => arrivedByAll("tracing"), { interval: 200 }).toEqual([line, line]);
});

describe("the metrics", () => {
  const series = 'agent_io_feed_total{name="v1-write.sum",category="metric"}';

  it("are the sums over all processes, and never decrease", async () => {
    const api = 'agent_http_api_total{api="/v1/write/metric",method="POST",status="OK"}';
    const points = 'agent_io_feed_point{quantile="0.5",name="v1-write.sum",category="metric"}';
    const before = await agent.metric(api);
    let last = 0;
    for (let round = 1; round <= 5; round++) {
      for (const pid of all()) await askOf(pid, "POST /v1/write/metric?input=sum", "m v=1i 1\nm v=2i 2");
      await Promise.all(
        Array.from({ length: 20 }, () => agent.send("/v1/write/metric?input=sum", { body: "m v=1i 1\nm v=2i 2" })),
      );
      const now = await agent.metric(series);
      expect(now).toBeGreaterThanOrEqual(last);
      last = now;
    }
    // The agent counts a write after it has sent the answer, so the counters may change a moment later.
    await expect.poll(() => agent.metric(api)).toBe(before + 5 * 23);
    expect(await agent.metric(series)).toBe(5 * 23);
    expect(await agent.metric('agent_io_feed_point_sum{name="v1-write.sum",category="metric"}')).toBe(5 * 23 * 2);
    expect(Math.abs((await agent.metric(points)) / 2 - 1)).toBeLessThan(0.011);
    expect(
      await agent.metric('agent_io_last_feed_timestamp_seconds{name="v1-write.sum",category="metric"}'),
    ).toBeGreaterThan(Date.now() / 1000 - 60);
  });

  it("report how many points wait in all queues together", async () => {
    const waiting = 'agent_io_queue_points{category="keyevent",gateway="failover"}';
    gateway.behave(500);
    for (const pid of all()) await askOf(pid, "POST /v1/write/keyevent", "k v=1i 1\nk v=2i 2");
    await expect.poll(() => agent.metric(waiting)).toBe(6);
    expect(await agent.metric('agent_io_flush_workers{category="keyevent"}')).toBe(3);
    expect(await agent.metric('agent_io_wal_point_total{category="E",status="D"}')).toBe(6);
    expect(await agent.metric('agent_io_queue_oldest_seconds{category="keyevent",gateway="failover"}')).toBeLessThan(
      60,
    );
    gateway.behave(200);
    await expect.poll(() => agent.metric(waiting)).toBe(0);
  });
});

describe("an intake process that is killed", () => {
  it("is restarted and counted; accepted points arrive, and every connection is answered meanwhile", async () => {
    gateway.behave(500);
    const [victim, other] = childrenOf(agent.pid);
    for (const pid of [victim, other]) {
      const client = await openClientOf(agent, pid);
      const body = `killed,pid=p${pid} v=1i 1`;
      const answer = await client.ask(
        `POST /v1/write/profiling HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
      client.close();
    }
    process.kill(victim, "SIGKILL");
    await expect.poll(() => childrenOf(agent.pid), { interval: 5 }).not.toContain(victim);
    await expect.poll(() => childrenOf(agent.pid).length, { interval: 5 }).toBe(2);
    // The process that replaces the killed one is still starting. So the agent does not pass connections to it yet.
    const changed = agent.send("/v1/global/host/tags?while=starting", { method: "POST" });
    const waiting = 'agent_io_queue_points{category="profiling",gateway="failover"}';
    let answered = 0;
    // Sends writes until the metric of waiting points also counts the two points that the killed process and the other
    // process have left in their queues. This shows that the new process has opened the queue of the killed one.
    do {
      const sent = Array.from({ length: 5 }, () => agent.send("/v1/write/profiling", { body: "meanwhile v=1i 1" }));
      for (const { status } of await Promise.all(sent)) expect(status).toBe(200);
      answered += sent.length;
    } while ((await agent.metric(waiting)) < answered + 2);
    expect((await changed).status).toBe(200);
    expect(await agent.metric("agent_worker_crash_total")).toBe(1);
    await expect.poll(() => agent.log()).toMatch(/intake process 2 died and is started again: SIGKILL/);
    gateway.behave(200);
    const lines = [victim, other].map((pid) => `killed,host=web01,pid=p${pid} v=1i 1000000000`);
    await expect.poll(linesThatCame).toEqual(expect.arrayContaining(lines));
    await expect.poll(() => gateway.lines().filter((line) => line.startsWith("meanwhile")).length).toBe(answered);
    const next = childrenOf(agent.pid).find((pid) => pid !== other)!;
    expect((await arrived(next, "metric"))[0]).toBe("m,host=web01,while=starting,z=z v=1i 1000000000");
  });

  it("loses only its own connections", async () => {
    const [victim, other] = childrenOf(agent.pid);
    const [ended, kept] = [await openClientOf(agent, victim), await openClientOf(agent, other)];
    process.kill(victim, "SIGKILL");
    await expect.poll(() => ended.isOver).toBe(true);
    expect(await kept.ask("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 /);
    const fresh = openClient(agent.url);
    expect(await fresh.ask("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 /);
    for (const client of [kept, fresh]) client.close();
  });
});
