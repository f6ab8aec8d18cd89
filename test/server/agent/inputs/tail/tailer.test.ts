// Tests [[inputs.tail]] with hostile files and damaged state, with a real agent: memory and time stay bounded, and
// nothing is lost without a message.

import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { regularPauseMs } from "../../../../../server/agent/inputs/tail/tailer.ts";
import { canMount } from "../../../../fault/volume.ts";
import { startAgent } from "../../../support/running-agent.ts";
import {
  agentOfTest,
  endOf,
  entryFor,
  folderOfTest,
  messagesOf,
  numbered,
  patience,
  textOf,
} from "../../../support/tailing.ts";

const mebibyte = 1024 * 1024;

/** Returns the largest resident memory of a process so far, in bytes. */
function peakOf(pid: number): number {
  return 1024 * Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]);
}

/** Writes a line of `bytes` bytes that takes no space on the disk: its first byte is a letter, and NULs follow. */
function writeLongLine(file: string, bytes: number): void {
  writeFileSync(file, "x");
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, "\nafter the line\n", bytes);
}

it.each([
  [1, 10_000],
  [10, 10_000],
  [30, 30_000],
  [270, 270_000],
  [5000, 300_000],
])("pauses longer after a longer scan: %i ms, %i ms", (scanMs, pauseMs) => {
  expect(regularPauseMs(scanMs)).toBe(pauseMs);
});

it("cuts a line of 1 GB, also in a container log and in a gzip file, in bounded memory", {
  timeout: 180_000,
}, async () => {
  const folder = folderOfTest();
  const records = path.join(folder, "records");
  mkdirSync(records);
  const agent = await agentOfTest(`${entryFor(folder, "", "*.log*")}${entryFor(records, 'format = "auto"')}`);
  appendFileSync(path.join(folder, "first.log"), "first\n");
  await expect.poll(() => messagesOf(agent), patience).toEqual(["first"]);
  const before = peakOf(agent.pid);
  writeLongLine(path.join(folder, "a.log"), 1024 * mebibyte);
  writeLongLine(path.join(records, "a.log"), 1024 * mebibyte);
  const long = Buffer.concat([Buffer.alloc(100 * mebibyte, "x"), Buffer.from("\nafter the line\n")]);
  writeFileSync(path.join(folder, "b.log.gz"), gzipSync(long, { level: 1 }));
  const short = async () => (await messagesOf(agent)).filter((each) => each.length < 100);
  await expect
    .poll(short, { ...patience, timeout: 150_000 })
    .toEqual(["first", ...Array.from({ length: 3 }, () => "after the line")]);
  expect(await agent.metric('agent_input_tail_cut_event_total{source="web"}')).toBe(3);
  expect(peakOf(agent.pid) - before).toBeLessThan(160 * mebibyte);
});

it("reads 10,000 new files in bounded memory, and answers requests meanwhile", { timeout: 240_000 }, async () => {
  const folder = folderOfTest();
  const agent = await agentOfTest(entryFor(folder));
  for (let at = 0; at < 10_000; at++) writeFileSync(path.join(folder, `${at}.log`), `line ${at}\n`);
  const asked = performance.now();
  expect((await agent.send("/v1/ping")).status).toBe(200);
  expect(performance.now() - asked).toBeLessThan(10_000);
  const count = async () => (await messagesOf(agent)).length;
  await expect.poll(count, { timeout: 200_000, interval: 1000 }).toBe(10_000);
  expect(new Set(await messagesOf(agent)).size).toBe(10_000);
  expect(peakOf(agent.pid)).toBeLessThan(400 * mebibyte);
});

it("reads a file to its end although it is deleted during the read", { timeout: 180_000 }, async () => {
  const folder = folderOfTest();
  const agent = await agentOfTest(entryFor(folder));
  const file = path.join(folder, "a.log");
  appendFileSync(file, "0\n");
  await expect.poll(() => messagesOf(agent), patience).toEqual(["0"]);
  appendFileSync(file, textOf(numbered(0, 200_000)));
  unlinkSync(file);
  await expect.poll(async () => (await messagesOf(agent)).length, patience).toBe(200_001);
});

it.each([
  ["start", ["one", "one", "two", "while no agent ran"]],
  ["end", ["two"]],
])("tells a damaged file of positions, and begins by from = %s", { timeout: 180_000 }, async (from, expected) => {
  const folder = folderOfTest();
  const file = path.join(folder, "a.log");
  const config = entryFor(folder).replace('"start"', `"${from}"`);
  if (from === "start") writeFileSync(file, "one\n");
  else writeFileSync(file, "before\n");
  const first = await agentOfTest(config);
  await expect.poll(() => first.metric('agent_input_tail_files{source="web"}'), patience).toBe(1);
  if (from === "start") await expect.poll(() => messagesOf(first), patience).toEqual(["one"]);
  await endOf(first);
  appendFileSync(file, "while no agent ran\n");
  writeFileSync(path.join(first.dataDir, "tail/positions"), Buffer.alloc(5000, 0xff));
  const second = await agentOfTest(config, { dataDir: first.dataDir });
  await expect.poll(() => second.metric('agent_input_tail_files{source="web"}'), patience).toBe(1);
  appendFileSync(file, "two\n");
  await expect.poll(async () => (await messagesOf(second)).sort(), patience).toEqual(expected);
  expect(second.log()).toMatch(
    /positions: no positions of this version, moved to \S+; each file begins where `from` says/,
  );
});

it.skipIf(!canMount)(
  "keeps reading when the disk for positions is full, and logs this",
  { timeout: 180_000 },
  async () => {
    const folder = folderOfTest();
    const dataDir = mkdtempSync(path.join(tmpdir(), "millrace-tail-full-"));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const volume = path.join(dataDir, "tail");
    mkdirSync(volume);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", volume]);
    onTestFinished(() => {
      execFileSync("umount", ["-l", volume]);
    });
    const agent = await startAgent({ config: entryFor(folder), dataDir });
    onTestFinished(() => agent.kill());
    const file = path.join(folder, "a.log");
    appendFileSync(file, "one\n");
    await expect.poll(() => messagesOf(agent), patience).toEqual(["one"]);
    execFileSync("sh", ["-c", `head -c 100000 /dev/zero > ${volume}/other || true`]);
    // The disk is full, but the file in which the agent saves its read positions may still have space for some records.
    // So the test adds lines until the agent can save no position any more.
    const lines = numbered(0, 100);
    for (const [at, line] of lines.entries()) {
      appendFileSync(file, `${line}\n`);
      await expect.poll(async () => (await messagesOf(agent)).length, patience).toBe(at + 2);
      if (agent.log().includes("positions are not kept")) break;
    }
    expect(agent.log()).toMatch(/positions are not kept, lines may be read again: ENOSPC/);
    rmSync(path.join(volume, "other"));
    const before = (await messagesOf(agent)).length;
    appendFileSync(file, "with room again\n");
    await expect.poll(async () => (await messagesOf(agent)).length, patience).toBe(before + 1);
    await expect.poll(() => readFileSync(path.join(volume, "positions"), "utf8"), patience).toContain(file);
    expect(await messagesOf(agent)).toContain("with room again");
  },
);
