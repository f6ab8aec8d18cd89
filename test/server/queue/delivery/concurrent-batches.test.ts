// A delivery (the part of a queue that sends records to a target) with several batches in flight at once.

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import {
  Delivery,
  type DeliveryBatch,
  type DeliveryOptions,
  type Outcome,
} from "../../../../server/queue/delivery/delivery.ts";
import { segmentName } from "../../../../server/queue/log/segment-files.ts";
import type { DiskQueue } from "../../../../server/queue/queue.ts";
import { crashingDisk, folder as folderInMemory } from "../crashing-disk.ts";
import { open } from "../recording-queue.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const hourMs = 3_600_000;
const again: Outcome = { kind: "again", reason: "busy" };

interface Sent {
  readonly name: string;
  readonly id: string;
  readonly attempt: number;
  answer(outcome?: Outcome): void;
}

interface Running {
  readonly queue: DiskQueue;
  /** Every batch that was sent, in order, repetitions included. */
  readonly sent: Sent[];
  readonly buried: readonly string[];
  readonly retried: readonly string[];
  put(...names: readonly string[]): Promise<void>;
  close(ms?: number): Promise<void>;
}

const nameOf = ({ records }: DeliveryBatch) => records.map(({ body }) => Buffer.from(body)).join(" ");

/**
 * Starts a delivery that sends each record as a batch of its own. Without `folder` the files of the queue are in
 * memory, so the queue never waits for a disk.
 */
async function start(options: Partial<DeliveryOptions> = {}, folder?: string): Promise<Running> {
  const queueOptions = { segmentBytes: 1 << 20, sync: "os" } as const;
  const { queue } =
    folder === undefined
      ? await open(folderInMemory, { ...queueOptions, files: crashingDisk().mount() })
      : await open(folder, queueOptions);
  const sent: Sent[] = [];
  const buried: string[] = [];
  const retried: string[] = [];
  const delivery = new Delivery({
    consumer: queue.consumers[0],
    idPrefix: "t",
    maxBytes: 1000,
    travelsAlone: () => true,
    enoughPoints: 1,
    spacingMs: 0,
    maxAgeMs: hourMs,
    now: () => 1000,
    random: () => 0.5,
    firstDelayMs: 1,
    longestDelayMs: 1,
    inFlight: 3,
    send: (batch) =>
      new Promise((resolve) => {
        const answer = (outcome: Outcome = { kind: "taken" }) => resolve(outcome);
        sent.push({ name: nameOf(batch), id: batch.id, attempt: batch.attempt, answer });
      }),
    bury: async (batch) => {
      buried.push(nameOf(batch));
    },
    retry: (batch) => retried.push(nameOf(batch)),
    ...options,
  });
  let closed: Promise<void> | undefined;
  const close = (ms = hourMs) => (closed ??= delivery.close(ms).then(() => queue.close()));
  onTestFinished(async () => {
    for (const each of sent) each.answer();
    await close(0);
  });
  // Puts all records into the queue at once, so that the delivery finds all of them when it makes its first batch.
  const put = async (...names: readonly string[]) => {
    await Promise.all(names.map((name) => queue.put({ body: Buffer.from(name), meta: Buffer.alloc(0), points: 1 })));
  };
  return { queue, sent, buried, retried, put, close };
}

const names = (sent: readonly Sent[]) => sent.map(({ name }) => name);
const last = (sent: readonly Sent[], name: string) => sent.findLast((each) => each.name === name)!;
/** Waits until the delivery has done everything that it can do without the answer to another batch. */
const settle = async () => {
  for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
};

it("at most the allowed number of batches is sent at once, in order", async () => {
  const { sent, put } = await start();
  await put("a", "b", "c", "d", "e");
  await expect.poll(() => names(sent)).toEqual(["a", "b", "c"]);
  await settle();
  expect(names(sent)).toEqual(["a", "b", "c"]);
  last(sent, "a").answer();
  await expect.poll(() => names(sent)).toEqual(["a", "b", "c", "d"]);
});

it("concurrent batches have at most four times the largest size together", async () => {
  const { sent, put } = await start({ maxBytes: 10, inFlight: 100 });
  await put("a".repeat(20), "b".repeat(19), "c", "d", "e");
  await expect.poll(() => sent.length).toBe(3);
  await settle();
  expect(sent.length).toBe(3);
  sent[0]!.answer();
  await expect.poll(() => sent.length).toBe(5);
});

it("batches are acknowledged only up to the first batch without an answer", async () => {
  const { queue, sent, put } = await start();
  await put("a", "b", "c");
  await expect.poll(() => sent.length).toBe(3);
  last(sent, "c").answer();
  last(sent, "b").answer();
  await settle();
  expect(queue.consumers[0].backlog.records).toBe(3);
  last(sent, "a").answer();
  await expect.poll(() => queue.consumers[0].backlog.records).toBe(0);
});

it("after a failure, batches are sent one at a time, the failed ones first, in order", async () => {
  const { queue, sent, retried, put } = await start();
  await put("a", "b", "c", "d", "e");
  await expect.poll(() => sent.length).toBe(3);
  last(sent, "c").answer(again);
  last(sent, "a").answer(again);
  await settle();
  // The batch "a" has failed. The delivery sends it again only when all other batches that were sent are answered, and
  // "b" has no answer yet.
  expect(names(sent)).toEqual(["a", "b", "c"]);
  last(sent, "b").answer();
  await expect.poll(() => names(sent).slice(3)).toEqual(["a"]);
  expect(retried).toEqual(["a"]);
  await settle();
  expect(sent.length).toBe(4);
  last(sent, "a").answer();
  await expect.poll(() => names(sent).slice(3)).toEqual(["a", "c"]);
  expect(sent.slice(3).map(({ attempt }) => attempt)).toEqual([1, 1]);
  expect(last(sent, "c").id).toBe(sent[2]!.id);
  last(sent, "c").answer();
  await expect.poll(() => names(sent).slice(5)).toEqual(["d"]);
  await settle();
  expect(names(sent).slice(5)).toEqual(["d"]);
  last(sent, "d").answer();
  await expect.poll(() => names(sent).slice(5)).toEqual(["d", "e"]);
  last(sent, "e").answer();
  await expect.poll(() => queue.consumers[0].isDone).toBe(true);
});

/**
 * Answers batches that the delivery sends one at a time, until it sends three at once. Returns how many were sent one
 * at a time.
 */
async function aloneUntilSeveral({ sent }: Running, from: number): Promise<number> {
  for (let count = 0; ; count++) {
    await settle();
    if (sent.length >= from + count + 3) return count;
    await expect.poll(() => sent.length).toBeGreaterThan(from + count);
    sent[from + count]!.answer();
  }
}

it("several batches are sent at once again after 16 single successes, doubled at each new failure", async () => {
  const running = await start();
  const { sent, put } = running;
  await put(...Array.from({ length: 200 }, (_, count) => `n${count}`));
  const counts: number[] = [];
  for (let from = 0; counts.length < 3; ) {
    await expect.poll(() => sent.length).toBe(from + 3);
    for (const each of sent.slice(from)) each.answer(again);
    const first = from + 3;
    counts.push(await aloneUntilSeveral(running, first));
    from = first + counts.at(-1)!;
  }
  // In each round, three batches fail. Then the delivery sends batches one at a time: 16 in the first round, 32 in the
  // second, 64 in the third. In addition, it sends two of the three failed batches alone, so each count is larger by 2.
  expect(counts).toEqual([16 + 2, 32 + 2, 64 + 2]);
});

it("a refused batch becomes a dead letter, and the others continue", async () => {
  const { queue, sent, buried, put } = await start();
  await put("a", "b");
  await expect.poll(() => sent.length).toBe(2);
  last(sent, "a").answer({ kind: "refused", reason: "no" });
  last(sent, "b").answer();
  await expect.poll(() => queue.consumers[0].isDone).toBe(true);
  expect(buried).toEqual(["a"]);
});

it("batches without an answer keep their ids and ends after a restart", async () => {
  const folder = temporaryFolder();
  const apart = (body: string) => ({ travelsAlone: () => false, maxBytes: 2 * body.length + 2 });
  const first = await start(apart("xx"), folder);
  await first.put("a1", "a2", "b1", "b2", "c1");
  await expect.poll(() => names(first.sent)).toEqual(["a1 a2", "b1 b2", "c1"]);
  // The first process got no answer for any batch. So the next process sends the same batches with the same ids,
  // although its `maxBytes` is larger and would allow larger batches.
  const second = await start({ travelsAlone: () => false, maxBytes: 1000 }, folder);
  await expect.poll(() => names(second.sent)).toEqual(["a1 a2", "b1 b2", "c1"]);
  expect(second.sent.map(({ id }) => id)).toEqual(first.sent.map(({ id }) => id));
});

it("a long record gets its own batch, but stays in a batch that was sent before a restart", async () => {
  const folder = temporaryFolder();
  const joined = { travelsAlone: () => false, maxBytes: 1000, longBytes: 4 };
  const first = await start({ ...joined, longBytes: 1000 }, folder);
  await first.put("a", "long", "b");
  await expect.poll(() => names(first.sent)).toEqual(["a long b"]);
  const second = await start(joined, folder);
  await expect.poll(() => names(second.sent)).toEqual(["a long b"]);
  expect(second.sent[0]!.id).toBe(first.sent[0]!.id);
  last(second.sent, "a long b").answer();
  await second.put("c", "long", "d", "e");
  await expect.poll(() => names(second.sent)).toEqual(["a long b", "c", "long", "d e"]);
});

it("a long record shares a batch with others when one batch is sent at a time", async () => {
  const { put, sent } = await start({ travelsAlone: () => false, longBytes: 4, inFlight: 1 });
  await put("a", "long", "b");
  await expect.poll(() => names(sent)).toEqual(["a long b"]);
});

it("batches keep their ids when a record was damaged before a restart", async () => {
  const folder = temporaryFolder();
  const two = { travelsAlone: () => false, maxBytes: 6 };
  const first = await start(two, folder);
  await first.put("a1", "a2", "b1", "b2", "c1", "c2");
  await expect.poll(() => names(first.sent)).toEqual(["a1 a2", "b1 b2", "c1 c2"]);
  const file = path.join(folder, segmentName(1));
  const bytes = readFileSync(file);
  bytes[bytes.indexOf("a2")] ^= 1;
  writeFileSync(file, bytes);
  const second = await start({ ...two, maxBytes: 1000 }, folder);
  await expect.poll(() => names(second.sent)).toEqual(["a1", "b1 b2", "c1 c2"]);
  expect(second.sent.slice(1).map(({ id }) => id)).toEqual(first.sent.slice(1).map(({ id }) => id));
});

it("batches are sent one at a time when each answer closes the connection", async () => {
  const { sent, put } = await start();
  await put("a");
  await expect.poll(() => sent.length).toBe(1);
  last(sent, "a").answer({ kind: "taken", closes: true });
  await settle();
  await put("b", "c");
  await expect.poll(() => names(sent)).toEqual(["a", "b"]);
  await settle();
  expect(names(sent)).toEqual(["a", "b"]);
  last(sent, "b").answer({ kind: "taken", closes: true });
  await expect.poll(() => names(sent)).toEqual(["a", "b", "c"]);
});

it("close waits for the batches in flight and sends the records after them", async () => {
  const { queue, sent, put, close } = await start();
  await put("a", "b", "c", "d");
  await expect.poll(() => sent.length).toBe(3);
  const closing = close();
  for (const name of ["a", "b", "c"]) last(sent, name).answer();
  await expect.poll(() => names(sent)).toEqual(["a", "b", "c", "d"]);
  last(sent, "d").answer();
  await closing;
  expect(queue.consumers[0].isDone).toBe(true);
});

it("a batch that fails during close is sent at the next start, but batches accepted before it are not", async () => {
  const folder = temporaryFolder();
  const first = await start({}, folder);
  await first.put("a", "b", "c");
  await expect.poll(() => first.sent.length).toBe(3);
  const closing = first.close();
  last(first.sent, "a").answer();
  last(first.sent, "b").answer(again);
  last(first.sent, "c").answer();
  await closing;
  const second = await start({}, folder);
  await expect.poll(() => names(second.sent)).toEqual(["b", "c"]);
});
