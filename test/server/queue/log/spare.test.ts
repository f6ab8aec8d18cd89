// When all consumers have read past a segment, the queue keeps the segment's file as a spare and uses it for the next
// segment. The tests also check failures of these steps.

import { cpSync, linkSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { inspectQueue } from "../../../../server/queue/inspect.ts";
import { type QueueFiles, realFiles } from "../../../../server/queue/log/files.ts";
import { segmentName } from "../../../../server/queue/log/segment-files.ts";
import type { QueueOptions } from "../../../../server/queue/types.ts";
import { faultyFiles } from "../faulty-files.ts";
import { drain, fileOf, hasSpare, noEvents, open, put, text } from "../recording-queue.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { format3 } from "./segment-bytes.ts";

/**
 * Fills two segments and lets the consumer read past the first one, whose file the queue then keeps as a spare for a
 * later segment.
 */
async function withSpare(options: Partial<QueueOptions> = {}) {
  const folder = temporaryFolder();
  const opened = await open(folder, options);
  for (const letter of "abc") await put(opened.queue, text(letter));
  const { ino, size } = statSync(fileOf(folder, 1));
  expect(await drain(opened.queue)).toEqual(["a", "b", "c"].map(text));
  return { ...opened, folder, ino, size };
}

it("overwrites the file of a segment that was passed, and cuts it to its end", async () => {
  const { queue, events, folder, ino, size } = await withSpare();
  expect(hasSpare(folder)).toBe(true);
  expect(queue.bytes).toBe(size + 32 + 136);
  expect(queue.files).toBe(1);
  await put(queue, text("d"));
  await put(queue, "e".repeat(150));
  expect(hasSpare(folder)).toBe(false);
  expect(statSync(fileOf(folder, 3))).toMatchObject({ ino, size });
  expect((await inspectQueue(realFiles, folder)).records).toBe(2);
  const copy = temporaryFolder();
  cpSync(folder, copy, { recursive: true });
  await queue.close();
  expect(statSync(fileOf(folder, 3)).size).toBe(32 + 36 + 150);
  for (const each of [folder, copy]) {
    const again = await open(each);
    expect(await drain(again.queue)).toEqual([text("d"), "e".repeat(150)]);
    expect(again.events).toEqual(events);
    await again.queue.close();
  }
});

it("reads each record once while files are used again and again", async () => {
  const folder = temporaryFolder();
  const { queue } = await open(folder, { consumers: ["main", "second"], sync: "os" });
  const inodes = new Set<number>();
  const got: string[][] = [[], []];
  const texts = Array.from({ length: 200 }, (_, at) => `${at}`.padEnd(90 + (at % 7), "."));
  for (const [at, each] of texts.entries()) {
    await put(queue, each);
    for (const [which, consumer] of queue.consumers.entries()) {
      if (at % (which + 2) > 0) continue;
      for (let record = await consumer.next(); record !== undefined; record = await consumer.next()) {
        got[which]!.push(Buffer.from(record.body).toString());
        await consumer.acknowledge(record.end);
      }
    }
    for (const each of readdirSync(folder)) inodes.add(statSync(path.join(folder, each)).ino);
  }
  for (const each of got) expect(each).toEqual(texts.slice(0, each.length));
  expect(inodes.size).toBeLessThan(10);
  await queue.close();
});

it("keeps one spare, and none after the queue is closed", async () => {
  const { queue, folder } = await withSpare();
  await put(queue, text("d"));
  for (const letter of "efghijk") await put(queue, text(letter));
  await drain(queue);
  expect(readdirSync(folder).filter((each) => each !== "cursor-main" && each !== "mark").length).toBe(2);
  await queue.close();
  expect(hasSpare(folder)).toBe(false);
});

it("keeps no file that is small, met an error, or was made by an earlier format", async () => {
  const small = temporaryFolder();
  const { queue } = await open(small);
  await put(queue, text("a").slice(0, 80));
  await drain(queue);
  await put(queue, "b".repeat(390));
  expect(readdirSync(small)).toEqual([segmentName(2), "cursor-main", "mark"]);
  await queue.close();

  const failing = temporaryFolder();
  const files = faultyFiles();
  const third = await open(failing, { files });
  for (const letter of "ab") await put(third.queue, text(letter));
  files.fail("sync", "EIO", { times: 1 });
  await expect(put(third.queue, "lost")).rejects.toThrow("EIO");
  await put(third.queue, "next");
  expect(await drain(third.queue)).toEqual([text("a"), text("b"), "next"]);
  expect(readdirSync(failing)).toEqual([segmentName(2), "cursor-main", "mark"]);
  await third.queue.close();

  const upgraded = temporaryFolder();
  const earlier = format3();
  const body = "x".repeat(300);
  writeFileSync(fileOf(upgraded, 7), Buffer.concat([earlier.header, earlier.frame(body)]));
  const second = await open(upgraded);
  expect(second.queue.consumers[0]!.backlog).toEqual({ records: 1, points: 1, oldest: 500 });
  await put(second.queue, "new");
  expect(await drain(second.queue)).toEqual([body, "new"]);
  expect(readdirSync(upgraded)).toEqual([segmentName(8), "cursor-main", "mark"]);
  await second.queue.close();
});

it("counts the spare, and removes it before it refuses or drops", async () => {
  for (const full of ["refuse", "drop-oldest"] as const) {
    const { queue, folder } = await withSpare({ maxBytes: 1000, full });
    expect(hasSpare(folder)).toBe(true);
    await put(queue, "x".repeat(600));
    expect(hasSpare(folder)).toBe(false);
    expect(await drain(queue)).toEqual(["x".repeat(600)]);
    await queue.close();
  }
});

type Broken = Partial<Pick<QueueFiles, "rename" | "open" | "size">>;
const fails = () => Promise.reject(new Error("EPERM"));

it.each<[string, (isOn: () => boolean) => Broken]>([
  ["kept", () => ({ rename: (from, to) => (to.endsWith("spare") ? fails() : realFiles.rename(from, to)) })],
  [
    "renamed",
    (isOn) => ({ rename: (from, to) => (isOn() && from.endsWith("spare") ? fails() : realFiles.rename(from, to)) }),
  ],
  ["measured", (isOn) => ({ size: (file) => (isOn() ? fails() : realFiles.size(file)) })],
  ["opened", (isOn) => ({ open: (file) => (isOn() ? fails() : realFiles.open(file)) })],
])("goes on in a new file, telling nobody, when the spare cannot be %s", async (_, breaks) => {
  const folder = temporaryFolder();
  let isOn = false;
  const { queue, events } = await open(folder, { files: { ...realFiles, ...breaks(() => isOn) } });
  for (const letter of "abc") await put(queue, text(letter));
  const { ino } = statSync(fileOf(folder, 1));
  const keeper = path.join(temporaryFolder(), "kept");
  // A second name (hard link) keeps the inode from being given to another file, so that the test can compare inode
  // numbers.
  linkSync(fileOf(folder, 1), keeper);
  expect((await drain(queue)).length).toBe(3);
  isOn = true;
  await put(queue, text("d"));
  await put(queue, text("e"));
  isOn = false;
  expect(statSync(fileOf(folder, 3)).ino).not.toBe(ino);
  expect(hasSpare(folder)).toBe(false);
  expect(await drain(queue)).toEqual(["d", "e"].map(text));
  expect(events).toEqual(noEvents);
  await queue.close();
});

it("makes no file where a segment was dropped while it was opened, by a reader or by an inspection", async () => {
  const folder = temporaryFolder();
  let meanwhile = () => Promise.resolve();
  const files: QueueFiles = {
    ...realFiles,
    open: async (file) => {
      const once = meanwhile;
      meanwhile = () => Promise.resolve();
      await once();
      return await realFiles.open(file);
    },
  };
  const { queue, events } = await open(folder, { files, full: "drop-oldest", maxBytes: 700 });
  const fill = async (letters: string) => {
    for (const letter of letters) await put(queue, text(letter));
  };
  await fill("abcd");
  meanwhile = () => fill("e");
  expect(await drain(queue)).toEqual(["c", "d", "e"].map(text));
  await fill("fghi");
  meanwhile = () => fill("jk");
  const seen: string[] = [];
  await inspectQueue(files, folder, ({ body }) => seen.push(body.toString()[0]!));
  expect("fghijk").toContain(seen.join(""));
  expect(readdirSync(folder).filter((each) => statSync(path.join(folder, each)).size === 0)).toEqual([]);
  expect(events).toEqual(noEvents);
  await queue.close();
});

it("leaves none of the old bytes after the kept ones when a write into a used file fails", async () => {
  for (const operation of ["write", "sync"] as const) {
    const files = faultyFiles();
    const { queue, folder, events } = await withSpare({ files });
    await put(queue, text("d"));
    await put(queue, text("e"));
    await put(queue, "kept");
    files.fail(operation, "EIO", { times: 1, partly: 20 });
    await expect(put(queue, "lost")).rejects.toThrow("EIO");
    expect(statSync(fileOf(folder, 3)).size).toBe(32 + 136 + 40);
    await put(queue, "next");
    expect(readFileSync(fileOf(folder, 4)).length).toBe(32 + 40);
    expect(await drain(queue)).toEqual([text("d"), text("e"), "kept", "next"]);
    expect(events).toEqual({ ...noEvents, writable: ["EIO: injected"] });
    await queue.close();
  }
});
