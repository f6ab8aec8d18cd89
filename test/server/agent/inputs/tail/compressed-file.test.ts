// Tests how [[inputs.tail]] reads gzip files, with a real agent.

import { execFileSync } from "node:child_process";
import { appendFileSync, copyFileSync, renameSync, truncateSync, unlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
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

/** Compresses the file `from` as log rotation does: writes the gzip file `to` and deletes `from`. */
function compress(from: string, to: string): void {
  execFileSync("gzip", [from]);
  renameSync(`${from}.gz`, to);
}

const long = (from: number, to: number) => numbered(from, to).map((line) => `${line} ${"x".repeat(50)}`);

it.each([
  ["*.log", 300],
  ["*.log", 3],
  ["*.log*", 300],
])(
  "reads the rest of a file that was compressed while no agent ran: %s, %i lines",
  { timeout: 180_000 },
  async (names, lines) => {
    const folder = folderOfTest();
    const file = path.join(folder, "access.log");
    const config = entryFor(folder, "", names);
    writeFileSync(file, textOf(long(0, lines)));
    // The agent must not mistake another gzip file for the compressed copy of the file that it was reading.
    writeFileSync(path.join(folder, "access.log.9.gz"), gzipSync(textOf(["an old file"])));
    const first = await agentOfTest(config);
    const old = names === "*.log" ? [] : ["an old file"];
    await expect.poll(() => messagesOf(first), patience).toHaveLength(lines + old.length);
    await endOf(first);
    appendFileSync(file, `${textOf(long(lines, 2 * lines))}no line feed`);
    renameSync(file, `${file}.1`);
    compress(`${file}.1`, `${file}.2.gz`);
    writeFileSync(file, "new\n");
    const second = await agentOfTest(config, { dataDir: first.dataDir });
    const expected = [...long(0, 2 * lines), "no line feed", "new", ...old].sort();
    await expect.poll(async () => (await messagesOf(second)).sort(), patience).toEqual(expected);
    expect((await second.output("logging")).filter((line) => line.includes(`filename=${file},`))).toHaveLength(
      2 * lines + 2,
    );
    // When the agent starts once more, it reads no line a second time.
    await endOf(second);
    const third = await agentOfTest(config, { dataDir: first.dataDir });
    appendFileSync(file, "later\n");
    await expect.poll(async () => (await messagesOf(third)).includes("later"), patience).toBe(true);
    expect((await messagesOf(third)).sort()).toEqual([...expected, "later"].sort());
  },
);

// A new file often gets the inode number of a file that was deleted shortly before. The test imitates this: it
// overwrites files in place, so that new files have the inode numbers of earlier ones.
it.each(["*.log*", "*.log"])(
  "reads the rest of a log from its gzip file although inode numbers are reused: %s",
  { timeout: 180_000 },
  async (names) => {
    const folder = folderOfTest();
    const file = path.join(folder, "access.log");
    const old = path.join(folder, "old.log.gz");
    writeFileSync(file, textOf(long(0, 300)));
    writeFileSync(old, gzipSync(textOf(["an old file"])));
    const first = await agentOfTest(entryFor(folder, "", "*.log*"));
    await expect.poll(() => messagesOf(first), patience).toHaveLength(301);
    await endOf(first);
    // The new gzip file has the inode number of a gzip file that the agent has read. The new log file has the inode
    // number of the log file that was compressed.
    writeFileSync(old, gzipSync(textOf(long(0, 600))));
    renameSync(old, `${file}.2.gz`);
    writeFileSync(file, "new\n");
    const second = await agentOfTest(entryFor(folder, "", names), { dataDir: first.dataDir });
    const expected = [...long(0, 600), "new", "an old file"].sort();
    await expect.poll(async () => (await messagesOf(second)).sort(), patience).toEqual(expected);
  },
);

it("reads the rest of a truncated file from the gzip file of its copy", { timeout: 180_000 }, async () => {
  const folder = folderOfTest();
  const file = path.join(folder, "access.log");
  const agent = await agentOfTest(entryFor(folder, "", "*.log*"));
  writeFileSync(file, textOf(long(0, 100)));
  await expect.poll(() => messagesOf(agent), patience).toHaveLength(100);
  // The test suspends the agent. Meanwhile it writes lines to the log file, and copies and truncates the file.
  agent.signal("SIGSTOP");
  appendFileSync(file, textOf(long(100, 200)));
  copyFileSync(file, path.join(folder, "copy"));
  truncateSync(file);
  appendFileSync(file, "new\n");
  compress(path.join(folder, "copy"), `${file}.1.gz`);
  agent.signal("SIGCONT");
  const expected = [...long(0, 200), "new"].sort();
  await expect.poll(async () => (await messagesOf(agent)).sort(), patience).toEqual(expected);
});

it("reads a gzip file that matches a pattern once, but no compressed copy of a file that was read", {
  timeout: 180_000,
}, async () => {
  const folder = folderOfTest();
  const at = (name: string) => path.join(folder, name);
  const agent = await agentOfTest(entryFor(folder, "", "*.log*"));
  writeFileSync(at("old.log.gz"), gzipSync(textOf(long(0, 100))));
  writeFileSync(at("a.log"), textOf(long(100, 200)));
  writeFileSync(at("b.log"), textOf(["short"]));
  const expected = [...long(0, 200), "short"];
  const arrived = () =>
    expect
      .poll(async () => (await messagesOf(agent)).sort(), { ...patience, timeout: 30_000 })
      .toEqual(expected.sort());
  await arrived();
  // The log file a.log is renamed and compressed while the agent still has to read its last lines.
  appendFileSync(at("a.log"), textOf(long(200, 210)));
  renameSync(at("a.log"), at("a.log.1"));
  compress(at("a.log.1"), at("a.log.2.gz"));
  expected.push(...long(200, 210));
  // The log file b.log is copied and then truncated, and the copy is compressed.
  await arrived();
  copyFileSync(at("b.log"), at("copy"));
  truncateSync(at("b.log"));
  writeFileSync(at("b.log"), textOf(["after the copy"]));
  compress(at("copy"), at("b.log.1.gz"));
  expected.push("after the copy");
  // The agent reads the gzip files in the order of their names. So when the line of the last file, end.log.gz, has
  // arrived, the agent has also looked at all other gzip files.
  writeFileSync(at("end.log.gz"), gzipSync("the end"));
  expected.push("the end");
  await arrived();
  renameSync(at("end.log.gz"), at("end.log.2.gz"));
  unlinkSync(at("old.log.gz"));
  appendFileSync(at("b.log"), "last\n");
  expected.push("last");
  await arrived();
  await expect.poll(() => agent.metric('agent_input_tail_unread_bytes{source="web"}'), patience).toBe(0);
});

it("skips gzip files that exist at the first start with from = end", async () => {
  const folder = folderOfTest();
  writeFileSync(path.join(folder, "old.log.gz"), gzipSync("old\n"));
  // Waits, because the agent opens a gzip file only when the file has not changed for two seconds.
  await new Promise((resolve) => setTimeout(resolve, 2100));
  const agent = await agentOfTest(entryFor(folder, "", "*.log*").replace('"start"', '"end"'));
  await expect.poll(() => agent.metric('agent_input_tail_files{source="web"}'), patience).toBe(1);
  writeFileSync(path.join(folder, "new.log.gz"), gzipSync("new\n"));
  await expect.poll(() => messagesOf(agent), patience).toEqual(["new"]);
});

it("continues an incomplete gzip file when the rest arrives, and reports a damaged one", {
  timeout: 180_000,
}, async () => {
  const folder = folderOfTest();
  const agent = await agentOfTest(entryFor(folder, "", "*.gz"));
  const bytes = gzipSync(textOf(long(0, 20_000)), { level: 1 });
  const cut = path.join(folder, "cut.gz");
  writeFileSync(cut, bytes.subarray(0, bytes.length - 3000));
  writeFileSync(path.join(folder, "no.gz"), "this is no gzip file\n");
  await expect.poll(() => agent.log(), patience).toMatch(/cut\.gz: the compressed data ends too early/);
  await expect.poll(() => agent.log(), patience).toMatch(/no\.gz: the compressed data is damaged/);
  const some = (await messagesOf(agent)).length;
  expect(some).toBeGreaterThan(1000);
  expect(some).toBeLessThan(20_000);
  appendFileSync(cut, bytes.subarray(bytes.length - 3000));
  await expect.poll(async () => (await messagesOf(agent)).length, patience).toBe(20_000);
  expect(await messagesOf(agent)).toEqual(long(0, 20_000));
});
