// A segment file is damaged while the queue is open: the queue reports the damage, skips the damaged records, and no
// longer counts them as waiting once the records after them have been read.

import { closeSync, openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { realFiles } from "../../../../server/queue/log/files.ts";
import { frameHeadBytes } from "../../../../server/queue/log/frame.ts";
import { segmentName } from "../../../../server/queue/log/segment-files.ts";
import { longestHeader } from "../../../../server/queue/log/segment-header.ts";
import { type DiskQueue, openQueue } from "../../../../server/queue/queue.ts";
import type { QueueOptions } from "../../../../server/queue/types.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const size = 60;
const frame = frameHeadBytes + size;

async function open(folder: string, damaged: number[], options: Partial<QueueOptions> = {}): Promise<DiskQueue> {
  return await openQueue({
    folder,
    files: realFiles,
    consumers: ["main"],
    maxBytes: 1 << 20,
    segmentBytes: 1 << 18,
    sync: "os",
    full: "refuse",
    now: () => 1000,
    events: {
      dropped: () => {},
      damaged: (_, offset) => damaged.push(offset),
      lost: () => {},
      torn: () => {},
      failed: () => {},
      unwritable: () => {},
      writable: () => {},
    },
    ...options,
  });
}

const put = (queue: DiskQueue, letter: string) =>
  queue.put({ body: Buffer.from(letter.repeat(size)), meta: Buffer.alloc(0), points: 3 });

/** Changes a byte of the record number `index` (from 0) in the first segment. */
function harm(folder: string, index: number): void {
  const file = path.join(folder, segmentName(1));
  const at = longestHeader + index * frame + frameHeadBytes + 1;
  const [byte] = readFileSync(file).subarray(at);
  const fd = openSync(file, "r+");
  writeSync(fd, Buffer.from([byte! ^ 0x55]), 0, 1, at);
  closeSync(fd);
}

async function drain(queue: DiskQueue): Promise<string> {
  const [consumer] = queue.consumers;
  let letters = "";
  for (let record = await consumer.next(); record !== undefined; record = await consumer.next()) {
    letters += String.fromCharCode(record.body[0]!);
    await consumer.acknowledge(record.end);
  }
  return letters;
}

const none = { records: 0, points: 0, oldest: 0 };

it.each([
  [[0], "bc"],
  [[1], "ac"],
  [[2], "ab"],
  [[0, 1, 2], ""],
] as const)("leaves nothing in the backlog when records %j are damaged", async (harmed, rest) => {
  const folder = temporaryFolder();
  const damaged: number[] = [];
  const queue = await open(folder, damaged);
  for (const letter of "abc") await put(queue, letter);
  for (const index of harmed) harm(folder, index);
  expect(await drain(queue)).toBe(rest);
  expect(damaged[0]).toBe(longestHeader + harmed[0] * frame);
  expect(queue.consumers[0].backlog).toEqual(none);
  for (const letter of "de") await put(queue, letter);
  expect(queue.consumers[0].backlog).toEqual({ records: 2, points: 6, oldest: 1000 });
  expect(await drain(queue)).toBe("de");
  expect(queue.consumers[0].backlog).toEqual(none);
  await queue.close();
});

it("counts records that were read but not acknowledged, and records that arrive later", async () => {
  const folder = temporaryFolder();
  const queue = await open(folder, []);
  const [consumer] = queue.consumers;
  for (const letter of "abc") await put(queue, letter);
  harm(folder, 1);
  const first = (await consumer.next())!;
  const last = (await consumer.next())!;
  expect(await consumer.next()).toBeUndefined();
  expect(consumer.backlog).toEqual({ records: 2, points: 6, oldest: 1000 });
  await put(queue, "d");
  await consumer.acknowledge(first.end);
  expect(consumer.backlog).toEqual({ records: 2, points: 6, oldest: 1000 });
  await consumer.acknowledge(last.end);
  expect(await drain(queue)).toBe("d");
  expect(consumer.backlog).toEqual(none);
  await queue.close();
});

it("makes room when all remaining records are damaged, and keeps the segment aside", async () => {
  const folder = temporaryFolder();
  const queue = await open(folder, [], { maxBytes: longestHeader + 2 * frame + 40, segmentBytes: 1 << 18 });
  for (const letter of "ab") await put(queue, letter);
  for (const index of [0, 1]) harm(folder, index);
  expect(await drain(queue)).toBe("");
  await put(queue, "c");
  expect(readdirSync(path.join(folder, "aside"))).toEqual([segmentName(1)]);
  expect(await drain(queue)).toBe("c");
  await queue.close();
});

it("drops the oldest segment, part of which was damaged, and counts only its readable records", async () => {
  const folder = temporaryFolder();
  const dropped: number[] = [];
  const queue = await open(folder, [], {
    full: "drop-oldest",
    maxBytes: 2 * (longestHeader + 3 * frame) + 20,
    segmentBytes: longestHeader + 3 * frame,
    events: {
      dropped: (records) => dropped.push(records),
      damaged: () => {},
      lost: () => {},
      torn: () => {},
      failed: () => {},
      unwritable: () => {},
      writable: () => {},
    },
  });
  for (const letter of "abc") await put(queue, letter);
  harm(folder, 1);
  const [consumer] = queue.consumers;
  while ((await consumer.next()) !== undefined);
  expect(consumer.backlog.records).toBe(2);
  for (const letter of "defg") await put(queue, letter);
  expect(consumer.backlog).toEqual({ records: 4, points: 12, oldest: 1000 });
  expect(dropped).toEqual([2]);
  await queue.close();
});
