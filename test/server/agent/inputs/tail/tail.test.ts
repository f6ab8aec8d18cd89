// Tests [[inputs.tail]] with a real agent: the lines of files arrive as logs, even if the files are renamed, truncated,
// deleted or replaced.

import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
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

it("turns each line into a log, with its file, its tags and the script of its source", async () => {
  const folder = folderOfTest();
  const file = path.join(folder, "a.log");
  writeFileSync(file, 'first\r\n\nsaid "x" \\ y\n');
  const agent = await agentOfTest(entryFor(folder, 'tags = { team = "web team" }'), {
    scripts: { "logging/web.p": "add_key(size, len(_))" },
  });
  await expect.poll(() => messagesOf(agent), patience).toHaveLength(2);
  appendFileSync(file, "half");
  appendFileSync(file, " a line\n");
  await expect.poll(() => messagesOf(agent).then((all) => all.at(-1)), patience).toBe("half a line");
  const [line] = await agent.output("logging");
  const host = /,host=[^, ]+/.exec(line!)![0];
  expect(line).toContain(`web,filename=${file}${host},team=web\\ team message="first"`);
  expect(line).toContain("size=5i");
  expect(await agent.metric('agent_input_tail_files{source="web"}')).toBe(1);
  expect(await agent.metric('agent_io_feed_total{name="v1-write.tail/web",category="logging"}')).toBeGreaterThan(0);
});

it("keeps reading files that are renamed, truncated after a copy, deleted and created again", async () => {
  const folder = folderOfTest();
  const file = path.join(folder, "a.log");
  const agent = await agentOfTest(entryFor(folder));
  const expected: string[] = [];
  const write = (lines: readonly string[], to = file) => {
    expected.push(...lines);
    appendFileSync(to, textOf(lines));
  };
  const arrived = () =>
    expect.poll(async () => (await messagesOf(agent)).sort(), patience).toEqual(expected.toSorted());
  write(numbered(0, 3));
  await arrived();
  // The log file is renamed, and its new name matches no pattern of the agent. The writer still appends some lines to
  // the renamed file after the new log file exists.
  renameSync(file, `${file}.1`);
  write(numbered(3, 5), `${file}.1`);
  write(numbered(5, 8));
  write(numbered(8, 9), `${file}.1`);
  await arrived();
  // The log file is copied and then truncated. Its new content is longer than the content that the agent has read, and
  // begins differently.
  copyFileSync(file, `${file}.2`);
  truncateSync(file);
  write(numbered(100, 120));
  await arrived();
  // The log file is deleted before the agent has read its last lines.
  write(numbered(120, 130));
  unlinkSync(file);
  write(numbered(200, 203));
  await arrived();
  unlinkSync(file);
  write(["another file"]);
  await arrived();
  const rotations = async (kind: string) =>
    await agent.metric(`agent_input_tail_rotation_total{source="web",kind="${kind}"}`);
  expect([await rotations("truncated"), await rotations("renamed")]).toEqual([1, expect.any(Number)]);
  await expect.poll(() => rotations("deleted"), patience).toBeGreaterThan(0);
});

it("reads the rest of a deleted file that has no line feed at its end", async () => {
  const folder = folderOfTest();
  const agent = await agentOfTest(entryFor(folder));
  const file = path.join(folder, "a.log");
  writeFileSync(file, "whole\nhalf");
  await expect.poll(() => messagesOf(agent), patience).toEqual(["whole"]);
  unlinkSync(file);
  await expect.poll(() => messagesOf(agent), patience).toEqual(["whole", "half"]);
});

it("starts at the end of existing files with from = end, and at the start of later files", async () => {
  const folder = folderOfTest();
  const [old, later, missed] = ["old.log", "later.log", "missed.log"].map((name) => path.join(folder, name));
  writeFileSync(old!, "before\n");
  const config = entryFor(folder).replace('"start"', '"end"');
  const first = await agentOfTest(config);
  await expect.poll(() => first.metric('agent_input_tail_files{source="web"}'), patience).toBe(1);
  appendFileSync(old!, "after\n");
  appendFileSync(later!, "from the start\n");
  await expect.poll(async () => (await messagesOf(first)).sort(), patience).toEqual(["after", "from the start"]);
  await endOf(first);
  // A file that appears while no agent runs is read from its start, like every file that appears after the first start.
  appendFileSync(missed!, "while no agent ran\n");
  appendFileSync(old!, "in a known file\n");
  const second = await agentOfTest(config, { dataDir: first.dataDir });
  const all = ["after", "from the start", "in a known file", "while no agent ran"];
  await expect.poll(async () => (await messagesOf(second)).sort(), patience).toEqual(all);
});

it("finds a file that was renamed while no agent ran, and reads a new file of its name as new", async () => {
  const folder = folderOfTest();
  const file = path.join(folder, "a.log");
  writeFileSync(file, "read\n");
  const first = await agentOfTest(entryFor(folder));
  await expect.poll(() => messagesOf(first), patience).toEqual(["read"]);
  await endOf(first);
  appendFileSync(file, "unread\n");
  renameSync(file, `${file}.1`);
  writeFileSync(file, "new\n");
  const second = await agentOfTest(entryFor(folder), { dataDir: first.dataDir });
  await expect.poll(async () => (await messagesOf(second)).sort(), patience).toEqual(["new", "read", "unread"]);
});

it("loses no line and repeats none over reloads, also of a file that is deleted meanwhile", async () => {
  const folder = folderOfTest();
  const file = path.join(folder, "a.log");
  const agent = await agentOfTest(entryFor(folder));
  // Waits until the agent has found the file. If the test deleted the file before, the agent could not read it.
  appendFileSync(file, textOf(numbered(0, 20)));
  await expect.poll(() => messagesOf(agent), patience).toHaveLength(20);
  let written = 20;
  let isDeleted = false;
  const reloads = () => agent.log().split("configuration reloaded").length - 1;
  for (let round = 1; round <= 5; round++) {
    agent.signal("SIGHUP");
    do {
      appendFileSync(file, textOf(numbered(written, written + 20)));
      written += 20;
      if (round === 3 && !isDeleted) {
        unlinkSync(file);
        isDeleted = true;
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    } while (reloads() < round);
  }
  await expect.poll(async () => (await messagesOf(agent)).length, patience).toBeGreaterThanOrEqual(written);
  expect((await messagesOf(agent)).sort()).toEqual(numbered(0, written).sort());
});

it("stops reading when a reload removes the entry, and resumes when a reload adds it again", async () => {
  const folder = folderOfTest();
  const file = path.join(folder, "a.log");
  const agent = await agentOfTest(entryFor(folder));
  const configure = async (text: string, reloads: number) => {
    writeFileSync(path.join(agent.dataDir, "agent.toml"), text);
    agent.signal("SIGHUP");
    await expect.poll(() => agent.log().split("configuration reloaded").length - 1, patience).toBe(reloads);
  };
  appendFileSync(file, "one\n");
  await expect.poll(() => messagesOf(agent), patience).toEqual(["one"]);
  await configure("", 1);
  appendFileSync(file, "two\n");
  expect(await agent.metric('agent_input_tail_files{source="web"}')).toBe(0);
  await configure(entryFor(folder), 2);
  await expect.poll(() => messagesOf(agent), patience).toEqual(["one", "two"]);
});

it("joins lines to events, also the last event, which no line follows", async () => {
  const folder = folderOfTest();
  const file = path.join(folder, "a.log");
  const more = 'multiline_start = "^\\\\d{4}-"\nmultiline_timeout = "300ms"';
  const agent = await agentOfTest(entryFor(folder, more));
  appendFileSync(file, "2024-01-01 boom\n  at a\n  at b\n2024-01-02 ok\n");
  const events = ["2024-01-01 boom\n  at a\n  at b", "2024-01-02 ok"];
  await expect.poll(() => messagesOf(agent), patience).toEqual(events);
  appendFileSync(file, "2024-01-03 cut\n  by a rotation\n");
  renameSync(file, `${file}.1`);
  await expect.poll(() => messagesOf(agent), patience).toEqual([...events, "2024-01-03 cut\n  by a rotation"]);
});

it.each([
  ["utf-16le", (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")])],
  ["utf-16be", (text: string) => Buffer.from(`\ufeff${text}`, "utf16le").swap16()],
  ["gbk", (text: string) => Buffer.from(text.replace("中文", "\xd6\xd0\xce\xc4"), "latin1")],
])("reads %s", async (encoding, bytesOf) => {
  const folder = folderOfTest();
  const agent = await agentOfTest(entryFor(folder, `encoding = "${encoding}"`));
  writeFileSync(path.join(folder, "a.log"), bytesOf("one 中文\r\ntwo\n"));
  await expect.poll(() => messagesOf(agent), patience).toEqual(["one 中文", "two"]);
});

it("reads a file once although links, a hard link and two patterns lead to it", async () => {
  const [folder, elsewhere] = [folderOfTest(), folderOfTest()];
  const target = path.join(elsewhere, "target.txt");
  writeFileSync(target, "one\n");
  symlinkSync(target, path.join(folder, "link.log"));
  linkSync(target, path.join(folder, "hard.log"));
  symlinkSync(elsewhere, path.join(folder, "folder.log"));
  const agent = await agentOfTest(`[[inputs.tail]]
files = ["${folder}/*.log", "${elsewhere}/{target,other}.txt", "${folder}/**/t*.txt"]
exclude = ["other.*"]
from = "start"`);
  await expect.poll(() => messagesOf(agent), patience).toEqual(["one"]);
  writeFileSync(path.join(elsewhere, "other.txt"), "excluded\n");
  appendFileSync(target, "two\n");
  await expect.poll(() => messagesOf(agent), patience).toEqual(["one", "two"]);
  expect(await agent.output("logging")).toEqual([
    expect.stringMatching(/^default,/),
    expect.stringMatching(/^default,/),
  ]);
});

it("reads files of network folders, which report no changes", async () => {
  const folder = folderOfTest();
  const file = path.join(folder, "a.log");
  const agent = await agentOfTest(entryFor(folder, "poll = true"));
  writeFileSync(file, "one\n");
  await expect.poll(() => messagesOf(agent), patience).toEqual(["one"]);
  appendFileSync(file, "two\n");
  await expect.poll(() => messagesOf(agent), patience).toEqual(["one", "two"]);
});

it("survives files that are no logs: NULs, a line of 50 MB, a pipe, a folder, unreadable files", async () => {
  const folder = folderOfTest();
  const at = (name: string) => path.join(folder, name);
  const lines = 50;
  writeFileSync(at("nul.log"), Buffer.concat([Buffer.alloc(5_000_000), Buffer.from("after the NULs\n")]));
  writeFileSync(at("long.log"), Buffer.alloc(lines * 1024 * 1024, "x"));
  appendFileSync(at("long.log"), "\nafter the long line\n");
  execFileSync("mkfifo", [at("pipe.log")]);
  mkdirSync(at("folder.log"));
  writeFileSync(at("secret.log"), "secret\n");
  chmodSync(at("secret.log"), 0);
  symlinkSync(at("nowhere"), at("dangling.log"));
  symlinkSync(at("circle.log"), at("circle.log"));
  const agent = await agentOfTest(entryFor(folder));
  const isRoot = process.getuid?.() === 0;
  const short = async () => (await messagesOf(agent)).filter((each) => each.length < 100).sort();
  const expected = ["after the NULs", "after the long line", ...(isRoot ? ["secret"] : [])].sort();
  await expect.poll(short, patience).toEqual(expected);
  const long = (await messagesOf(agent)).filter((each) => each.length >= 100);
  expect(long).toEqual(["x".repeat(256 * 1024)]);
  expect(await agent.metric('agent_input_tail_cut_event_total{source="web"}')).toBe(1);
  expect(agent.log()).toMatch(/long\.log: an event of more than 262144 bytes \(max_line_bytes\) is cut/);
  expect(await agent.metric('agent_input_tail_unreadable_files{source="web"}')).toBe(isRoot ? 1 : 2);
  expect(agent.log()).toMatch(/circle\.log: cannot be read: ELOOP/);
  chmodSync(at("secret.log"), 0o600);
  await expect.poll(short, patience).toContain("secret");
});

it("keeps its positions in files that only the owner of the agent may read", async () => {
  const folder = folderOfTest();
  writeFileSync(path.join(folder, "a.log"), "one\n");
  const agent = await agentOfTest(entryFor(folder));
  await expect.poll(() => messagesOf(agent), patience).toEqual(["one"]);
  const kept = path.join(agent.dataDir, "tail");
  const modes = [kept, path.join(kept, "positions")].map((each) => (statSync(each).mode & 0o777).toString(8));
  expect(modes).toEqual(["700", "600"]);
});

it("reads a thousand files, and closes deleted ones", { timeout: 60_000 }, async () => {
  const folder = folderOfTest();
  const files = Array.from({ length: 1000 }, (_, at) => path.join(folder, `${at}.log`));
  for (const [at, file] of files.entries()) writeFileSync(file, `first ${at}\n`);
  const agent = await agentOfTest(entryFor(folder));
  const count = async () => (await messagesOf(agent)).length;
  await expect.poll(count, { ...patience, timeout: 40_000 }).toBe(1000);
  expect(await agent.metric('agent_input_tail_files{source="web"}')).toBe(1000);
  for (const file of files.slice(500)) appendFileSync(file, "second\n");
  await expect.poll(count, patience).toBe(1500);
  for (const file of files.slice(10)) unlinkSync(file);
  await expect.poll(() => agent.metric('agent_input_tail_files{source="web"}'), patience).toBe(10);
  expect(await count()).toBe(1500);
});
