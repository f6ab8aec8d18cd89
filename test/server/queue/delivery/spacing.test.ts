// A delivery waits between two batches. So when many records are put into the queue within a short time, the
// delivery sends them in few batches.

import { expect, it, onTestFinished } from "vitest";
import { Delivery, type DeliveryOptions } from "../../../../server/queue/delivery/delivery.ts";
import { open } from "../recording-queue.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const hourMs = 3_600_000;

interface Running {
  /** The batches that were sent, in order. Each is given as the bodies of its records, joined to one string. */
  readonly batches: readonly string[];
  /** Puts a record with `points` points into the queue. */
  put(body: string, points?: number): Promise<void>;
  close(): Promise<void>;
}

async function start(options: Partial<DeliveryOptions> = {}): Promise<Running> {
  const { queue } = await open(temporaryFolder(), { segmentBytes: 1 << 20, sync: "os" });
  const batches: string[] = [];
  const delivery = new Delivery({
    consumer: queue.consumers[0],
    idPrefix: "t",
    maxBytes: 1 << 16,
    enoughPoints: 1,
    spacingMs: hourMs,
    maxAgeMs: 2 * hourMs,
    now: () => 1000,
    random: () => 0.5,
    firstDelayMs: 1,
    longestDelayMs: 1,
    inFlight: 1,
    send: async ({ records }) => {
      batches.push(records.map(({ body }) => Buffer.from(body)).join(" "));
      return { kind: "taken" };
    },
    bury: async () => {},
    retry: () => {},
    ...options,
  });
  let isClosed = false;
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    await delivery.close(hourMs);
    await queue.close();
  };
  onTestFinished(close);
  return {
    batches,
    put: (body, points = 1) => queue.put({ body: Buffer.from(body), meta: Buffer.alloc(0), points }),
    close,
  };
}

it("sends the first batch at once when it has enough points, and later records together", async () => {
  const { batches, put, close } = await start({ enoughPoints: 3 });
  await put("one", 2);
  await put("two", 1);
  await expect.poll(() => batches).toEqual(["one two"]);
  for (const body of ["three", "four", "five"]) await put(body, 3);
  expect(batches).toEqual(["one two"]);
  await close();
  expect(batches).toEqual(["one two", "three four five"]);
});

it("does not wait when the spacing is 0", async () => {
  const { batches, put } = await start({ spacingMs: 0 });
  for (const [at, body] of ["one", "two", "three"].entries()) {
    await put(body);
    await expect.poll(() => batches.length).toBe(at + 1);
  }
  expect(batches).toEqual(["one", "two", "three"]);
});

it("sends records that arrived during a slow batch together, at once after the batch", async () => {
  let answer = () => {};
  const sent: number[] = [];
  const { put } = await start({
    spacingMs: 1,
    send: async ({ records }) => {
      sent.push(records.length);
      if (sent.length === 1) {
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
      }
      return { kind: "taken" };
    },
  });
  await put("one");
  await expect.poll(() => sent).toEqual([1]);
  for (const body of ["two", "three"]) await put(body);
  expect(sent).toEqual([1]);
  answer();
  await expect.poll(() => sent).toEqual([1, 2]);
});

it("does not hold back a batch that is full", async () => {
  const { batches, put, close } = await start({ maxBytes: 8 });
  await put("one");
  await expect.poll(() => batches).toEqual(["one"]);
  for (const body of ["aaa", "bbb", "ccc"]) await put(body);
  await expect.poll(() => batches).toEqual(["one", "aaa bbb"]);
  await close();
  expect(batches).toEqual(["one", "aaa bbb", "ccc"]);
});

it("does not hold back an old batch that has too few points", async () => {
  const { batches, put } = await start({ enoughPoints: 10, maxAgeMs: 1 });
  await put("one", 10);
  await expect.poll(() => batches).toEqual(["one"]);
  await put("two", 10);
  await expect.poll(() => batches).toEqual(["one", "two"]);
  await put("three", 1);
  await expect.poll(() => batches).toEqual(["one", "two", "three"]);
});

it("does not hold back a batch when the clock was set back", async () => {
  const { batches, put } = await start({ enoughPoints: 10, maxAgeMs: 1, now: () => -hourMs });
  await put("one");
  await expect.poll(() => batches).toEqual(["one"]);
});

it("sends waiting records at once on close", async () => {
  const { batches, put, close } = await start();
  await put("one");
  await expect.poll(() => batches).toEqual(["one"]);
  await put("two");
  await close();
  expect(batches).toEqual(["one", "two"]);
});
