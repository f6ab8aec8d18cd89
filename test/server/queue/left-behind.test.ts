// A queue may write a new segment over the file of an old segment. When the process ends while it is writing, the
// file still contains the end of the old segment. The test builds such files byte by byte, then inspects and opens
// the queue.

import { readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { inspectQueue } from "../../../server/queue/inspect.ts";
import { realFiles } from "../../../server/queue/log/files.ts";
import { segmentName } from "../../../server/queue/log/segment-files.ts";
import { format3, life, over } from "./log/segment-bytes.ts";
import { drain, hasSpare, noEvents, open, put, text } from "./recording-queue.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/**
 * The old segment, which a new segment partly overwrites in the tests. It has three frames (records with checksums).
 */
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
/**
 * Another old segment, which a new segment partly overwrites in the tests. It has one frame (a part of the file
 * with a checksum), which contains two records. The frame has the same size as a frame of the new segment.
 */
const oldJoined = Buffer.concat([earlier.header, earlier.joined("abc", "def")]);
const ownAfterJoined = life(7, oldJoined.length);
const joined = own.joined("one", "two", "six");
const third = format3();
const thirdJoined = third.joined("one", "two", "six");

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
    "a head of a frame that goes on after the end of the file",
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
    "a torn end after all old bytes",
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
    "records of format 3",
    {
      files: {
        [name]: Buffer.concat([third.header, third.frame("old"), thirdJoined, third.frame("x").subarray(0, 30)]),
      },
      gives: ["old", "one|two|six"],
      torn: 30,
    },
  ],
  [
    "a record of several puts in format 3, one of them damaged",
    {
      files: { [name]: Buffer.concat([third.header, flipped(thirdJoined, 36 + 5), third.frame("after")]) },
      gives: ["one|six", "after"],
      damaged: [16, "two|".length],
    },
  ],
  [
    "a record of several puts in format 3 whose table is damaged",
    {
      files: { [name]: Buffer.concat([third.header, flipped(thirdJoined, thirdJoined.length - 20)]) },
      gives: ["one|two|six"],
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
])("a queue opens correctly after a process has left %s", async (_, { files, gives = [], torn, damaged }) => {
  const folder = temporaryFolder();
  for (const [each, bytes] of Object.entries(files)) writeFileSync(path.join(folder, each), bytes);
  const before = await inspectQueue(realFiles, folder);
  expect(before.records).toBe(gives.length);
  const { queue, events } = await open(folder);
  expect(hasSpare(folder)).toBe(false);
  expect(queue.consumers[0]!.backlog.records).toBe(gives.length);
  expect(await drain(queue)).toEqual(gives);
  expect(events).toEqual({
    ...noEvents,
    damaged: damaged === undefined ? [] : [[name, ...damaged]],
    torn: torn === undefined ? [] : [[name, torn]],
  });
  await put(queue, "goes on");
  expect(await drain(queue)).toEqual(["goes on"]);
  await queue.close();
  expect(readdirSync(folder).includes("aside")).toBe(damaged !== undefined);
});
