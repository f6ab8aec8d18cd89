// The output files of an agent without a gateway: points that were answered with 200 are in the files, also after
// kill -9; a write that cannot be stored is refused with 503.

import { spawnSync } from "node:child_process";
import { mkdirSync, rmdirSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type AgentProcess, startAgent } from "../../support/running-agent.ts";

it("every answered write is in the files after kill -9, and the next agent appends to them", async () => {
  const agent = await startAgent({ config: "[http_api]\nrequest_rate_limit = 0" });
  const { dataDir } = agent;
  const at = "/v1/write/metric?precision=n&ignore_global_host_tags=true";
  const answered: string[] = [];
  let sent = 0;
  let isDown = false;
  const writer = async () => {
    while (!isDown) {
      const body = `m v=${sent++}i 1`;
      const status = await agent.send(at, { body }).then(
        (answer) => answer.status,
        () => 0,
      );
      if (status === 200) answered.push(body);
    }
  };
  const writers = Array.from({ length: 8 }, writer);
  await expect.poll(() => answered.length).toBeGreaterThan(200);
  await agent.kill();
  isDown = true;
  await Promise.all(writers);
  const next = await startAgent({ dataDir });
  expect((await next.send(at, { body: "next v=1i 1" })).status).toBe(200);
  const lines = await next.output("metric");
  const found = new Set(lines);
  expect(answered.filter((line) => !found.has(line))).toEqual([]);
  expect(lines.filter((line) => !/^m v=\d+i 1$/.test(line))).toEqual(["next v=1i 1"]);
  await next.stop();
});

// Only Linux has a device that is always full (/dev/full) and a command that limits the file size of another process.
describe.runIf(process.platform === "linux")("output files that cannot be written", () => {
  let agent: AgentProcess;
  let file: string;
  beforeAll(async () => {
    agent = await startAgent();
    file = path.join(agent.dataDir, "output", "metric.lp");
  });
  afterAll(() => agent.stop());
  beforeEach(() => rmSync(file, { recursive: true, force: true }));

  const write = (body: string, category = "metric") =>
    agent.send(`/v1/write/${category}?precision=n&ignore_global_host_tags=true`, { body });
  const readiness = async () => {
    const { status, text } = await agent.send("/readyz");
    return [status, JSON.parse(text)];
  };
  const lost = () => agent.metric('agent_output_lost_point_total{category="metric"}');

  it.each([
    ["on a full disk", "ENOSPC", () => symlinkSync("/dev/full", file), () => rmSync(file)],
    ["with a folder in the place of the file", "EISDIR", () => mkdirSync(file), () => rmdirSync(file)],
  ])("refuses writes %s, and is not ready until a write succeeds", async (_, code, obstruct, clear) => {
    const before = await lost();
    obstruct();
    const refused = await write("a v=1i 1\nb v=1i 1");
    expect([refused.status, refused.headers["retry-after"], JSON.parse(refused.text)]).toEqual([
      503,
      "5",
      { error_code: "agent.queueFailed", message: `the output file could not be written: ${code}` },
    ]);
    expect((await write("l v=1i 1", "logging")).status).toBe(200);
    expect(await readiness()).toEqual([
      503,
      { status: "not ready", problems: [`the output file of metric could not be written: ${code}`] },
    ]);
    expect(await lost()).toBe(before + 2);
    // Within one second, the agent logs all refused writes in one line.
    await expect.poll(() => agent.log()).toContain(`points of metric refused: ${code}`);

    clear();
    expect((await write("a v=2i 1")).status).toBe(200);
    expect(await readiness()).toEqual([200, { status: "ready" }]);
    expect(await agent.output("metric")).toEqual(["a v=2i 1"]);
  });

  it("removes the partial content of a write that did not fit", async () => {
    const bound = (bytes: number | "unlimited") => {
      const done = spawnSync("prlimit", ["--pid", String(agent.pid), `--fsize=${bytes}:unlimited`], {
        encoding: "utf8",
      });
      expect(done.stderr).toBe("");
    };
    const large = (name: string) =>
      Array.from({ length: 100 }, (_, at) => `${name},tag=${"x".repeat(200)} v=1i ${at + 1}`);
    bound(32 * 1024);
    expect((await write(large("first").join("\n"))).status).toBe(200);
    const refused = await write(large("second").join("\n"));
    expect([refused.status, JSON.parse(refused.text).message]).toEqual([
      503,
      "the output file could not be written: EFBIG",
    ]);
    expect(await agent.output("metric")).toEqual(large("first"));
    expect((await write("third v=1i 1")).status).toBe(200);
    bound("unlimited");
    expect((await write(large("fourth").join("\n"))).status).toBe(200);
    expect(await agent.output("metric")).toEqual([...large("first"), "third v=1i 1", ...large("fourth")]);
  });
});
