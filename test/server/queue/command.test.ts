// `millrace queue` (list, replay and drop queued points) on the data folder of an agent whose gateway refuses points.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { millrace } from "../support/millrace.ts";
import { childrenOf, openClientOf } from "../support/processes.ts";
import { startGateway } from "../support/recording-gateway.ts";
import { startAgent } from "../support/running-agent.ts";

it("lists, replays and drops the points that an agent left in its queue", async () => {
  const gateway = await startGateway();
  const config = `[gateway]\nurls = ["${gateway.url}"]\nretry_delay = "20ms"\n[io]\nflush_interval = "20ms"`;
  gateway.behave(400);
  const agent = await startAgent({ config });
  const { dataDir } = agent;
  const queue = async (...args: string[]) => await millrace(["queue", ...args, "--data-dir", dataDir]);
  await agent.send("/v1/write/metric", { body: "m v=1i 1\nm v=2i 2" });
  await expect.poll(() => agent.metric('agent_io_dead_letter_point_total{category="metric"}')).toBe(2);
  gateway.behave(500);
  await agent.send("/v1/write/logging", { body: 'l message="x" 1' });
  await expect.poll(() => gateway.seen.some(({ url }) => url.includes("logging"))).toBe(true);

  const running = await queue("ls");
  expect(running.out).toMatch(/^logging +1 +1 +\d+ +\d+s$/m);
  expect(running.out).toMatch(/^dead-letters +1 +2 +\d+ +\d+s$/m);
  expect(running.out).toMatch(/\dZ {2}metric {2}2 points {2}http:\S+ 400 Bad Request: not today/);
  const refused = await queue("replay");
  expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/process \d+ already uses /)]);
  await agent.kill();
  await gateway.quiet();

  expect((await queue("replay", "--category", "logging")).out).toMatch(/^0 points are back/);
  expect((await queue("ls")).out).toMatch(/^dead-letters +1 +2/m);
  expect((await queue("replay")).out).toMatch(/^2 points are back in the queue/);
  expect((await queue("drop", "logging")).out).toBe("1 points of logging dropped\n");
  const after = (await queue("ls")).out;
  expect(after).toMatch(/^metric +1 +2/m);
  expect(after).toMatch(/^logging +0 +0/m);
  expect(after).toMatch(/^dead-letters +0 +0/m);

  gateway.behave(200);
  const second = await startAgent({ config, dataDir });
  await expect.poll(() => gateway.lines().length).toBe(2);
  await second.stop();
  await gateway.close();
});

it("reads the queues of all processes, also of those that the configuration no longer has", async () => {
  const gateway = await startGateway();
  const config = (processes: number) => `[http_api]
request_rate_limit = 0
processes = ${processes}
[gateway]
urls = ["${gateway.url}"]
retry_delay = "20ms"
[io]
flush_interval = "20ms"`;
  gateway.behave(400);
  const agent = await startAgent({ config: config(2) });
  const { dataDir } = agent;
  const queue = async (...args: string[]) => await millrace(["queue", ...args, "--data-dir", dataDir]);
  // The test writes metrics and traces over a connection to an intake process (a process that accepts writes beside the
  // main process). The intake process would pass logs on to the main process, because the agent has scripts for logs.
  const intake = await openClientOf(agent, childrenOf(agent.pid)[0]);
  const toIntake = async (category: string, body: string) => {
    const head = `POST /v1/write/${category} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}`;
    expect(await intake.ask(`${head}\r\n\r\n${body}`)).toMatch(/^HTTP\/1\.1 200 /);
  };
  // Writes to the main process. An intake process (a process that accepts writes beside the main process) passes every
  // chunked body on to the main process, because the length of such a body is not known in advance.
  const toMain = async (category: string, body: string) => {
    await agent.send(`/v1/write/${category}`, { body, headers: { "transfer-encoding": "chunked" } });
  };
  await toIntake("metric", "m v=1i 1");
  await expect.poll(() => agent.metric('agent_io_dead_letter_point_total{category="metric"}')).toBe(1);
  await toMain("metric", "m v=2i 2\nm v=3i 3");
  await expect.poll(() => agent.metric('agent_io_dead_letter_point_total{category="metric"}')).toBe(3);
  gateway.behave(500);
  await toMain("tracing", 'l message="x" 1');
  await toIntake("tracing", 'l message="y" 1');
  const running = (await queue("ls")).out;
  expect(running).toMatch(/^Agent, all of its processes together:\nQUEUE /);
  expect(running).toMatch(/^tracing +2 +2 +\d+ +\d+s$/m);
  expect(running).toMatch(/^dead-letters +2 +3 +\d+ +\d+s$/m);
  // Dead letters are listed by age. The dead letter of the intake process is older, so it comes first, although the
  // folder of the main process is read first.
  expect(Array.from(running.matchAll(/Z {2}metric {2}(\d) points/g), ([, points]) => points)).toEqual(["1", "2"]);
  intake.close();
  await agent.kill();
  await gateway.quiet();

  expect((await queue("drop", "tracing")).out).toBe("2 points of tracing dropped\n");
  expect((await queue("replay")).out).toMatch(/^3 points are back in the queue/);
  const after = (await queue("ls")).out;
  expect(after).toMatch(/^metric +2 +3/m);
  expect(after).toMatch(/^tracing +0 +0/m);
  expect(after).toMatch(/^dead-letters +0 +0/m);

  gateway.behave(200);
  const second = await startAgent({ config: config(1), dataDir });
  await expect.poll(() => gateway.lines().length).toBe(3);
  await second.stop();
  await gateway.close();
});

it("finds the queue at the path of [gateway.wal], and counts requests without points", async () => {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  const elsewhere = mkdtempSync(path.join(tmpdir(), "millrace-wal-"));
  onTestFinished(() => rmSync(elsewhere, { recursive: true }));
  const config = `[gateway]
urls = ["${gateway.url}"]
retry_delay = "20ms"
[gateway.wal]
path = "${elsewhere}/queue"
[io]
flush_interval = "20ms"`;
  gateway.behave(400);
  const agent = await startAgent({ config });
  const file = path.join(agent.dataDir, "agent.toml");
  const queue = async (...args: string[]) =>
    await millrace(["queue", ...args, "--data-dir", agent.dataDir, "--config", file]);
  const headers = { "content-type": "multipart/form-data; boundary=b" };
  for (const body of ["x", "y"]) await agent.send("/v1/write/rum/replay", { body, headers });
  await agent.send("/v1/write/metric", { body: "m v=1i 1\nm v=2i 2" });
  await expect.poll(async () => (await queue("ls")).out).toMatch(/^dead-letters +3 +2 /m);
  const { out } = await queue("ls");
  expect(out.match(/\dZ {2}rum_replay {2}1 request {2}http:/g)).toHaveLength(2);
  expect(out).toMatch(/\dZ {2}metric {2}2 points {2}http:/);
  expect((await agent.send("/monitor")).text).toContain("dead letters 2 points and 2 requests");
  await agent.kill();
  await gateway.quiet();
  const lost = await millrace(["queue", "ls", "--data-dir", agent.dataDir]);
  expect([lost.code, lost.err]).toEqual([1, expect.stringMatching(/name it with --data-dir or --config\n$/)]);
  expect((await queue("replay", "--category", "rum_replay")).out).toMatch(/^2 requests are back in the queue/);
  expect((await queue("drop", "rum_replay")).out).toBe("2 requests of rum_replay dropped\n");
  expect((await queue("replay")).out).toMatch(/^2 points are back in the queue/);
  expect((await queue("drop", "metric")).out).toBe("2 points of metric dropped\n");
  rmSync(agent.dataDir, { recursive: true });
});

it.each([
  [["ls", "--data-dir", "/does/not/exist"], /there is no queue in \/does\/not\/exist/],
  [["nonsense"], /there is no queue|Usage: millrace queue/],
  [["drop", "--category", "nope"], /unknown category nope; one of metric/],
])("millrace queue %j fails with a reason", async (args, reason) => {
  const { code, err } = await millrace(["queue", ...args]);
  expect([code, err]).toEqual([1, expect.stringMatching(reason)]);
});
