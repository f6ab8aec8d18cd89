// When all consumers have acknowledged the records of a segment, the queue keeps the segment's file as a spare and
// writes the next segment over it. The tests also make these steps fail.

import { cpSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { inspectQueue } from "../../../../server/queue/inspect.ts";
import { type QueueFiles, realFiles } from "../../../../server/queue/log/files.ts";
import { segmentName } from "../../../../server/queue/log/segment-files.ts";
import type { QueueOptions } from "../../../../server/queue/types.ts";
import { crashingDisk, folder as diskFolder } from "../crashing-disk.ts";
import { faultyFiles } from "../faulty-files.ts";
import { drain, fileOf, hasSpare, noEvents, open, put, text } from "../recording-queue.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** Fills two segments and acknowledges all records, after which the queue keeps the file of the first one. */
async function withSpare(options: Partial<QueueOptions> = {}) {
  const folder = temporaryFolder();
  const opened = await open(folder, options);
  for (const letter of "abc") await put(opened.queue, text(letter));
  const { ino, size } = statSync(fileOf(folder, 1));
  expect(await drain(opened.queue)).toEqual(["a", "b", "c"].map(text));
  return { ...opened, folder, ino, size };
}

it("overwrites the file of an acknowledged segment, and cuts the new segment to its end", async () => {
  const { queue, events, folder, ino, size } = await withSpare();
  expect(hasSpare(folder)).toBe(true);
  expect([queue.bytes, queue.spare.bytes, queue.neededBytes, queue.files]).toEqual([size + 32 + 136, size, 0, 1]);
  expect((await inspectQueue(realFiles, folder)).bytes).toBe(queue.bytes);
  await put(queue, text("d"));
  expect(queue.neededBytes).toBe(queue.bytes - size);
  await put(queue, "e".repeat(150));
  expect(hasSpare(folder)).toBe(false);
  expect(statSync(fileOf(folder, 3))).toMatchObject({ ino, size });
  expect((await inspectQueue(realFiles, folder)).records).toBe(2);
  // The copy is what a killed process leaves, because the newest segment is not cut yet.
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

it("keeps only one spare, and none after the queue is closed", async () => {
  const { queue, folder } = await withSpare();
  for (const letter of "defghijk") await put(queue, text(letter));
  await drain(queue);
  expect(readdirSync(folder).length).toBe(["segment", "cursor", "mark", "spare"].length);
  await put(queue, text("l"));
  const record = await queue.consumers[0]!.next();
  await queue.close();
  // A consumer may acknowledge a record while the queue closes.
  await queue.consumers[0]!.acknowledge(record!.end);
  expect(readdirSync(folder)).toEqual(["cursor-main", "mark"]);
});

it("keeps no file that is much smaller or larger than a segment usually is", async () => {
  for (const bytes of [100, 900]) {
    const folder = temporaryFolder();
    const { queue } = await open(folder);
    await put(queue, "a".repeat(bytes));
    await drain(queue);
    await put(queue, "b".repeat(390));
    expect(readdirSync(folder)).toEqual([segmentName(2), "cursor-main", "mark"]);
    await queue.close();
  }
});

it("keeps no file of a segment that one of the consumers has not acknowledged", async () => {
  const folder = temporaryFolder();
  const { queue } = await open(folder, { consumers: ["main", "second"], full: "drop-oldest", maxBytes: 1000 });
  for (const letter of "abc") await put(queue, text(letter));
  expect((await drain(queue)).length).toBe(3);
  expect(hasSpare(folder)).toBe(false);
  // The queue drops the oldest segment to make room, and the second consumer has not read this segment.
  for (const letter of "defghi") await put(queue, text(letter));
  expect(readdirSync(folder)).not.toContain(segmentName(1));
  expect(hasSpare(folder)).toBe(false);
  const [, second] = queue.consumers;
  for (let record = await second!.next(); record !== undefined; record = await second!.next()) {
    await drain(queue);
    await second!.acknowledge(record.end);
  }
  expect(hasSpare(folder)).toBe(true);
  await queue.close();
});

it("keeps no file of a segment whose write or sync failed", async () => {
  for (const operation of ["write", "sync"] as const) {
    const folder = temporaryFolder();
    const files = faultyFiles();
    const { queue } = await open(folder, { files });
    for (const letter of "ab") await put(queue, text(letter));
    files.fail(operation, "EIO", { times: 1 });
    await expect(put(queue, "lost")).rejects.toThrow("EIO");
    await put(queue, "next");
    expect(await drain(queue)).toEqual([text("a"), text("b"), "next"]);
    expect(readdirSync(folder)).toEqual([segmentName(2), "cursor-main", "mark"]);
    await queue.close();
  }
});

it("keeps no file of a damaged segment, nor one that an earlier process wrote", async () => {
  const folder = temporaryFolder();
  const before = await open(folder);
  for (const letter of "ab") await put(before.queue, text(letter));
  await before.queue.close();
  const { queue } = await open(folder);
  for (const letter of "cde") await put(queue, text(letter));
  const bytes = Buffer.alloc(1, "?");
  const file = await realFiles.open(fileOf(folder, 2));
  await file.write([bytes], 32 + 36);
  await file.close();
  expect(await drain(queue)).toEqual(["a", "b", "d", "e"].map(text));
  expect(readdirSync(folder)).toEqual([segmentName(3), "aside", "cursor-main", "mark"]);
  await queue.close();
});

it.each(["refuse", "drop-oldest"] as const)("removes the spare before a full queue would %s", async (full) => {
  const { queue, folder } = await withSpare({ maxBytes: 1000, full });
  expect(hasSpare(folder)).toBe(true);
  await put(queue, "x".repeat(600));
  expect(hasSpare(folder)).toBe(false);
  expect(await drain(queue)).toEqual(["x".repeat(600)]);
  await queue.close();
});

it("never takes more bytes of the disk than the queue may have", async () => {
  const folder = temporaryFolder();
  const { queue } = await open(folder, { maxBytes: 1000, full: "drop-oldest" });
  for (let at = 0; at < 60; at++) {
    await put(queue, "x".repeat(50 + ((at * 37) % 200)));
    if (at % 5 > 1) await drain(queue);
    const sizes = readdirSync(folder)
      .filter((name) => name === "spare" || name.endsWith(".seg"))
      .map((name) => statSync(path.join(folder, name)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(1000);
  }
  await queue.close();
});

const fails = () => Promise.reject(new Error("EPERM"));

it.each<[string, (from: string, to: string) => boolean]>([
  ["kept", (_, to) => to.endsWith("spare")],
  ["taken", (from) => from.endsWith("spare")],
])("writes a new file, and reports nothing, when the spare cannot be %s", async (_, isBroken) => {
  const rename: QueueFiles["rename"] = (from, to) => (isBroken(from, to) ? fails() : realFiles.rename(from, to));
  const { queue, events, folder } = await withSpare({ files: { ...realFiles, rename } });
  for (const letter of "de") await put(queue, text(letter));
  expect([hasSpare(folder), queue.spare.bytes]).toEqual([false, 0]);
  expect(statSync(fileOf(folder, 3)).size).toBe(32 + 136);
  expect(await drain(queue)).toEqual(["d", "e"].map(text));
  expect(events).toEqual(noEvents);
  await queue.close();
});

it("refuses the put and removes the file when the spare cannot be opened, and then writes a new file", async () => {
  const files = faultyFiles();
  const { queue, folder } = await withSpare({ files });
  await put(queue, text("d"));
  files.fail("open", "EIO", { times: 1 });
  await expect(put(queue, text("e"))).rejects.toThrow("EIO");
  expect(readdirSync(folder)).toEqual([segmentName(2), "cursor-main", "mark"]);
  await put(queue, text("f"));
  expect(statSync(fileOf(folder, 4)).size).toBe(32 + 136);
  expect(await drain(queue)).toEqual(["d", "f"].map(text));
  await queue.close();
});

it("leaves no bytes after the accepted records when a write to a reused file fails", async () => {
  for (const operation of ["write", "sync"] as const) {
    const files = faultyFiles();
    const { queue, folder, events } = await withSpare({ files });
    for (const each of [text("d"), text("e"), "kept"]) await put(queue, each);
    files.fail(operation, "EIO", { times: 1, partly: 20 });
    await expect(put(queue, "lost")).rejects.toThrow("EIO");
    expect(statSync(fileOf(folder, 3)).size).toBe(32 + 136 + 40);
    await put(queue, "next");
    expect(statSync(fileOf(folder, 4)).size).toBe(32 + 40);
    expect(await drain(queue)).toEqual([text("d"), text("e"), "kept", "next"]);
    expect(events).toEqual({ ...noEvents, writable: ["EIO: injected"] });
    await queue.close();
  }
});

it("never reads old bytes as records, also when a reused file cannot be cut to its end", async () => {
  const files = faultyFiles();
  const { queue, folder, events, ino, size } = await withSpare({ files });
  await put(queue, text("d"));
  await put(queue, "e".repeat(150));
  files.fail("truncate", "EIO", { times: 1 });
  await put(queue, "f".repeat(250));
  expect(events).toEqual({ ...noEvents, failed: ["EIO: injected"] });
  expect(statSync(fileOf(folder, 3)).size).toBe(size);
  const copy = temporaryFolder();
  cpSync(folder, copy, { recursive: true });
  const records = [text("d"), "e".repeat(150), "f".repeat(250)];
  expect(await drain(queue)).toEqual(records);
  expect(statSync(path.join(folder, "spare")).ino).not.toBe(ino);
  await queue.close();
  const again = await open(copy);
  expect(await drain(again.queue)).toEqual(records);
  expect(again.events.damaged).toEqual([[segmentName(3), 32 + 36 + 150, size - 32 - 36 - 150]]);
  await again.queue.close();
});

it("removes a spare of a killed process when the queue is opened", async () => {
  const { queue, folder } = await withSpare();
  const copy = temporaryFolder();
  cpSync(folder, copy, { recursive: true });
  await queue.close();
  expect(hasSpare(copy)).toBe(true);
  const again = await open(copy);
  expect([hasSpare(copy), again.queue.spare.bytes]).toEqual([false, 0]);
  await again.queue.close();
});

/** Returns the size in bytes of the segment files and the spare in the folder of a queue. */
function bytesOnDisk(folder: string): number {
  const names = readdirSync(folder).filter((name) => name === "spare" || name.endsWith(".seg"));
  return names.reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0);
}

it("counts the bytes of the older segment until they are overwritten, and gives them back when asked", async () => {
  const { queue, folder, events } = await withSpare();
  await put(queue, "first");
  for (const letter of "de") await put(queue, text(letter));
  await drain(queue);
  await put(queue, "x".repeat(390));
  await drain(queue);
  await put(queue, "tiny");
  expect(queue.bytes).toBe(bytesOnDisk(folder));
  expect(queue.spareBytes).toBeGreaterThan(200);
  const needed = queue.bytes - queue.spareBytes;
  // A put while the queue gives up room is neither lost nor written over the end of the ended segment.
  await Promise.all([queue.giveUpRoom(), put(queue, "meanwhile")]);
  expect(queue.bytes).toBe(bytesOnDisk(folder));
  expect(queue.bytes).toBeLessThan(needed + 200);
  expect(await drain(queue)).toEqual(["tiny", "meanwhile"]);
  await queue.close();
  expect(events).toEqual(noEvents);
});

it("counts a spare that cannot be removed, and removes it later", async () => {
  const files = faultyFiles();
  const { queue, folder } = await withSpare({ files, maxBytes: 1000 });
  files.fail("remove", "EIO", { times: 1 });
  await expect(put(queue, "x".repeat(700))).rejects.toThrow("the queue holds");
  expect([hasSpare(folder), queue.bytes]).toEqual([true, bytesOnDisk(folder)]);
  await put(queue, "y".repeat(700));
  expect([hasSpare(folder), queue.bytes]).toEqual([false, bytesOnDisk(folder)]);
  await queue.close();
});

it("reports no damage when the power is lost after a failed write to a reused file", async () => {
  for (let seed = 1; seed <= 40; seed++) {
    const disk = crashingDisk();
    let fails = false;
    const mounted = (): QueueFiles => {
      const files = disk.mount();
      const openOrMake: QueueFiles["openOrMake"] = async (name) => {
        const file = await files.openOrMake(name);
        const write: typeof file.write = async (parts, position) => {
          if (fails && name.endsWith(".seg")) {
            fails = false;
            throw new Error("ENOSPC");
          }
          await file.write(parts, position);
        };
        return { ...file, write };
      };
      return { ...files, openOrMake };
    };
    const { queue } = await open(diskFolder, { files: mounted() });
    for (const letter of "ab") {
      await put(queue, letter.repeat(300));
      await drain(queue);
    }
    await put(queue, "in the reused file");
    fails = true;
    await expect(put(queue, "lost")).rejects.toThrow("ENOSPC");
    await put(queue, "in the next file");
    let state = seed;
    disk.crash(() => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state / 2 ** 32;
    });
    const again = await open(diskFolder, { files: mounted() });
    expect(await drain(again.queue)).toEqual(["in the reused file", "in the next file"]);
    expect(again.events.damaged).toEqual([]);
    await again.queue.close();
  }
});

it("goes on when a file of an acknowledged segment cannot be closed", async () => {
  const folder = temporaryFolder();
  let fails = false;
  const files: QueueFiles = {
    ...realFiles,
    open: async (name) => {
      const file = await realFiles.open(name);
      const close = async () => {
        await file.close();
        if (!fails) return;
        fails = false;
        throw new Error("EIO");
      };
      return { ...file, close };
    },
  };
  const { queue, events } = await open(folder, { files, maxBytes: 700 });
  await put(queue, "x".repeat(250));
  const [consumer] = queue.consumers;
  const first = await consumer!.next();
  await put(queue, "x".repeat(50));
  await consumer!.acknowledge(first!.end);
  await consumer!.acknowledge((await consumer!.next())!.end);
  fails = true;
  await put(queue, "x".repeat(500));
  await put(queue, "a");
  expect(events.failed).toEqual(["EIO"]);
  await queue.close();
});
