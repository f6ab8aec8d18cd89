// Tests the segment files in the folder of a queue: which files exist, which files the queue removes, and which
// records they contain after failures. spare.test.ts tests how the queue reuses these files.

import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { inspectQueue } from "../../../../server/queue/inspect.ts";
import { type QueueFile, type QueueFiles, realFiles } from "../../../../server/queue/log/files.ts";
import { segmentName } from "../../../../server/queue/log/segment-files.ts";
import { faultyFiles } from "../faulty-files.ts";
import { drain, fileOf, noEvents, open, put, text } from "../recording-queue.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { format3 } from "./segment-bytes.ts";

it("the folder contains only the segments that are needed, and one spare", async () => {
  const folder = temporaryFolder();
  const { queue } = await open(folder);
  for (const letter of "abc") await put(queue, text(letter));
  expect(readdirSync(folder)).toEqual([segmentName(1), segmentName(2), "cursor-main", "mark"]);
  const { size } = statSync(fileOf(folder, 2));
  expect(await drain(queue)).toEqual(["a", "b", "c"].map(text));
  expect(readdirSync(folder)).toEqual([segmentName(2), "cursor-main", "mark", "spare"]);
  expect([queue.bytes - queue.spare.bytes, queue.files]).toEqual([size, 1]);
  await queue.close();
});

it("reads each record once while segments are created, reused and removed", async () => {
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
  expect(inodes.size).toBeLessThan(10);
  for (const each of got) expect(each).toEqual(texts.slice(0, each.length));
  expect(got.map(({ length }) => length)).toEqual([199, 199]);
  await queue.close();
});

it("removes a file of an earlier format when all its records are acknowledged", async () => {
  const folder = temporaryFolder();
  const earlier = format3();
  const body = "x".repeat(300);
  writeFileSync(fileOf(folder, 7), Buffer.concat([earlier.header, earlier.frame(body)]));
  const { queue } = await open(folder);
  expect(queue.consumers[0]!.backlog).toEqual({ records: 1, points: 1, oldest: 500 });
  await put(queue, "new");
  expect(await drain(queue)).toEqual([body, "new"]);
  expect(readdirSync(folder)).toEqual([segmentName(8), "cursor-main", "mark"]);
  await queue.close();
});

it("creates no empty file when a segment is dropped while a reader or an inspection opens it", async () => {
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

it("does not return, nor count twice, a record whose segment is dropped while it is read", async () => {
  let meanwhile = () => Promise.resolve();
  const files: QueueFiles = {
    ...realFiles,
    open: async (name) => {
      const file = await realFiles.open(name);
      const read: QueueFile["read"] = async (into, position) => {
        const once = meanwhile;
        meanwhile = () => Promise.resolve();
        await once();
        return await file.read(into, position);
      };
      return { ...file, read };
    },
  };
  const { queue, events } = await open(temporaryFolder(), { files, full: "drop-oldest", maxBytes: 700 });
  const [consumer] = queue.consumers;
  for (const letter of "abcd") await put(queue, text(letter));
  let putting = Promise.resolve();
  meanwhile = async () => {
    // The put waits for the end of this read, so the read waits only until the queue has dropped the segment.
    putting = put(queue, text("e"));
    await expect.poll(() => consumer!.backlog.records).toBe(2);
  };
  const early = await drain(queue);
  await putting;
  expect([...early, ...(await drain(queue))]).toEqual(["c", "d", "e"].map(text));
  expect(consumer!.backlog).toEqual({ records: 0, points: 0, oldest: 0 });
  expect(events).toEqual(noEvents);
  await queue.close();
});

it("leaves no bytes after the accepted records when a write or a sync fails", async () => {
  for (const operation of ["write", "sync"] as const) {
    const files = faultyFiles();
    const folder = temporaryFolder();
    const { queue, events } = await open(folder, { files });
    await put(queue, text("d"));
    await put(queue, "kept");
    files.fail(operation, "EIO", { times: 1, partly: 20 });
    await expect(put(queue, "lost")).rejects.toThrow("EIO");
    expect(statSync(fileOf(folder, 1)).size).toBe(32 + 136 + 40);
    await put(queue, "next");
    expect(readFileSync(fileOf(folder, 2)).length).toBe(32 + 40);
    expect(await drain(queue)).toEqual([text("d"), "kept", "next"]);
    expect(events).toEqual({ ...noEvents, writable: ["EIO: injected"] });
    await queue.close();
  }
});
