// A process is killed (kill -9) before and after each of its file operations, and in the middle of each write, while
// it writes, reads and reuses segments. Whenever the process is killed, the next one must deliver the records that were
// not acknowledged, once and in order.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { type QueueFile, type QueueFiles, realFiles } from "../../../server/queue/log/files.ts";
import { drain, hasSpare, noEvents, open, put } from "./recording-queue.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Numbers of records, at one moment of a process. The records are numbered from 0. */
interface Progress {
  /** Number of records that were passed to `put`. */
  asked: number;
  answered: number;
  /** Number of records that the consumer has begun to acknowledge. */
  acknowledged: number;
  /** Number of records whose acknowledgement is in the file of the cursor. */
  saved: number;
}

/** A moment of a process: the files in the folder of its queue, and the progress that it has made. */
interface Moment extends Readonly<Progress> {
  readonly where: string;
  readonly files: ReadonlyMap<string, Buffer>;
}

const textOf = (number: number) =>
  String(number)
    .padStart(3, "0")
    .padEnd(60 + ((number * 37) % 90), "x");

/** Returns real files, and the list to which each operation that changes one of them adds its moments. */
function watched(folder: string, progress: Progress): { readonly files: QueueFiles; readonly moments: Moment[] } {
  const moments: Moment[] = [];
  const moment = (where: string) => {
    const names = readdirSync(folder);
    moments.push({
      ...progress,
      where,
      files: new Map(names.map((name) => [name, readFileSync(path.join(folder, name))])),
    });
  };
  const around = async (what: string, work: () => Promise<void>) => {
    moment(`before ${what}`);
    await work();
    moment(`after ${what}`);
  };
  const wrap = (file: QueueFile, name: string): QueueFile => ({
    ...file,
    write: async (parts, position) => {
      const bytes = Buffer.concat(parts);
      const half = Math.floor(bytes.length / 2);
      // A kill never divides the write of a header, because the system copies bytes of one page at once.
      if (position === 0) return await around(`header of ${name}`, () => file.write([bytes], position));
      await around(`write to ${name}`, () => file.write([bytes.subarray(0, half)], position));
      await around(`write to ${name}`, () => file.write([bytes.subarray(half)], position + half));
    },
    truncate: (size) => around(`truncate of ${name}`, () => file.truncate(size)),
  });
  const files: QueueFiles = {
    ...realFiles,
    open: async (file) => wrap(await realFiles.open(file), path.extname(file)),
    openOrMake: async (file) => wrap(await realFiles.openOrMake(file), path.extname(file)),
    rename: (from, to) => around(`rename of ${path.basename(from, ".seg")}`, () => realFiles.rename(from, to)),
    remove: (file) => around(`remove of ${path.extname(file)}`, () => realFiles.remove(file)),
  };
  return { files, moments };
}

it.each(["group", "os"] as const)(
  "loses and repeats nothing, whenever the process is killed: sync %s",
  async (sync) => {
    const folder = temporaryFolder();
    const progress: Progress = { asked: 0, answered: 0, acknowledged: 0, saved: 0 };
    const { files, moments } = watched(folder, progress);
    const { queue } = await open(folder, { files, sync });
    const [consumer] = queue.consumers;
    const send = async () => {
      await put(queue, textOf(progress.asked++));
      progress.answered++;
    };
    for (let round = 0; round < 14; round++) {
      await Promise.all([send(), send()]);
      // The consumer is a few records behind, so that the queue always holds records in an older segment.
      while (progress.acknowledged < progress.answered - 3) {
        const record = await consumer!.next();
        expect(Buffer.from(record!.body).toString()).toBe(textOf(progress.acknowledged));
        progress.acknowledged++;
        await consumer!.acknowledge(record!.end);
        // This method waits until the cursor file is written.
        await consumer!.plan(record!.end);
        progress.saved = progress.acknowledged;
      }
    }
    const all = [...moments];
    await queue.close();
    expect(hasSpare(folder)).toBe(false);
    // The process was killed between each two steps in which a file gets reused.
    const places = all.map(({ where }) => where);
    for (const place of ["after rename of spare", "after header of .seg", "before truncate of .seg"])
      expect(places.filter((each) => each === place).length).toBeGreaterThan(2);

    for (const { where, files: left, asked, answered, acknowledged, saved } of all) {
      const copy = path.join(temporaryFolder(), "queue");
      mkdirSync(copy);
      for (const [name, bytes] of left) writeFileSync(path.join(copy, name), bytes);
      const again = await open(copy);
      const got = (await drain(again.queue)).map((text) => Number(text.slice(0, 3)));
      const from = got[0] ?? acknowledged;
      const numbers = Array.from({ length: got.length }, (_, at) => from + at);
      expect([where, got]).toEqual([where, numbers]);
      expect([saved, acknowledged]).toEqual([Math.min(saved, from), Math.max(acknowledged, from)]);
      expect([answered, asked]).toEqual([Math.min(answered, from + got.length), Math.max(asked, from + got.length)]);
      expect({ ...again.events, torn: [] }).toEqual(noEvents);
      expect(hasSpare(copy)).toBe(false);
      await put(again.queue, "goes on");
      expect(await drain(again.queue)).toEqual(["goes on"]);
      await again.queue.close();
    }
  },
);
