// The file of a segment that all have passed becomes the next segment: what a process leaves at any moment of that, and what fails on the way.

import { cpSync, existsSync, linkSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { crc32 } from "node:zlib";
import { expect, it } from "vitest";
import { type QueueFiles, realFiles } from "../../../server/queue/files.ts";
import { inspectQueue } from "../../../server/queue/inspect.ts";
import { type DiskQueue, openQueue } from "../../../server/queue/queue.ts";
import { segmentName } from "../../../server/queue/segment-files.ts";
import type { QueueOptions } from "../../../server/queue/types.ts";
import { faultyFiles } from "./faulty-files.ts";
import { life, over } from "./format-4.ts";
import { temporaryFolder } from "./temporary-folder.ts";

interface Told {
  readonly damaged: (readonly [file: string, offset: number, bytes: number])[];
  readonly torn: (readonly [file: string, bytes: number])[];
  readonly failed: string[];
}

async function open(folder: string, options: Partial<QueueOptions> = {}): Promise<{ queue: DiskQueue; told: Told }> {
  const told: Told = { damaged: [], torn: [], failed: [] };
  const queue = await openQueue({
    folder,
    files: realFiles,
    consumers: ["main"],
    maxBytes: 1 << 20,
    segmentBytes: 400,
    sync: "group",
    full: "refuse",
    now: () => 1000,
    events: {
      dropped: () => {},
      damaged: (...each) => told.damaged.push(each),
      torn: (...each) => told.torn.push(each),
      failed: (_, error) => told.failed.push(error.message),
    },
    ...options,
  });
  return { queue, told };
}

const put = (queue: DiskQueue, text: string) =>
  queue.put({ body: Buffer.from(text), meta: Buffer.alloc(0), points: 1 });

async function drain({ consumers: [consumer] }: DiskQueue): Promise<string[]> {
  const texts: string[] = [];
  for (let record = await consumer!.next(); record !== undefined; record = await consumer!.next()) {
    texts.push(Buffer.from(record.body).toString());
    await consumer!.acknowledge(record.end);
  }
  return texts;
}

const fileOf = (folder: string, number: number) => path.join(folder, segmentName(number));
const hasSpare = (folder: string) => existsSync(path.join(folder, "spare"));
const text = (letter: string) => letter.repeat(100);

/** Two frames of one segment's life; three such segments are begun below. */
const earlier = life(3);
const old = Buffer.concat([earlier.header, earlier.frame("old 1"), earlier.frame("old 2"), earlier.frame("old 3")]);
const own = life(7, old.length);
const fresh = life(7);
const frame = 36 + "new 1".length;
const flipped = (bytes: Buffer, at: number) => {
  const copy = Buffer.from(bytes);
  copy[at] = copy[at]! ^ 0x55;
  return copy;
};
/** Of the same sizes as one of this life. */
const oldJoined = Buffer.concat([earlier.header, earlier.joined("abc", "def")]);
const ownAfterJoined = life(7, oldJoined.length);
const joined = own.joined("one", "two", "six");

interface Left {
  readonly files: Readonly<Record<string, Buffer>>;
  readonly gives?: readonly string[];
  readonly torn?: number;
  readonly damaged?: readonly [offset: number, bytes: number];
}

const name = segmentName(7);

it.each<[string, Left]>([
  ["a spare", { files: { spare: old } }],
  ["a spare that got the name of a segment, and no header", { files: { [name]: old } }],
  [
    "a spare with the name of a segment before which others wait",
    {
      files: { [segmentName(6)]: over(Buffer.alloc(0), life(6).header, life(6).frame("waits")), [name]: old },
      gives: ["waits"],
    },
  ],
  ["a header over old frames, the next of which begins where one would", { files: { [name]: over(old, own.header) } }],
  [
    "a frame before old ones, the next of which begins where one would",
    {
      files: { [name]: over(old, own.header, own.frame("new 1")) },
      gives: ["new 1"],
    },
  ],
  [
    "a frame of another size before old ones",
    {
      files: { [name]: over(old, own.header, own.frame("new")) },
      gives: ["new"],
    },
  ],
  [
    "frames over all old ones and more",
    {
      files: { [name]: over(old, own.header, ...["a", "b", "c", "d"].map((each) => own.frame(text(each)))) },
      gives: ["a", "b", "c", "d"].map(text),
    },
  ],
  [
    "a head before the payload of an old frame",
    {
      files: { [name]: over(old, own.header, own.frame("new 1"), own.frame("new 2").subarray(0, 36)) },
      gives: ["new 1"],
      torn: frame,
    },
  ],
  [
    "a part of a head before an old frame",
    {
      files: { [name]: over(old, own.header, own.frame("new 1"), own.frame("new 2").subarray(0, 10)) },
      gives: ["new 1"],
    },
  ],
  [
    "a head of a frame that goes on behind the end of the file",
    {
      files: { [name]: over(old, own.header, own.frame("new 1"), own.frame(text("x")).subarray(0, 60)) },
      gives: ["new 1"],
      torn: old.length - 32 - frame,
    },
  ],
  [
    "a head before parts and table of an old frame of the same sizes",
    {
      files: { [name]: over(oldJoined, ownAfterJoined.header, ownAfterJoined.joined("xyz", "uvw").subarray(0, 36)) },
      torn: oldJoined.length - 32,
    },
  ],
  [
    "a torn end behind all old bytes",
    {
      files: { [name]: over(old, own.header, own.frame(text("a")), own.frame(text("b")).subarray(0, 30)) },
      gives: [text("a")],
      torn: 30,
    },
  ],
  [
    "a torn end in a segment that was cut to its end",
    {
      files: { [name]: Buffer.concat([own.header, own.frame("new 1"), Buffer.alloc(20)]) },
      gives: ["new 1"],
      torn: 20,
    },
  ],
  [
    "a torn end in a file that was new",
    {
      files: { [name]: Buffer.concat([fresh.header, fresh.frame("new 1"), Buffer.alloc(20)]) },
      gives: ["new 1"],
      torn: 20,
    },
  ],
  [
    "an old frame between two",
    {
      files: {
        [name]: over(old, own.header, own.frame("new 1"), old.subarray(32 + frame, 32 + 2 * frame), own.frame("new 3")),
      },
      gives: ["new 1", "new 3"],
      damaged: [32 + frame, frame],
    },
  ],
  [
    "a record of several puts, one of them damaged",
    {
      files: { [name]: Buffer.concat([own.header, flipped(joined, 36 + 5), own.frame("after")]) },
      gives: ["one|six", "after"],
      damaged: [32, "two|".length],
    },
  ],
  [
    "a record of several puts whose table is damaged",
    {
      files: { [name]: Buffer.concat([own.header, flipped(joined, joined.length - 20), own.frame("after")]) },
      gives: ["after"],
      damaged: [32, joined.length],
    },
  ],
  [
    "a damaged header",
    { files: { [name]: over(old, flipped(own.header, 20), own.frame("new 1")) }, damaged: [0, old.length] },
  ],
  [
    "the header of a segment that comes later",
    { files: { [name]: Buffer.concat([life(8).header, life(8).frame("x")]) }, damaged: [0, 69] },
  ],
])("a process that ended left %s", async (_, { files, gives = [], torn, damaged }) => {
  const folder = temporaryFolder();
  for (const [each, bytes] of Object.entries(files)) writeFileSync(path.join(folder, each), bytes);
  const before = await inspectQueue(realFiles, folder);
  expect(before.records).toBe(gives.length);
  const { queue, told } = await open(folder);
  expect(hasSpare(folder)).toBe(false);
  expect(queue.consumers[0]!.backlog.records).toBe(gives.length);
  expect(await drain(queue)).toEqual(gives);
  expect(told).toEqual({
    damaged: damaged === undefined ? [] : [[name, ...damaged]],
    torn: torn === undefined ? [] : [[name, torn]],
    failed: [],
  });
  await put(queue, "goes on");
  expect(await drain(queue)).toEqual(["goes on"]);
  await queue.close();
  expect(readdirSync(folder).includes("aside")).toBe(damaged !== undefined);
});

/** Fills two segments and has the first passed by the consumer. */
async function withSpare(options: Partial<QueueOptions> = {}) {
  const folder = temporaryFolder();
  const opened = await open(folder, options);
  for (const letter of "abc") await put(opened.queue, text(letter));
  const { ino, size } = statSync(fileOf(folder, 1));
  expect(await drain(opened.queue)).toEqual(["a", "b", "c"].map(text));
  return { ...opened, folder, ino, size };
}

it("overwrites the file of a segment that was passed, and cuts it to its end", async () => {
  const { queue, told, folder, ino, size } = await withSpare();
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
    expect(again.told).toEqual(told);
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

it("keeps one spare, and none behind it when it ends", async () => {
  const { queue, folder } = await withSpare();
  await put(queue, text("d"));
  for (const letter of "efghijk") await put(queue, text(letter));
  await drain(queue);
  expect(readdirSync(folder).filter((each) => each !== "cursor-main").length).toBe(2);
  await queue.close();
  expect(hasSpare(folder)).toBe(false);
});

it("keeps no file that is small, met an error, or was made by an earlier format", async () => {
  const small = temporaryFolder();
  const { queue } = await open(small);
  await put(queue, text("a").slice(0, 80));
  await drain(queue);
  await put(queue, "b".repeat(390));
  expect(readdirSync(small)).toEqual([segmentName(2), "cursor-main"]);
  await queue.close();

  const failing = temporaryFolder();
  const files = faultyFiles();
  const third = await open(failing, { files });
  for (const letter of "ab") await put(third.queue, text(letter));
  files.fail("sync", "EIO", { times: 1 });
  await expect(put(third.queue, "lost")).rejects.toThrow("EIO");
  await put(third.queue, "next");
  expect(await drain(third.queue)).toEqual([text("a"), text("b"), "next"]);
  expect(readdirSync(failing)).toEqual([segmentName(2), "cursor-main"]);
  await third.queue.close();

  const upgraded = temporaryFolder();
  const head = Buffer.alloc(36);
  const body = Buffer.from("x".repeat(300));
  head.write("MRR3", "latin1");
  head.writeUInt32LE(body.length, 8);
  head.writeUInt32LE(crc32(body), 12);
  head.writeDoubleLE(500, 16);
  head.writeUInt32LE(3, 24);
  head.writeUInt32LE(1, 32);
  head.writeUInt32LE(crc32(head.subarray(8)), 4);
  const header = Buffer.from("MRQUEUE\u0003\0\0\0\0\0\0\0\0", "latin1");
  writeFileSync(fileOf(upgraded, 7), Buffer.concat([header, head, body]));
  const second = await open(upgraded);
  expect(second.queue.consumers[0]!.backlog).toEqual({ records: 1, points: 3, oldest: 500 });
  await put(second.queue, "new");
  expect(await drain(second.queue)).toEqual([body.toString(), "new"]);
  expect(readdirSync(upgraded)).toEqual([segmentName(8), "cursor-main"]);
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
  const { queue, told } = await open(folder, { files: { ...realFiles, ...breaks(() => isOn) } });
  for (const letter of "abc") await put(queue, text(letter));
  const { ino } = statSync(fileOf(folder, 1));
  const keeper = path.join(temporaryFolder(), "kept");
  // The number of the file is not given to another while it has a second name.
  linkSync(fileOf(folder, 1), keeper);
  expect((await drain(queue)).length).toBe(3);
  isOn = true;
  await put(queue, text("d"));
  await put(queue, text("e"));
  isOn = false;
  expect(statSync(fileOf(folder, 3)).ino).not.toBe(ino);
  expect(hasSpare(folder)).toBe(false);
  expect(await drain(queue)).toEqual(["d", "e"].map(text));
  expect(told).toEqual({ damaged: [], torn: [], failed: [] });
  await queue.close();
});

it("makes no file where a segment was dropped while it was opened, by a reader or by one that looks in", async () => {
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
  const { queue, told } = await open(folder, { files, full: "drop-oldest", maxBytes: 700 });
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
  expect(told).toEqual({ damaged: [], torn: [], failed: [] });
  await queue.close();
});

it("leaves nothing of the old bytes behind what was kept when a write into a used file fails", async () => {
  for (const operation of ["write", "sync"] as const) {
    const files = faultyFiles();
    const { queue, folder, told } = await withSpare({ files });
    await put(queue, text("d"));
    await put(queue, text("e"));
    await put(queue, "kept");
    files.fail(operation, "EIO", { times: 1, partly: 20 });
    await expect(put(queue, "lost")).rejects.toThrow("EIO");
    expect(statSync(fileOf(folder, 3)).size).toBe(32 + 136 + 40);
    await put(queue, "next");
    expect(readFileSync(fileOf(folder, 4)).length).toBe(32 + 40);
    expect(await drain(queue)).toEqual([text("d"), text("e"), "kept", "next"]);
    expect(told).toEqual({ damaged: [], torn: [], failed: ["EIO: injected"] });
    await queue.close();
  }
});
