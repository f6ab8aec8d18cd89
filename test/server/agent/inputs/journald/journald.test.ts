// The input journald in a real agent. A program that reads a file takes the place of journalctl.

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { argumentsOf } from "../../../../../server/agent/inputs/journald/options.ts";
import { defaults } from "../../../../../server/config/schema.ts";
import { journalOfTest } from "../../../support/fake-journal.ts";
import { type AgentProcess, startAgent } from "../../../support/running-agent.ts";

const patience = { timeout: 20_000, interval: 50 };

async function agentOfTest(config: string, options: Parameters<typeof startAgent>[0] = {}): Promise<AgentProcess> {
  const agent = await startAgent({ config, ...options });
  onTestFinished(() => agent.stop());
  return agent;
}

async function linesOf(agent: AgentProcess): Promise<string[]> {
  return existsSync(path.join(agent.dataDir, "output/logging.lp")) ? await agent.output("logging") : [];
}

async function messagesOf(agent: AgentProcess): Promise<string[]> {
  const text = (await linesOf(agent)).join("\n");
  return Array.from(text.matchAll(/ message="((?:[^"\\]|\\.)*)"/gs), ([, message]) => message!);
}

const configWith = (more = "") => `[inputs.journald]\nenable = true\nfrom = "start"\n${more}\n`;
const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `line ${from + at}`);

it("creates a log for each journal entry, with priority, unit and pid, and follows the journal", async () => {
  const journal = journalOfTest();
  journal.write(["two\nlines"], { PRIORITY: "3", _SYSTEMD_UNIT: "web.service", _PID: "7", _HOSTNAME: "box", X_Y: "z" });
  const agent = await agentOfTest(
    configWith('units = ["web.service"]\npriority = "info"\nfields = ["X_Y"]\ntags = { team = "x" }'),
    journal,
  );
  await expect.poll(() => messagesOf(agent), patience).toEqual(["two\nlines"]);
  const text = (await linesOf(agent)).join("\n");
  expect(text).toMatch(/^journald,host=box,team=x message=/);
  for (const field of ["priority=3i", 'status="error"', 'unit="web.service"', "pid=7i", 'x_y="z"'])
    expect(text).toContain(field);
  journal.write(["three"]);
  await expect.poll(() => messagesOf(agent), patience).toEqual(["two\nlines", "three"]);
  expect(journal.runs()[0]).toEqual(
    expect.arrayContaining(["--unit=web.service", "--priority=info", "--follow", "--no-tail"]),
  );
  expect(await agent.metric('agent_io_feed_total{name="v1-write.journald/journald",category="logging"}')).toBe(2);
});

it("starts at the end, and then reads all new entries, also those written while no agent ran", async () => {
  const journal = journalOfTest();
  journal.write(["before"]);
  const config = configWith().replace('"start"', '"end"');
  const first = await agentOfTest(config, journal);
  await expect.poll(() => journal.runs().length, patience).toBe(2);
  await first.kill();
  journal.write(["while no agent ran"]);
  const second = await agentOfTest(config, { ...journal, dataDir: first.dataDir });
  journal.write(["after"]);
  await expect.poll(() => messagesOf(second), patience).toEqual(["while no agent ran", "after"]);
});

it("loses no entry and repeats none over reloads", { timeout: 60_000 }, async () => {
  const journal = journalOfTest();
  const agent = await agentOfTest(configWith(), journal);
  const reloads = () => agent.log().split("configuration reloaded").length - 1;
  let written = 0;
  for (let round = 1; round <= 4; round++) {
    agent.signal("SIGHUP");
    do {
      journal.write(numbered(written, written + 5));
      written += 5;
      await new Promise((resolve) => setTimeout(resolve, 10));
    } while (reloads() < round);
  }
  await expect.poll(async () => (await messagesOf(agent)).length, patience).toBeGreaterThanOrEqual(written);
  expect(await messagesOf(agent)).toEqual(numbered(0, written));
});

it("loses no entry when the agent is killed with kill -9", { timeout: 90_000 }, async () => {
  const journal = journalOfTest();
  let dataDir: string | undefined;
  let written = 0;
  for (let round = 0; round < 5; round++) {
    const agent = await startAgent({ config: configWith(), ...journal, ...(dataDir === undefined ? {} : { dataDir }) });
    dataDir = agent.dataDir;
    let isKilled = false;
    const writing = (async () => {
      while (!isKilled) {
        journal.write(numbered(written, written + 5));
        written += 5;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    })();
    await new Promise((resolve) => setTimeout(resolve, 50 + Math.random() * 400));
    await agent.kill();
    isKilled = true;
    await writing;
  }
  const last = await agentOfTest(configWith(), { ...journal, dataDir: dataDir! });
  const found = async () => new Set(await messagesOf(last)).size;
  await expect.poll(found, { ...patience, timeout: 40_000 }).toBe(written);
});

it("restarts journalctl when it ends, and drops a cursor that journalctl rejects", async () => {
  const journal = journalOfTest();
  journal.write(["one"]);
  const first = await agentOfTest(configWith(), journal);
  await expect.poll(() => messagesOf(first), patience).toEqual(["one"]);
  await first.kill();
  writeFileSync(path.join(first.dataDir, "journald/cursor"), "millrace journald cursor 1\nbad=1\n");
  const second = await agentOfTest(configWith(), { ...journal, dataDir: first.dataDir });
  await expect.poll(() => messagesOf(second), patience).toEqual(["one", "one"]);
  expect(second.log()).toMatch(
    /journalctl ended \(1\) Failed to seek to cursor: Invalid argument; it is run again in 1 s/,
  );
  expect(second.log()).toContain("journald: the cursor cannot be used");
});

it("logs that journalctl is not installed, and keeps running", async () => {
  const agent = await agentOfTest(configWith(), { env: { PATH: "/nowhere" } });
  await expect.poll(() => agent.log(), patience).toContain("journald: journalctl is not installed");
  expect((await agent.send("/v1/ping")).status).toBe(200);
});

it("passes only options that the journalctl of this machine supports", (context) => {
  const { error } = spawnSync("journalctl", ["--version"]);
  if (error !== undefined) return context.skip("journalctl is not installed");
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-no-journal-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const config = { ...defaults(), "inputs.journald.directory": folder, "inputs.journald.units": ["a.service"] };
  for (const more of [["--lines=1"], ["--no-tail"]])
    expect(execFileSync("journalctl", [...argumentsOf(config), ...more]).toString()).toBe("");
});
