// `millrace queue` on the folder of an agent that met a gateway which refuses.

import { expect, it } from "vitest";
import { millrace } from "../millrace.ts";
import { startGateway } from "../recording-gateway.ts";
import { startAgent } from "../running-agent.ts";

it("lists, replays and drops what an agent left behind", async () => {
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

it.each([
  [["ls", "--data-dir", "/does/not/exist"], /there is no queue in \/does\/not\/exist/],
  [["nonsense"], /there is no queue|Usage: millrace queue/],
  [["drop", "--category", "nope"], /unknown category nope; one of metric/],
])("millrace queue %j fails with a reason", async (args, reason) => {
  const { code, err } = await millrace(["queue", ...args]);
  expect([code, err]).toEqual([1, expect.stringMatching(reason)]);
});
