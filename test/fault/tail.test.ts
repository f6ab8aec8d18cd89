// An agent with [[inputs.tail]] is killed with `kill -9` again and again while its files grow and are rotated:
// renamed, renamed and compressed, copied and truncated. One file is a container log with partial records. Every
// line of the files must arrive, and only lines that were being sent at a kill may arrive twice. The test
// truncates a file only when all its lines have arrived, because the agent cannot read lines that are no longer
// in the file. `MILLRACE_FAULT_ROUNDS` sets the number of kills (default 5; `npm run fault`: 1,000).

import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import type { RecordingGateway } from "../server/support/recording-gateway.ts";
import { startAgent } from "../server/support/running-agent.ts";
import { Arrivals } from "./arrivals.ts";
import { print } from "./ledger.ts";
import { configOf, gatewayOfTest } from "./setting.ts";

const rounds = Number(process.env.MILLRACE_FAULT_ROUNDS ?? 5);

const configFor = (gateway: RecordingGateway, folder: string, more = "") =>
  `${configOf(gateway)}
[[inputs.tail]]
files = ["${folder}/*.log*"]
source = "web"
from = "start"
${more}
[[inputs.tail]]
files = ["${folder}/*.cri*"]
source = "web"
from = "start"
format = "cri"
`;

function folderOfTest(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "millrace-tail-fault-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes numbered lines to a log file, and rotates the file when the test asks for it. */
class Writer {
  written = 0;
  readonly name: string;
  private rotations = 0;
  private readonly folder: string;
  private readonly file: string;

  constructor(folder: string, name: string, extension = "log") {
    this.folder = folder;
    this.file = path.join(folder, `${name}.${extension}`);
    this.name = name;
  }

  write(lines: number): void {
    let text = "";
    for (let at = 0; at < lines; at++)
      text += `${this.name} ${this.written++} ${randomBytes(this.written % 150).toString("hex")}\n`;
    appendFileSync(this.file, text);
  }

  /**
   * Writes lines of the standard output to the log file as a container runtime does: each line in several records,
   * with records of the standard error output in between.
   */
  writeRecords(lines: number): void {
    const record = (stream: string, tag: string, text: string) =>
      appendFileSync(this.file, `${new Date().toISOString()} ${stream} ${tag} ${text}\n`);
    for (let at = 0; at < lines; at += 2) {
      const [first, second] = [`${this.name} ${this.written++} `, `${this.name} ${this.written++} `];
      record("stdout", "P", first);
      record("stderr", "P", second);
      record("stdout", "P", "x".repeat(100));
      record("stderr", "F", "y");
      record("stdout", "F", "z");
    }
  }

  /**
   * Renames the file, as log rotation does. The pattern of the configuration also matches the new name, as
   * docs/inputs.md advises.
   */
  rename(): void {
    if (existsSync(this.file)) renameSync(this.file, `${this.file}.${++this.rotations}`);
  }

  /** Renames the log file, and compresses it under another name. */
  compress(): void {
    if (!existsSync(this.file)) return;
    this.rename();
    execFileSync("gzip", [`${this.file}.${this.rotations}`]);
    renameSync(`${this.file}.${this.rotations}.gz`, `${this.file}.${++this.rotations}.gz`);
  }

  /** Copies the log file to a name that no pattern of the agent matches, and truncates the original. */
  truncate(): void {
    copyFileSync(this.file, path.join(this.folder, `copy ${this.name} ${++this.rotations}`));
    truncateSync(this.file);
  }

  /** Deletes the rotated files and the copies, as log rotation does with old files. */
  removeRotated(): void {
    for (const file of readdirSync(this.folder))
      if (file.startsWith(`${path.basename(this.file)}.`) || file.startsWith(`copy ${this.name} `))
        rmSync(path.join(this.folder, file));
  }
}

it(`no line is lost after kill -9 while files grow and are rotated, ${rounds} rounds`, {
  timeout: 180_000 + rounds * 25_000,
}, async () => {
  const folder = folderOfTest();
  const gateway = await gatewayOfTest();
  const arrivals = new Arrivals(gateway);
  const config = configFor(gateway, folder);
  const writers = ["a", "b", "c", "d"].map((name) => new Writer(folder, name));
  const [renamed, compressed, early, truncated] = writers as [Writer, Writer, Writer, Writer];
  const records = new Writer(folder, "e", "cri");
  const all = [...writers, records];
  const lost = () => all.flatMap(({ name, written }) => arrivals.lost(name, written));
  const sent = () => all.reduce((sum, { written }) => sum + written, 0);
  /**
   * Prints how many lines were written and how many have arrived. The test calls this function when no line is missing.
   */
  const printCounts = (kills: number) => {
    const { different, repeated } = arrivals.look();
    print(`tail, kill -9, ${kills} rounds`, { sent: sent(), refused: 0, arrived: different, repeated, lost: [] });
  };
  let dataDir: string | undefined;
  for (let round = 0; round < rounds; round++) {
    const agent = await startAgent({ config, ...(dataDir === undefined ? {} : { dataDir }) });
    dataDir = agent.dataDir;
    if (round % 3 === 2) {
      // The test waits until all lines have arrived, and writes no new lines meanwhile. Then it truncates one of the
      // files.
      await expect.poll(lost, { timeout: 120_000, interval: 100 }).toEqual([]);
      await wait(1000);
      expect(arrivals.look().settledAgain).toEqual([]);
      // Every line so far has arrived, and for each file the agent has saved its read position after the last line. So
      // none of these lines may arrive again.
      for (const { name, written } of all) arrivals.settle(name, written);
      if (round % 30 === 29) for (const writer of all) writer.removeRotated();
      if (round % 50 < 3) printCounts(round);
      truncated.truncate();
    }
    const before = arrivals.look().different;
    let isKilled = false;
    const writing = (async () => {
      while (!isKilled) {
        for (const writer of writers) writer.write(5);
        records.writeRecords(4);
        await wait(10);
      }
    })();
    await wait(30 + Math.random() * 300);
    // In every second round the test waits for a new line before the kill, so that the agent is certainly reading
    // files.
    if (round % 2 === 0)
      await expect.poll(() => arrivals.look().different, { timeout: 60_000, interval: 20 }).toBeGreaterThan(before);
    const isFirst = round % 4 < 2;
    if (isFirst) early.compress();
    if (isFirst) renamed.rename();
    if (round % 5 === 4) await wait(Math.random() * 4000);
    await agent.kill();
    isKilled = true;
    await writing;
    if (!isFirst) renamed.rename();
    if (!isFirst) records.rename();
    compressed.compress();
    for (const writer of writers) writer.write(10);
  }
  const last = await startAgent({ config, dataDir: dataDir! });
  await expect.poll(lost, { timeout: 180_000, interval: 500 }).toEqual([]);
  printCounts(rounds);
  const { different, repeated } = arrivals;
  expect(different).toBe(sent());
  // The agent reads two files at the same time. After a kill, the next agent may send the last batch of each file
  // again, and a batch has up to 1 MiB. So each kill may cause as many repeated lines as two batches hold.
  const linesOfBatch = (1024 * 1024) / 100;
  expect(repeated).toBeLessThanOrEqual(rounds * 2 * linesOfBatch);
  expect(arrivals.settledAgain).toEqual([]);
  await last.stop();
});

it("reading pauses while the gateway is down and the queue is full, and no line is lost", {
  timeout: 240_000,
}, async () => {
  const folder = folderOfTest();
  const gateway = await gatewayOfTest();
  const arrivals = new Arrivals(gateway);
  const config = `${configFor(gateway, folder)}\n[gateway.wal]\nmax_capacity_gb = 0.002`;
  const agent = await startAgent({ config });
  gateway.behave(503);
  const writer = new Writer(folder, "a");
  for (let part = 0; part < 100; part++) writer.write(1000);
  await expect
    .poll(() => agent.metric('agent_input_tail_wait_total{source="web"}'), { timeout: 60_000 })
    .toBeGreaterThan(2);
  const unread = await agent.metric('agent_input_tail_unread_bytes{source="web"}');
  expect(unread).toBeGreaterThan(1024 * 1024);
  expect(agent.log()).toContain("tail: events wait until the agent takes them");
  // The test deletes the file while the agent still has to read more than 1 MiB of it.
  rmSync(path.join(folder, "a.log"));
  gateway.behave(200);
  await expect.poll(() => arrivals.look().different, { timeout: 120_000, interval: 500 }).toBe(writer.written);
  expect(arrivals.repeated).toBe(0);
  await agent.stop();
});
