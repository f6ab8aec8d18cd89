// The durable queue on a real file system: order of records, restarts, size limits, damaged files, failing operations.

import { readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { crc32 } from "node:zlib";
import "../../same-seed.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Position } from "../../../server/queue/log/cursor.ts";
import { type QueueFile, type QueueFiles, realFiles } from "../../../server/queue/log/files.ts";
import { frameHeadBytes } from "../../../server/queue/log/frame.ts";
import { mostCopied } from "../../../server/queue/log/pending.ts";
import { segmentName } from "../../../server/queue/log/segment-files.ts";
import { longestHeader } from "../../../server/queue/log/segment-header.ts";
import { type DiskQueue, openQueue, QueueFailed, QueueFull } from "../../../server/queue/queue.ts";
import type { QueueOptions } from "../../../server/queue/types.ts";
import { faultyFiles } from "./faulty-files.ts";
import { temporaryFolder } from "./temporary-folder.ts";

interface QueueEventLog {
  dropped: number;
  damaged: { offset: number; bytes: number }[];
  torn: number[];
  failed: string[];
  lost: number;
  unwritable: string[];
}

async function open(
  folder: string,
  options: Partial<QueueOptions> = {},
): Promise<{ queue: DiskQueue; events: QueueEventLog }> {
  const events: QueueEventLog = { dropped: 0, damaged: [], torn: [], failed: [], lost: 0, unwritable: [] };
  const queue = await openQueue({
    folder,
    files: realFiles,
    consumers: ["main"],
    maxBytes: 1 << 30,
    segmentBytes: 1 << 20,
    sync: "group",
    full: "refuse",
    now: () => 1000,
    events: {
      dropped: (records) => {
        events.dropped += records;
      },
      damaged: (_file, offset, bytes) => events.damaged.push({ offset, bytes }),
      torn: (_file, bytes) => events.torn.push(bytes),
      failed: (_file, error) => events.failed.push(error.message),
      lost: (_file, { points }) => {
        events.lost += points;
      },
      unwritable: (error) => events.unwritable.push(error.message),
      writable: () => {},
    },
    ...options,
  });
  return { queue, events };
}

const put = (queue: DiskQueue, text: string, meta = "") =>
  queue.put({ body: Buffer.from(text), meta: Buffer.from(meta), points: 1 });

/** Reads and acknowledges all records. Returns their bodies. */
async function drain(queue: DiskQueue, consumer = 0): Promise<string[]> {
  const texts: string[] = [];
  for (;;) {
    const record = await queue.consumers[consumer].next();
    if (record === undefined) return texts;
    texts.push(Buffer.from(record.body).toString());
    await queue.consumers[consumer].acknowledge(record.end);
  }
}

const segmentsIn = (folder: string) => readdirSync(folder).filter((name) => name.endsWith(".seg"));

describe("a queue", () => {
  it("returns records from memory to a consumer that keeps up with the writes", async () => {
    const files = faultyFiles();
    const { queue } = await open(temporaryFolder(), { files });
    const [consumer] = queue.consumers;
    await put(queue, "first");
    expect(await drain(queue)).toEqual(["first"]);
    const before = files.count.read;
    const large = "x".repeat(20_000);
    for (const text of ["one", "two", large]) await put(queue, text, "m");
    const taken = [await consumer.next(), await consumer.next(), await consumer.next()];
    expect(taken.map((record) => Buffer.from(record!.body).toString())).toEqual(["one", "two", large]);
    expect(taken.map((record) => Buffer.from(record!.meta).toString())).toEqual(["m", "m", "m"]);
    expect(taken[2]).toMatchObject({ points: 1, time: 1000, start: taken[1]!.end });
    consumer.unread(taken[2]!);
    expect(await consumer.next()).toEqual(taken[2]);
    expect(await consumer.next()).toBeUndefined();
    expect(files.count.read).toBe(before);
    await consumer.acknowledge(taken[2]!.end);
    expect(consumer.backlog.records).toBe(0);
    await queue.close();
  });

  it("returns each record once and in order to a slow consumer, from memory and from the file", async () => {
    const { queue } = await open(temporaryFolder(), { segmentBytes: 3 << 20 });
    const [consumer] = queue.consumers;
    expect(await consumer.next()).toBeUndefined();
    const texts = Array.from({ length: 40 }, (_, at) => `${at} `.padEnd(200_000, "."));
    const got: string[] = [];
    const follow = async (count: number) => {
      for (let left = count; left > 0; left--) {
        const record = (await consumer.next())!;
        got.push(Buffer.from(record.body).toString());
        await consumer.acknowledge(record.end);
      }
    };
    // Before the first read, 20 records arrive, twice as many as the queue keeps in memory. So the consumer first reads
    // from the file.
    for (const text of texts.slice(0, 20)) await put(queue, text);
    await follow(11);
    for (const text of texts.slice(20)) {
      await put(queue, text);
      await follow(1);
    }
    await follow(9);
    expect(got).toEqual(texts);
    await queue.close();
  });

  it("returns records in order, with meta, points and time", async () => {
    const { queue } = await open(temporaryFolder());
    await put(queue, "one", "m1");
    await put(queue, "two");
    const record = (await queue.consumers[0].next())!;
    expect([Buffer.from(record.body).toString(), Buffer.from(record.meta).toString()]).toEqual(["one", "m1"]);
    expect([record.points, record.time]).toEqual([1, 1000]);
    expect(queue.consumers[0].backlog).toEqual({ records: 2, points: 2, oldest: 1000 });
    await queue.consumers[0].acknowledge(record.end);
    expect(queue.consumers[0].backlog.records).toBe(1);
    expect(await drain(queue)).toEqual(["two"]);
    expect(queue.consumers[0].isDone).toBe(true);
    await queue.close();
  });

  it("returns unacknowledged records again after a restart, but no acknowledged ones", async () => {
    const folder = temporaryFolder();
    const first = await open(folder);
    for (const text of ["a", "b", "c"]) await put(first.queue, text);
    const record = (await first.queue.consumers[0].next())!;
    await first.queue.consumers[0].acknowledge(record.end);
    await first.queue.consumers[0].next();
    await first.queue.close();
    const second = await open(folder);
    expect(second.queue.consumers[0].backlog.records).toBe(2);
    await put(second.queue, "d");
    expect(await drain(second.queue)).toEqual(["b", "c", "d"]);
    await second.queue.close();
    const third = await open(folder);
    expect(third.queue.consumers[0].backlog).toEqual({ records: 0, points: 0, oldest: 0 });
    expect(await drain(third.queue)).toEqual([]);
    await third.queue.close();
    expect(segmentsIn(folder)).toEqual([]);
  });

  it("returns a record again after unread", async () => {
    const { queue } = await open(temporaryFolder());
    await put(queue, "a");
    await put(queue, "b");
    await queue.consumers[0].next();
    queue.consumers[0].unread((await queue.consumers[0].next())!);
    expect(Buffer.from((await queue.consumers[0].next())!.body).toString()).toBe("b");
    await queue.close();
  });

  it("joins small waiting puts into one record, in order, when both allow it and have the same meta", async () => {
    const folder = temporaryFolder();
    const { queue } = await open(folder, { joining: { separator: Buffer.from("|"), maxBytes: 12 } });
    const putJoining = (text: string, meta: string, joins = true) =>
      queue.put({ body: Buffer.from(text), meta: Buffer.from(meta), points: 2, joins });
    await Promise.all([
      putJoining("one", "m"),
      putJoining("two", "m"),
      // In this test, a frame (a part of the segment file with a checksum) may have at most 12 bytes of joined
      // records. The record "three" would exceed this limit, so it begins a new frame.
      putJoining("three", "m"),
      putJoining("four", "m"),
      putJoining("five", "n"),
      putJoining("six", "n", false),
      putJoining("7", "n"),
    ]);
    expect(queue.consumers[0].backlog).toEqual({ records: 5, points: 14, oldest: 1000 });
    await queue.close();
    const again = await open(folder);
    expect(again.events).toEqual({ dropped: 0, damaged: [], torn: [], failed: [], lost: 0, unwritable: [] });
    expect(await drain(again.queue)).toEqual(["one|two", "three|four", "five", "six", "7"]);
    await again.queue.close();
  });

  it.each([
    ["small ones that join", true, 3000],
    ["small ones", false, 3000],
    ["the largest that are copied", false, mostCopied],
    ["as many as fill several blocks", true, 11_000],
  ])("has its own copy of bodies when a put returns: %s", async (_name, joins, bytes) => {
    const folder = temporaryFolder();
    const { queue } = await open(folder, { joining: { separator: Buffer.from("|"), maxBytes: 64 * 1024 } });
    const lent = Buffer.alloc(bytes);
    const letters = Array.from("abcdefghijklmnopqrstuvwxyz".repeat(2));
    await Promise.all(
      letters.map((letter) => queue.put({ body: lent.fill(letter), meta: Buffer.from("m"), points: 1, joins })),
    );
    lent.fill("?");
    await queue.close();
    const again = await open(folder);
    const bodies = (await drain(again.queue)).flatMap((body) => body.split("|"));
    expect(bodies.map((body) => [body[0], body === body[0]!.repeat(bytes)])).toEqual(
      letters.map((each) => [each, true]),
    );
    await again.queue.close();
  });

  it("writes large bodies, which are not copied, in order between small ones", async () => {
    const folder = temporaryFolder();
    const { queue } = await open(folder, { joining: { separator: Buffer.from("|"), maxBytes: 64 * 1024 } });
    const texts = ["a", "b", "C".repeat(mostCopied + 1), "d", "E".repeat(300_000), "F".repeat(mostCopied), "g", "h"];
    await Promise.all(
      texts.map((text) => queue.put({ body: Buffer.from(text), meta: Buffer.from("m"), points: 1, joins: true })),
    );
    await queue.close();
    const again = await open(folder);
    expect(again.events).toEqual({ dropped: 0, damaged: [], torn: [], failed: [], lost: 0, unwritable: [] });
    expect((await drain(again.queue)).flatMap((body) => body.split("|"))).toEqual(texts);
    await again.queue.close();
  });

  it("refuses all puts of a record that cannot be written", async () => {
    const files = faultyFiles();
    const { queue } = await open(temporaryFolder(), { files, joining: { separator: Buffer.from("\n"), maxBytes: 99 } });
    const put = (text: string) => queue.put({ body: Buffer.from(text), meta: Buffer.from(""), points: 1, joins: true });
    await put("a");
    files.fail("sync", "EIO");
    const outcomes = await Promise.allSettled([put("b"), put("c")]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    files.heal();
    await put("d");
    expect(await drain(queue)).toEqual(["a", "d"]);
    await queue.close();
  });

  it("syncs once for puts that come together", async () => {
    const files = faultyFiles();
    const { queue } = await open(temporaryFolder(), { files });
    await Promise.all(Array.from({ length: 100 }, (_, at) => put(queue, `r${at}`)));
    expect(files.count.sync).toBeLessThanOrEqual(2);
    expect(await drain(queue)).toEqual(Array.from({ length: 100 }, (_, at) => `r${at}`));
    await queue.close();
  });

  it("does not sync with the policy os", async () => {
    const files = faultyFiles();
    const { queue } = await open(temporaryFolder(), { files, sync: "os" });
    await put(queue, "a");
    expect(files.count.sync + files.count.syncFolder).toBe(0);
    await queue.close();
  });

  it("deletes segments that every consumer has passed", async () => {
    const folder = temporaryFolder();
    const { queue } = await open(folder, { consumers: ["a", "b"], segmentBytes: 200 });
    for (let at = 0; at < 20; at++) await put(queue, `${at}`.repeat(50));
    const all = segmentsIn(folder).length;
    expect(all).toBeGreaterThan(5);
    await drain(queue, 0);
    expect(segmentsIn(folder).length).toBe(all);
    await drain(queue, 1);
    expect(segmentsIn(folder).length).toBe(1);
    await queue.close();
  });

  it("forgets a consumer that is no longer named", async () => {
    const folder = temporaryFolder();
    const first = await open(folder, { consumers: ["a", "b"] });
    await put(first.queue, "x");
    await drain(first.queue, 0);
    await first.queue.close();
    const second = await open(folder, { consumers: ["a"] });
    expect(await drain(second.queue)).toEqual([]);
    await second.queue.close();
    expect(readdirSync(folder)).toEqual(["cursor-a", "mark"]);
  });

  it("keeps the planned ends of batches over a restart", async () => {
    const folder = temporaryFolder();
    const first = await open(folder);
    const ends: Position[] = [];
    for (const name of ["a", "b", "c", "d"]) {
      await put(first.queue, name);
      ends.push((await first.queue.consumers[0].next())!.end);
    }
    const [a, b, c, d] = ends;
    for (const end of [b, c, d]) await first.queue.consumers[0].plan(end);
    await first.queue.consumers[0].acknowledge(a);
    const second = await open(folder);
    const [consumer] = second.queue.consumers;
    for (const end of [b, c, d]) {
      expect((await consumer.next())!.end).toEqual(end);
      expect(consumer.plannedFrom(end)).toEqual(end);
      await consumer.plan(end);
    }
    expect(consumer.plannedFrom({ ...b, offset: b.offset + 1 })).toEqual(c);
    await consumer.acknowledge(d);
    expect(consumer.plannedFrom(b)).toBeUndefined();
    await first.queue.close();
    await second.queue.close();
  });

  it("wakes a consumer that waits when a record comes", async () => {
    const { queue } = await open(temporaryFolder());
    const waiting = queue.consumers[0].wait(60_000);
    await put(queue, "a");
    await waiting;
    expect(await drain(queue)).toEqual(["a"]);
    await queue.close();
  });

  it("wakes a consumer only when enough bytes have arrived since its last read found none", async () => {
    const { queue } = await open(temporaryFolder());
    const [consumer] = queue.consumers;
    let isAwake = false;
    expect(await consumer.next()).toBeUndefined();
    await put(queue, "aa");
    const waiting = consumer.wait(60_000, { bytes: 5, points: 100 }).then(() => {
      isAwake = true;
    });
    await put(queue, "bb");
    expect(isAwake).toBe(false);
    await put(queue, "c");
    await waiting;
    expect(await drain(queue)).toEqual(["aa", "bb", "c"]);
    await queue.close();
  });
});

describe("a full queue", () => {
  it("refuses puts, and accepts them again when there is room", async () => {
    const { queue } = await open(temporaryFolder(), { maxBytes: 1000, segmentBytes: 400 });
    let taken = 0;
    const refusal = await (async () => {
      for (;;) {
        try {
          await put(queue, "x".repeat(100));
          taken++;
        } catch (error) {
          return error;
        }
      }
    })();
    expect(refusal).toBeInstanceOf(QueueFull);
    expect((refusal as Error).message).toMatch(/holds \d+ of 1000 bytes/);
    expect(queue.bytes).toBeLessThanOrEqual(1000);
    expect((await drain(queue)).length).toBe(taken);
    await put(queue, "again");
    expect(await drain(queue)).toEqual(["again"]);
    await queue.close();
  });

  it("drops the oldest records when configured to do so, and counts them", async () => {
    const { queue, events } = await open(temporaryFolder(), { maxBytes: 1000, segmentBytes: 300, full: "drop-oldest" });
    const puts = Array.from({ length: 30 }, (_, at) => `${at}`.padStart(100, "x"));
    for (const text of puts) await put(queue, text);
    const left = await drain(queue);
    expect(left).toEqual(puts.slice(-left.length));
    expect(events.dropped + left.length).toBe(30);
    expect(queue.consumers[0].backlog.records).toBe(0);
    await queue.close();
  });

  it("counts only unread records as dropped", async () => {
    const { queue, events } = await open(temporaryFolder(), { maxBytes: 1000, segmentBytes: 300, full: "drop-oldest" });
    for (let at = 0; at < 30; at++) {
      await put(queue, "x".repeat(100));
      await drain(queue);
    }
    expect(events.dropped).toBe(0);
    await queue.close();
  });

  it("reports how long the oldest remaining record has waited, read or not", async () => {
    let now = 1000;
    const { queue } = await open(temporaryFolder(), {
      maxBytes: 1000,
      segmentBytes: 300,
      full: "drop-oldest",
      now: () => now++,
    });
    const [consumer] = queue.consumers;
    const fill = async (count: number) => {
      for (let at = 0; at < count; at++) await put(queue, "x".repeat(100));
    };
    await fill(30);
    const left = consumer.backlog.records;
    expect(left).toBeGreaterThan(2);
    expect(consumer.backlog.oldest).toBe(1030 - left);
    for (let read = 0; read < left; read++) await consumer.next();
    await fill(2);
    const { records, oldest } = consumer.backlog;
    expect(records).toBeLessThan(left + 2);
    expect(oldest).toBe(1032 - records);
    await queue.close();
  });

  it("does not return a record again after unread when its segment has been dropped", async () => {
    const { queue, events } = await open(temporaryFolder(), { maxBytes: 1000, segmentBytes: 300, full: "drop-oldest" });
    const [consumer] = queue.consumers;
    await put(queue, "early".repeat(20));
    const early = (await consumer.next())!;
    for (let at = 0; at < 10; at++) await put(queue, `${at}`.repeat(100));
    expect(events.dropped).toBeGreaterThan(0);
    consumer.unread(early);
    const { records } = consumer.backlog;
    const next = (await consumer.next())!;
    await consumer.acknowledge(next.end);
    const left = [Buffer.from(next.body).toString(), ...(await drain(queue))];
    expect(left).toEqual(Array.from({ length: 10 }, (_, at) => `${at}`.repeat(100)).slice(-records));
    expect(consumer.backlog).toEqual({ records: 0, points: 0, oldest: 0 });
    await queue.close();
  });

  it("refuses a record that is too large for an empty queue", async () => {
    for (const full of ["refuse", "drop-oldest"] as const) {
      const { queue } = await open(temporaryFolder(), { maxBytes: 1000, full });
      await expect(put(queue, "x".repeat(2000))).rejects.toBeInstanceOf(QueueFull);
      await queue.close();
    }
  });
});

describe("a damaged queue", () => {
  async function filled(folder: string, texts: readonly string[]) {
    const { queue } = await open(folder);
    for (const text of texts) await put(queue, text);
    await queue.close();
    return path.join(folder, segmentsIn(folder)[0]);
  }

  it("cuts off a torn end, at every length", async () => {
    const whole = temporaryFolder();
    const size = readFileSync(await filled(whole, ["first", "second"])).length;
    const lastFrame = frameHeadBytes + "second".length;
    for (let cut = 1; cut < lastFrame; cut++) {
      const folder = temporaryFolder();
      truncateSync(await filled(folder, ["first", "second"]), size - cut);
      const { queue, events } = await open(folder);
      expect(events.torn).toEqual([lastFrame - cut]);
      await put(queue, "third");
      expect(await drain(queue)).toEqual(["first", "third"]);
      await queue.close();
    }
  });

  /** Returns the folder of a queue that has this segment file with one byte changed. */
  function folderOf(segment: Buffer, changed: number): string {
    const folder = temporaryFolder();
    const bytes = Buffer.from(segment);
    bytes[changed] ^= 0x55;
    writeFileSync(path.join(folder, segmentName(1)), bytes);
    return folder;
  }

  it("skips a record with a changed byte, keeps all others, and keeps the segment aside", async () => {
    const texts = ["alpha", "beta", "gamma"];
    const frames = texts.map((text) => frameHeadBytes + text.length);
    const segment = readFileSync(await filled(temporaryFolder(), texts));
    let hit = 0;
    let start = longestHeader;
    for (let at = longestHeader; at < longestHeader + frames[0] + frames[1]; at++) {
      if (at === start + frames[hit]) start += frames[hit++];
      const folder = folderOf(segment, at);
      const { queue, events } = await open(folder, { sync: "os" });
      expect(await drain(queue)).toEqual(texts.filter((_, index) => index !== hit));
      expect(events.damaged).toEqual([{ offset: start, bytes: frames[hit] }]);
      await queue.close();
      expect(readdirSync(path.join(folder, "aside")).length).toBe(1);
    }
    expect(hit).toBe(1);
  });

  it("loses only the damaged put of a record that was joined from several puts", async () => {
    const puts = [
      ["one", "m", 1],
      ["twotwo", "m", 2],
      ["three", "m", 4],
    ] as const;
    for (const separator of ["", "\n", "<>"]) {
      const joining = { separator: Buffer.from(separator), maxBytes: 99 };
      const written = temporaryFolder();
      const first = await open(written, { joining });
      await Promise.all(
        puts.map(([text, meta, points]) =>
          first.queue.put({ body: Buffer.from(text), meta: Buffer.from(meta), points, joins: true }),
        ),
      );
      await put(first.queue, "after");
      await first.queue.close();
      const segment = readFileSync(path.join(written, segmentName(1)));
      const whole = puts.map(([text]) => text).join(separator);
      const body = longestHeader + frameHeadBytes + 1;
      const after = segment.length - frameHeadBytes - "after".length;
      for (let at = longestHeader; at < after; at++) {
        const folder = folderOf(segment, at);
        const { queue, events } = await open(folder, { sync: "os" });
        const { points } = queue.consumers[0].backlog;
        const [head = "", ...rest] = await drain(queue);
        // A frame of a segment file contains several records. When the head of the frame, its meta data or its table of
        // records is damaged, all records of the frame are lost.
        if (at < body || at >= body + whole.length) {
          const all = [{ offset: longestHeader, bytes: after - longestHeader }];
          expect([head, rest, points, events.damaged]).toEqual(["after", [], 1, all]);
        } else {
          let end = body;
          const hit = puts.findIndex(([text]) => {
            end += text.length + separator.length;
            return at < end;
          });
          const left = puts.filter((_, place) => place !== hit);
          expect([head, rest]).toEqual([left.map(([text]) => text).join(separator), ["after"]]);
          expect(points).toBe(left.reduce((sum, [, , each]) => sum + each, 1));
          const lost = puts[hit]![0].length + (hit < puts.length - 1 ? separator.length : 0);
          expect(events.damaged).toEqual([{ offset: longestHeader, bytes: lost }]);
        }
        await queue.close();
        expect(readdirSync(folder).includes("aside")).toBe(events.damaged.length > 0);
      }
    }
  });

  it("is not misled by a record that contains frames", async () => {
    const folder = temporaryFolder();
    const inner = readFileSync(await filled(temporaryFolder(), ["inner"])).subarray(longestHeader);
    const { queue } = await open(folder);
    await queue.put({ body: inner, meta: Buffer.alloc(0), points: 1 });
    await put(queue, "after");
    const bodies = [(await queue.consumers[0].next())!, (await queue.consumers[0].next())!];
    expect(bodies.map(({ body }) => body.length)).toEqual([inner.length, 5]);
    await queue.close();
  });

  it("keeps a segment with a damaged header aside and reads the others", async () => {
    const folder = temporaryFolder();
    const first = await open(folder, { segmentBytes: 100 });
    for (let at = 0; at < 4; at++) await put(first.queue, `${at}`.repeat(60));
    await first.queue.close();
    writeFileSync(path.join(folder, segmentsIn(folder)[0]), "nonsense that is longer than a header");
    const { queue, events } = await open(folder, { segmentBytes: 100 });
    expect(events.damaged.length).toBe(1);
    expect(await drain(queue)).toEqual(["1", "2", "3"].map((digit) => digit.repeat(60)));
    await queue.close();
  });

  it("never throws on arbitrary segment bytes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.boolean(), async (bytes, withHeader) => {
        const folder = temporaryFolder();
        const header = Buffer.from("MRQUEUE\u0003\0\0\0\0\0\0\0\0", "latin1");
        writeFileSync(path.join(folder, segmentName(1)), withHeader ? Buffer.concat([header, bytes]) : bytes);
        const { queue } = await open(folder);
        expect(await drain(queue)).toEqual([]);
        await put(queue, "works");
        expect(await drain(queue)).toEqual(["works"]);
        await queue.close();
      }),
      { numRuns: 60 },
    );
  });
});

describe("a queue with files of another version", () => {
  /** Returns the bytes of a segment file of format 1. */
  function format1(texts: readonly string[]): Buffer {
    const header = Buffer.alloc(16);
    header.write("MRQUEUE", "latin1");
    header[7] = 1;
    const frames = texts.map((text) => {
      const head = Buffer.alloc(24);
      head.writeUInt32LE(0x3152524d, 0);
      head.writeUInt32LE(text.length, 8);
      head.writeUInt32LE(crc32(text), 12);
      head.writeDoubleLE(500, 16);
      head.writeUInt32LE(crc32(head.subarray(8)), 4);
      return Buffer.concat([head, Buffer.from(text)]);
    });
    return Buffer.concat([header, ...frames]);
  }

  it("reads a segment of format 1, then goes on in the current format", async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, segmentName(7)), format1(["old 1", "old 2"]));
    const { queue } = await open(folder);
    expect(queue.consumers[0].backlog).toEqual({ records: 2, points: 0, oldest: 500 });
    await put(queue, "new");
    expect(await drain(queue)).toEqual(["old 1", "old 2", "new"]);
    await queue.close();
  });

  it("reads a segment of format 2, with meta and points, then goes on in the current format", async () => {
    const frames = ["old 1", "old 2"].map((text) => {
      const head = Buffer.alloc(32);
      head.writeUInt32LE(0x3252524d, 0);
      head.writeUInt32LE(1 + text.length, 8);
      head.writeUInt32LE(crc32(`m${text}`), 12);
      head.writeDoubleLE(500, 16);
      head.writeUInt32LE(3, 24);
      head.writeUInt32LE(1, 28);
      head.writeUInt32LE(crc32(head.subarray(8)), 4);
      return Buffer.concat([head, Buffer.from(`m${text}`)]);
    });
    const header = format1([]);
    header[7] = 2;
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, segmentName(7)), Buffer.concat([header, ...frames]));
    const { queue } = await open(folder);
    expect(queue.consumers[0].backlog).toEqual({ records: 2, points: 6, oldest: 500 });
    const record = (await queue.consumers[0].next())!;
    expect([String(record.meta), String(record.body), record.points]).toEqual(["m", "old 1", 3]);
    queue.consumers[0].unread(record);
    await put(queue, "new");
    expect(await drain(queue)).toEqual(["old 1", "old 2", "new"]);
    await queue.close();
  });

  it("refuses a segment of a later version, and leaves it unchanged", async () => {
    const folder = temporaryFolder();
    const bytes = format1(["x"]);
    bytes[7] = 9;
    writeFileSync(path.join(folder, segmentName(1)), bytes);
    let openFiles = 0;
    const counted = async (opening: Promise<QueueFile>): Promise<QueueFile> => {
      const file = await opening;
      openFiles++;
      const close = async () => {
        openFiles--;
        await file.close();
      };
      return { ...file, close };
    };
    const files: QueueFiles = {
      ...realFiles,
      open: (file) => counted(realFiles.open(file)),
      openOrMake: (file) => counted(realFiles.openOrMake(file)),
    };
    await expect(open(folder, { files })).rejects.toThrow("has queue format 9; this program reads up to 4");
    expect(openFiles).toBe(0);
    expect(readFileSync(path.join(folder, segmentName(1))).equals(bytes)).toBe(true);
  });
});

describe("a queue with disk errors", () => {
  it.each(["ENOSPC", "EIO"] as const)(
    "refuses a put that fails with %s, keeps accepted records, and continues afterwards",
    async (code) => {
      for (const operation of ["write", "sync", "open", "syncFolder"] as const) {
        const files = faultyFiles();
        const folder = temporaryFolder();
        const first = await open(folder, { files, segmentBytes: 80 });
        await put(first.queue, "kept 1");
        files.fail(operation, code, { partly: 20 });
        await put(first.queue, "y".repeat(50)).catch((error) => expect(error).toBeInstanceOf(QueueFailed));
        await expect(put(first.queue, "x".repeat(60))).rejects.toBeInstanceOf(QueueFailed);
        expect(first.events.unwritable).toEqual([`${code}: injected`]);
        files.heal();
        await put(first.queue, "kept 2");
        const texts = await drain(first.queue);
        expect(texts.filter((text) => text.startsWith("kept"))).toEqual(["kept 1", "kept 2"]);
        expect(texts).not.toContain("x".repeat(60));
        await first.queue.close();
      }
    },
  );

  it("survives a failed write whose partial bytes cannot be cut off", async () => {
    const files = faultyFiles();
    const folder = temporaryFolder();
    const first = await open(folder, {
      files: {
        ...files,
        openOrMake: async (name) => {
          const file = await files.openOrMake(name);
          return { ...file, truncate: () => Promise.reject(new Error("EIO")) };
        },
      },
    });
    await put(first.queue, "a");
    files.fail("write", "ENOSPC", { times: 1, partly: 20 });
    await expect(put(first.queue, "lost")).rejects.toBeInstanceOf(QueueFailed);
    await put(first.queue, "b");
    await first.queue.close();
    const { queue } = await open(folder);
    expect(await drain(queue)).toEqual(["a", "b"]);
    await queue.close();
  });
});

it("returns each accepted record once and in order, for any sequence of puts, reads and restarts", async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("put" as const), size: fc.integer({ min: 0, max: 300 }) }),
    fc.record({ kind: fc.constant("take" as const), count: fc.integer({ min: 1, max: 4 }) }),
    fc.constant({ kind: "restart" as const }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const folder = temporaryFolder();
      let { queue } = await open(folder, { segmentBytes: 400, sync: "os" });
      let next = 0;
      const got: number[] = [];
      const take = async (count: number) => {
        for (let at = 0; at < count; at++) {
          const record = await queue.consumers[0].next();
          if (record === undefined) return;
          got.push(Number.parseInt(Buffer.from(record.body).toString(), 10));
          await queue.consumers[0].acknowledge(record.end);
        }
      };
      for (const each of steps) {
        if (each.kind === "put") await put(queue, `${next++} ${"x".repeat(each.size)}`);
        else if (each.kind === "take") await take(each.count);
        else {
          await queue.close();
          ({ queue } = await open(folder, { segmentBytes: 400, sync: "os" }));
        }
        expect(queue.consumers[0].backlog.records).toBe(next - got.length);
      }
      await take(Number.POSITIVE_INFINITY);
      expect(got).toEqual(Array.from({ length: next }, (_, at) => at));
      await queue.close();
    }),
    { numRuns: 50 },
  );
});
