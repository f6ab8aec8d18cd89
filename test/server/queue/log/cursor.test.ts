// The cursor file of a queue, which stores the position up to which a consumer has acknowledged records.

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { crc32 } from "node:zlib";
import { expect, it } from "vitest";
import { Cursor, mostPlanned, type Position } from "../../../../server/queue/log/cursor.ts";
import { realFiles } from "../../../../server/queue/log/files.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const fileIn = (folder: string) => path.join(folder, "cursor-main");
const at = (segment: number, offset: number): Position => ({ segment, offset });

/** Closes the cursor and opens its file again, as a process that starts later does. */
async function reopened(file: string): Promise<{ acknowledged: Position; planned: readonly Position[] }> {
  const cursor = await Cursor.open(realFiles, file);
  const { acknowledged, planned } = cursor;
  await cursor.close();
  return { acknowledged, planned };
}

it("a new cursor starts at the beginning", async () => {
  expect(await reopened(fileIn(temporaryFolder()))).toEqual({ acknowledged: at(0, 0), planned: [] });
});

it("keeps the acknowledged position and the planned ends after it, in order, each once", async () => {
  const file = fileIn(temporaryFolder());
  const cursor = await Cursor.open(realFiles, file);
  for (const end of [at(1, 300), at(1, 200), at(2, 100), at(1, 300)]) cursor.plan(end);
  cursor.acknowledge(at(1, 200));
  await cursor.save();
  expect(await reopened(file)).toEqual({ acknowledged: at(1, 200), planned: [at(1, 300), at(2, 100)] });
  await cursor.close();
});

it("keeps the nearest planned ends when there are too many", async () => {
  const file = fileIn(temporaryFolder());
  const cursor = await Cursor.open(realFiles, file);
  const ends = Array.from({ length: mostPlanned + 3 }, (_, count) => at(1, 100 + count));
  for (const end of ends) cursor.plan(end);
  await cursor.save();
  expect((await reopened(file)).planned).toEqual(ends.slice(0, mostPlanned));
  await cursor.close();
});

it("uses the previous slot when the newest slot is torn", async () => {
  const file = fileIn(temporaryFolder());
  const cursor = await Cursor.open(realFiles, file);
  for (const offset of [100, 200, 300]) {
    cursor.acknowledge(at(1, offset));
    await cursor.save();
  }
  const bytes = readFileSync(file);
  const newest = bytes.indexOf(Buffer.from(new Float64Array([1, 300]).buffer));
  expect(newest).toBeGreaterThan(0);
  bytes[newest + 9] ^= 1;
  writeFileSync(file, bytes);
  expect((await reopened(file)).acknowledged).toEqual(at(1, 200));
  await cursor.close();
});

/**
 * Returns a slot (one of the two records of the cursor file) in the format of an earlier version. Such a slot has 64
 * bytes, and stores only the acknowledged position and the planned end of one batch.
 */
function slotBefore(generation: number, acknowledged: Position, planned: Position): Buffer {
  const slot = Buffer.alloc(64);
  const numbers = [generation, acknowledged.segment, acknowledged.offset, planned.segment, planned.offset];
  for (const [index, number] of numbers.entries()) slot.writeDoubleLE(number, 8 + 8 * index);
  slot.writeUInt32LE(crc32(slot.subarray(4, 56)), 0);
  return slot;
}

it("reads a file of the previous version, and writes after its slots", async () => {
  const file = fileIn(temporaryFolder());
  const before = Buffer.concat([slotBefore(8, at(3, 500), at(3, 700)), slotBefore(7, at(3, 400), at(0, 0))]);
  writeFileSync(file, before);
  expect(await Cursor.read(realFiles, file)).toEqual(at(3, 500));
  const cursor = await Cursor.open(realFiles, file);
  expect(cursor.acknowledged).toEqual(at(3, 500));
  expect(cursor.planned).toEqual([at(3, 700)]);
  cursor.plan(at(3, 900));
  await cursor.save();
  expect(await reopened(file)).toEqual({ acknowledged: at(3, 500), planned: [at(3, 700), at(3, 900)] });
  expect(readFileSync(file).subarray(0, before.length)).toEqual(before);
  await cursor.close();
});
