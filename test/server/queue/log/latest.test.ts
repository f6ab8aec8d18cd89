// A queue keeps its latest records in memory, for a consumer that reads records soon after they are written. The
// records are views of buffers. The memory limit counts whole buffers, because a buffer stays in memory as long as the
// queue keeps one of its records.

import { expect, it } from "vitest";
import { realFiles } from "../../../../server/queue/log/files.ts";
import { LatestRecords, mostBytes } from "../../../../server/queue/log/latest.ts";
import { openQueue } from "../../../../server/queue/queue.ts";
import type { StoredRecord } from "../../../../server/queue/types.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const bound = mostBytes;

/** Returns the size in bytes of all buffers in which bodies and meta data of the records lie. */
function bytesHeld(records: readonly StoredRecord[]): number {
  const pieces = new Set(records.flatMap(({ body, meta }) => [body.buffer, meta.buffer]));
  return [...pieces].reduce((sum, { byteLength }) => sum + byteLength, 0);
}

const at = (offset: number) => ({ segment: 1, offset });
const record = (body: Uint8Array, offset: number, meta = new Uint8Array()): StoredRecord => ({
  body,
  meta,
  points: 1,
  time: 0,
  start: at(offset),
  end: at(offset + 1),
  wasRead: false,
});

function takeAll(latest: LatestRecords, count: number): StoredRecord[] {
  return Array.from({ length: count }, (_, offset) => latest.takeAt(at(offset))).filter((each) => each !== undefined);
}

it("counts the whole buffer when a body or its meta is a slice of a buffer", () => {
  for (const piece of [8 * 1024, 256 * 1024]) {
    const latest = new LatestRecords();
    const slice = () => new Uint8Array(piece).subarray(0, 60);
    for (let offset = 0; offset < 1000; offset++) latest.add(record(slice(), offset, slice()));
    const taken = takeAll(latest, 1000);
    expect(bytesHeld(taken)).toBeLessThanOrEqual(bound);
    expect(bytesHeld(taken)).toBeGreaterThan(bound * 0.7);
  }
});

it("counts a buffer that records share once, and also the record objects", () => {
  const latest = new LatestRecords();
  const shared = new Uint8Array(1024 * 1024);
  for (let offset = 0; offset < 40_000; offset++) latest.add(record(shared.subarray(offset, offset + 60), offset));
  const { length } = takeAll(latest, 40_000);
  expect(length).toBeGreaterThan(4_000);
  expect(length).toBeLessThan(20_000);
});

it("has room again after a record is taken, and no room after the record is given back", () => {
  const latest = new LatestRecords();
  const large = () => new Uint8Array(bound * 0.75);
  latest.add(record(large(), 0));
  latest.add(record(large(), 1));
  const taken = latest.takeAt(at(0))!;
  expect(latest.takeAt(at(1))).toBeUndefined();
  latest.giveBack(taken);
  latest.add(record(large(), 1));
  expect(takeAll(latest, 2)).toEqual([taken]);
  latest.add(record(large(), 2));
  expect(latest.takeAt(at(2))).toBeDefined();
});

it("keeps only a part of a large group of unread puts, without the memory of the others", async () => {
  const queue = await openQueue({
    folder: temporaryFolder(),
    files: realFiles,
    consumers: ["main"],
    maxBytes: 1 << 30,
    segmentBytes: 64 << 20,
    sync: "os",
    full: "refuse",
    now: () => 1000,
    events: {
      dropped: () => {},
      damaged: () => {},
      lost: () => {},
      torn: () => {},
      failed: () => {},
      unwritable: () => {},
      writable: () => {},
    },
  });
  const [consumer] = queue.consumers;
  await queue.put({ body: Buffer.from("first"), meta: Buffer.alloc(0), points: 1 });
  expect(await consumer.next()).toBeDefined();
  const meta = Buffer.from("{}");
  const body = Buffer.alloc(16 * 1024, "x");
  await Promise.all(Array.from({ length: 1000 }, () => queue.put({ body, meta, points: 1 })));
  const taken: StoredRecord[] = [];
  for (let next = (await consumer.next())!; !next.wasRead; next = (await consumer.next())!) taken.push(next);
  expect(taken.length).toBeGreaterThan(50);
  expect(bytesHeld(taken)).toBeLessThanOrEqual(bound);
  await queue.close();
});
