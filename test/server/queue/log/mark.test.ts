// The mark is a file that stores how far each segment of a queue was written. At its next start, the queue uses the
// mark to find what was cut, damaged or deleted while no process used its files. The queue reports each loss once.

import { closeSync, copyFileSync, openSync, readdirSync, rmSync, statSync, truncateSync, writeSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { inspectQueue } from "../../../../server/queue/inspect.ts";
import { realFiles } from "../../../../server/queue/log/files.ts";
import { Mark, readMark, spacingMs } from "../../../../server/queue/log/mark.ts";
import { segmentName } from "../../../../server/queue/log/segment-files.ts";
import type { DiskQueue } from "../../../../server/queue/queue.ts";
import { faultyFiles } from "../faulty-files.ts";
import { drain, fileOf, noEvents, open, text } from "../recording-queue.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const frame = 36 + 100;
const header = 32;

/**
 * Makes a queue with two segments of two records each, closes it, and returns its folder. The records "a" to "d" have
 * 10 points each. The first `acknowledged` of the records are acknowledged.
 */
async function filled(acknowledged: number): Promise<string> {
  const folder = temporaryFolder();
  const { queue } = await open(folder);
  for (const letter of "abcd") {
    await queue.put({ body: Buffer.from(text(letter)), meta: Buffer.alloc(0), points: 10 });
  }
  const [consumer] = queue.consumers;
  for (let at = 0; at < acknowledged; at++) await consumer!.acknowledge((await consumer!.next())!.end);
  await queue.close();
  return folder;
}

function overwrite(file: string, at: number): void {
  const fd = openSync(file, "r+");
  writeSync(fd, Buffer.from("????"), 0, 4, at);
  closeSync(fd);
}

type Lost = readonly [segment: number, records: number, points: number, bytes: number];

const whole = header + 2 * frame;

it.each<[string, number, (folder: string) => void, readonly Lost[], left: string]>([
  ["nothing", 0, () => {}, [], "abcd"],
  ["nothing, with records acknowledged", 3, () => {}, [], "d"],
  ["the newest segment cut to nothing", 0, (folder) => truncateSync(fileOf(folder, 2), 0), [[2, 2, 20, whole]], "ab"],
  ["the oldest segment cut to nothing", 0, (folder) => truncateSync(fileOf(folder, 1), 0), [[1, 2, 20, whole]], "cd"],
  [
    "the newest segment cut between two records",
    0,
    (folder) => truncateSync(fileOf(folder, 2), header + frame),
    [[2, 1, 10, frame]],
    "abc",
  ],
  [
    "the newest segment cut within a record",
    0,
    (folder) => truncateSync(fileOf(folder, 2), header + frame + 50),
    [[2, 1, 10, frame]],
    "abc",
  ],
  [
    "the oldest segment cut between two records",
    0,
    (folder) => truncateSync(fileOf(folder, 1), header + frame),
    [[1, 1, 10, frame]],
    "acd",
  ],
  ["the newest segment deleted", 0, (folder) => rmSync(fileOf(folder, 2)), [[2, 2, 20, whole]], "ab"],
  [
    "all segments deleted",
    0,
    (folder) => [1, 2].map((number) => rmSync(fileOf(folder, number))),
    [
      [1, 2, 20, whole],
      [2, 2, 20, whole],
    ],
    "",
  ],
  [
    "a segment cut to nothing of which one record was acknowledged",
    1,
    (folder) => truncateSync(fileOf(folder, 1), 0),
    [[1, 1, 10, whole]],
    "cd",
  ],
  [
    "a segment cut before what was acknowledged, and nothing else",
    3,
    (folder) => truncateSync(fileOf(folder, 2), header + 10),
    [[2, 1, 10, whole - header]],
    "",
  ],
  [
    "a segment deleted of which all was acknowledged",
    4,
    (folder) => rmSync(fileOf(folder, 2), { force: true }),
    [],
    "",
  ],
  ["a record damaged", 0, (folder) => overwrite(fileOf(folder, 1), header + 60), [[1, 1, 10, 0]], "bcd"],
  ["a record damaged that was acknowledged", 1, (folder) => overwrite(fileOf(folder, 1), header + 60), [], "bcd"],
  ["a header damaged", 0, (folder) => overwrite(fileOf(folder, 1), 0), [[1, 2, 20, whole]], "cd"],
  ["the mark deleted", 0, (folder) => rmSync(path.join(folder, "mark")), [], "abcd"],
])("finds the lost records after %s, and reports them once", async (_, acknowledged, harm, lost, left) => {
  const folder = await filled(acknowledged);
  harm(folder);
  const expected = lost.map(([segment, ...counts]) => [segmentName(segment), ...counts]);
  const sums = {
    records: lost.reduce((sum, [, records]) => sum + records, 0),
    points: lost.reduce((sum, [, , points]) => sum + points, 0),
  };
  expect((await inspectQueue(realFiles, folder)).lost).toEqual(sums);
  const first = await open(folder);
  expect(first.events.lost).toEqual(expected);
  expect((await inspectQueue(realFiles, folder)).lost).toEqual(sums);
  await first.queue.close();

  const second = await open(folder);
  expect(second.events.lost).toEqual([]);
  expect((await inspectQueue(realFiles, folder)).lost).toEqual(sums);
  expect((await drain(second.queue)).map((each) => each[0]).join("")).toBe(left);
  // The ids of batches contain segment numbers. So the queue uses each segment number only once, even after a loss.
  await second.queue.put({ body: Buffer.from("next"), meta: Buffer.alloc(0), points: 1 });
  expect(readdirSync(folder)).toContain(segmentName(3));
  await second.queue.close();
});

it("reports no loss when the mark is older than the last write", async () => {
  const folder = temporaryFolder();
  const { queue } = await open(folder);
  const mark = path.join(folder, "mark");
  const marks: string[] = [];
  for (const letter of "abcdefgh") {
    copyFileSync(mark, `${mark}-${letter}`);
    marks.push(`${mark}-${letter}`);
    await queue.put({ body: Buffer.from(text(letter)), meta: Buffer.alloc(0), points: 10 });
  }
  await queue.close();
  for (const earlier of marks) {
    copyFileSync(earlier, mark);
    const again = await open(folder);
    expect(again.events).toEqual(noEvents);
    expect(again.queue.consumers[0]!.backlog.points).toBe(80);
    await again.queue.close();
  }
});

it("knows every segment again after it opened a queue of an earlier version without a mark", async () => {
  const folder = await filled(0);
  rmSync(path.join(folder, "mark"));
  await (await open(folder)).queue.close();
  rmSync(fileOf(folder, 1));
  const { queue, events } = await open(folder);
  expect(events.lost).toEqual([[segmentName(1), 2, 20, whole]]);
  await queue.close();
});

it("reports no loss when it drops the oldest segments and removes files that were read", async () => {
  const folder = temporaryFolder();
  const options = { full: "drop-oldest", maxBytes: 1000 } as const;
  const { queue } = await open(folder, options);
  for (const letter of "abcdefghijkl") {
    await queue.put({ body: Buffer.from(text(letter)), meta: Buffer.alloc(0), points: 1 });
  }
  await queue.consumers[0]!.acknowledge((await queue.consumers[0]!.next())!.end);
  await queue.close();
  const again = await open(folder, options);
  expect(again.events.lost).toEqual([]);
  await again.queue.close();
});

/**
 * Returns a file interface that counts writes, bytes and syncs of the mark (the file that stores how far each segment
 * was written).
 */
function countedFiles() {
  const counted = { writes: 0, bytes: 0, syncs: 0 };
  const files = faultyFiles();
  const openOrMake = async (name: string) => {
    const file = await files.openOrMake(name);
    if (!name.endsWith("mark")) return file;
    return {
      ...file,
      write: async (parts: readonly Uint8Array[], at: number) => {
        counted.writes++;
        counted.bytes += parts.reduce((sum, { length }) => sum + length, 0);
        await file.write(parts, at);
      },
      sync: async () => {
        counted.syncs++;
        await file.sync();
      },
    };
  };
  return { files: { ...files, openOrMake }, counted };
}

const puts = (queue: DiskQueue, count: number) =>
  Array.from({ length: count }, () => queue.put({ body: Buffer.from(text("a")), meta: Buffer.alloc(0), points: 1 }));

it("writes the mark at once, then at most once a millisecond, and completely on close", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const folder = temporaryFolder();
  const { files, counted } = countedFiles();
  const { queue } = await open(folder, { segmentBytes: 100_000, files });
  await vi.advanceTimersByTimeAsync(spacingMs);
  const before = { ...counted };
  await Promise.all(puts(queue, 10));
  expect([counted.writes - before.writes, counted.bytes - before.bytes]).toEqual([1, 64]);
  for (let at = 0; at < 40; at++) await Promise.all(puts(queue, 1));
  expect(counted.writes - before.writes).toBe(1);
  await vi.advanceTimersByTimeAsync(spacingMs);
  expect(counted.writes - before.writes).toBe(2);
  await Promise.all(puts(queue, 10));
  await queue.close();
  truncateSync(fileOf(folder, 1), 0);
  const again = await open(folder);
  expect(again.events.lost).toEqual([[segmentName(1), 60, 60, header + 60 * frame]]);
  await again.queue.close();
});

it("syncs the mark only before a file is removed", async () => {
  const { files, counted } = countedFiles();
  const { queue } = await open(temporaryFolder(), { segmentBytes: 100_000, files });
  await Promise.all(puts(queue, 100));
  await drain(queue);
  expect(counted.syncs).toBe(0);
  await queue.put({ body: Buffer.alloc(99_000), meta: Buffer.alloc(0), points: 1 });
  expect(counted.syncs).toBe(1);
  await queue.close();
});

describe("a mark", () => {
  it("keeps the newest segment of a shared entry, and reads the older slot when the newer is torn", async () => {
    const name = path.join(temporaryFolder(), "mark");
    const first = await Mark.open(realFiles, name);
    for (const number of [1, 2, 4097, 4098, 1]) first.note(number, { end: number * 10, records: number, points: 5 });
    await first.close();
    const second = await Mark.open(realFiles, name);
    second.note(4098, { end: 50_000, records: 7, points: 70 });
    await second.close();
    const ends = async () => [...(await readMark(realFiles, name)).segments].map(([number, { end }]) => [number, end]);
    expect(await ends()).toEqual([
      [4097, 40_970],
      [4098, 50_000],
    ]);
    expect(statSync(name).size).toBeLessThan(1024);
    // The mark file has an entry of 128 bytes for each segment; the entry at index 3 belongs to segment 4098. An entry
    // has two slots, into which the queue writes its value alternately. The test damages the first slot, which has the
    // newest value. So the queue uses the older value in the second slot.
    overwrite(name, 3 * 128 + 20);
    expect(await ends()).toEqual([
      [4097, 40_970],
      [4098, 40_980],
    ]);
  });
});
