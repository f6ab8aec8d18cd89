// Script files that are changed, broken, corrected and deleted while an agent runs, and what the agent shows about
// them.

import { rmSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { millrace } from "../../support/millrace.ts";
import { childrenOf, openClientOf } from "../../support/processes.ts";
import { startGateway } from "../../support/recording-gateway.ts";
import { startAgent, writeScript } from "../../support/running-agent.ts";

const mark = (version: number) => `add_key(by, ${version})`;
const broken = "x = = 1";
const patience = { interval: 200 };

it("keeps the last good version of a broken file, and reports the file until it is fixed or deleted", {
  timeout: 240_000,
}, async () => {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  const agent = await startAgent({
    config: `[gateway]
urls = ["${gateway.url}"]
[http_api]
workers = 1
processes = 2
request_rate_limit = 0
timeout = "6s"
[pipeline]
max_steps_per_point = 0
max_steps_per_write = 0
[io]
flush_interval = "20ms"`,
    scripts: {
      "metric/s.p": mark(1),
      "metric/never.p": broken,
      "metric/other.p": mark(1),
      "metric/forever.p": "for ;; {}",
    },
  });
  onTestFinished(() => agent.stop());
  let written = 0;
  /**
   * Writes a point with the given `source`. Returns the number that the script for this source sets as the field `by`.
   * With `pid`, writes the point over a connection that this process of the agent handles.
   */
  const markOf = async (source: string, pid?: number) => {
    const id = `w${++written}`;
    const at = `/v1/write/metric?source=${source}`;
    const body = `${id} v=1i 1`;
    // The agent may refuse a write while a worker thread is just starting. So the test repeats the write until the
    // agent accepts it.
    if (pid === undefined) await expect.poll(async () => (await agent.send(at, { body })).status, patience).toBe(200);
    else {
      const client = await openClientOf(agent, pid);
      const head = `POST ${at} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n`;
      expect(await client.ask(head + body)).toMatch(/^HTTP\/1\.1 200 /);
      client.close();
    }
    const line = () => gateway.lines().find((each) => each.startsWith(`${id},`) || each.startsWith(`${id} `));
    await expect.poll(line, patience).toBeDefined();
    return Number(/by=(\d)i/.exec(line()!)?.[1] ?? 0);
  };
  /** Returns the names of the metrics in which the agent shows an error of the script. */
  const shown = async (name: string) => {
    const { text } = await agent.send("/metrics");
    const samples = text.split("\n").filter((each) => /^agent_(?:last_err|pipeline_compile_error)\{/.test(each));
    return samples.filter((each) => each.includes(`${name}.p:1:5: `)).map((each) => each.slice(0, each.indexOf("{")));
  };
  const scriptsPage = async () => {
    const { out } = await millrace(["monitor", "--to", new URL(agent.url).host, "--once", "-W", "300"]);
    return out.split("\n");
  };
  const both = ["agent_last_err", "agent_pipeline_compile_error"];

  expect([await markOf("s"), await markOf("never"), await markOf("other")]).toEqual([1, 0, 1]);
  expect((await shown("never")).sort()).toEqual(both);
  await expect.poll(() => agent.log()).toMatch(/script metric\/never\.p is not in force: never\.p:1:5: /);

  // s.p becomes broken. other.p changes at the same time, so its new version shows that the agent has read both files.
  writeScript(agent.dataDir, "metric/s.p", broken);
  writeScript(agent.dataDir, "metric/other.p", mark(2));
  await expect.poll(() => markOf("other"), patience).toBe(2);
  await expect.poll(async () => (await shown("s")).sort(), patience).toEqual(both);
  const [intake] = childrenOf(agent.pid);
  expect([await markOf("s"), await markOf("s", intake)]).toEqual([1, 1]);
  const version = String.raw`its version of \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`;
  expect(agent.log()).toMatch(
    new RegExp(`script metric/s\\.p does not compile, ${version} goes on running: s\\.p:1:5: `),
  );
  const page = await scriptsPage();
  expect(page).toContainEqual(expect.stringMatching(new RegExp(`^metric/s\\.p: ${version} runs, error: s\\.p:1:5: `)));
  expect(page).toContainEqual(expect.stringMatching(/^metric\/never\.p: does not run, error: never\.p:1:5: /));
  expect(page).toContainEqual(expect.stringMatching(/ago {2}metric\/s\.p: s\.p:1:5: /));

  // When the agent reloads its configuration, it also reads the script files again. It must go on running the last good
  // version of metric/s.p, because the file of the script is still broken.
  process.kill(agent.pid, "SIGHUP");
  await expect.poll(() => agent.log(), patience).toMatch(/configuration reloaded/);
  expect(await markOf("s")).toBe(1);

  // A write runs the script metric/forever.p, which loops endlessly. So the agent replaces the worker thread that runs
  // it. The new thread must run the last good version of metric/s.p, which it has never compiled before.
  expect((await agent.send("/v1/write/metric?source=forever", { body: "l v=1i 1" })).status).toBe(408);
  expect(await markOf("s")).toBe(1);

  writeScript(agent.dataDir, "metric/s.p", mark(2));
  rmSync(path.join(agent.dataDir, "pipeline/metric/never.p"));
  await expect.poll(() => markOf("s"), patience).toBe(2);
  expect([await shown("s"), await shown("never")]).toEqual([[], []]);
  expect((await scriptsPage()).join("\n")).not.toContain("error:");

  writeScript(agent.dataDir, "metric/s.p", broken);
  await expect.poll(() => shown("s"), patience).toHaveLength(2);
  expect(await markOf("s")).toBe(2);
  rmSync(path.join(agent.dataDir, "pipeline/metric/s.p"));
  await expect.poll(() => markOf("s"), patience).toBe(0);
  expect(await shown("s")).toEqual([]);
});
