// The event `unneeded`: the queue reports when it no longer needs the memory of a record's body.

import { expect, it, onTestFinished } from "vitest";
import type { Outcome } from "../../../server/queue/delivery/delivery.ts";
import { openSpool } from "../../../server/queue/spool.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Starts a spool (a folder of queues) and records what happens to the bodies, in order. */
async function start(consumers: readonly string[], outcomeOf: (consumer: number, attempt: number) => Outcome) {
  const events: string[] = [];
  const nothing = () => {};
  const spool = await openSpool({
    folder: temporaryFolder(),
    consumers,
    isName: (name) => name === "metric",
    queueBytes: 1 << 20,
    sync: "os",
    full: "refuse",
    maxBytes: 0,
    enoughPoints: 1,
    maxAgeMs: 0,
    firstDelayMs: 1,
    longestDelayMs: 1,
    inFlight: 1,
    idPrefix: "t",
    unneeded: (body) => events.push(`unneeded ${Buffer.from(body)}`),
    send: async (_, consumer, { records, attempt }) => {
      events.push(`sent ${records.map(({ body }) => Buffer.from(body)).join(" ")}`);
      return outcomeOf(consumer, attempt);
    },
    events: {
      found: nothing,
      buried: () => events.push("buried"),
      retry: nothing,
      queue: () => ({
        dropped: nothing,
        damaged: nothing,
        lost: nothing,
        torn: nothing,
        failed: nothing,
        unwritable: nothing,
        writable: nothing,
      }),
    },
  });
  onTestFinished(() => spool.close());
  const put = (text: string) => spool.put("metric", { body: Buffer.from(text), meta: Buffer.alloc(0), points: 1 });
  // A queue reads its first record from the file, so the tests begin with the second record.
  await put("first");
  await expect.poll(() => spool.queues.get("metric")!.consumers.every(({ isDone }) => isDone)).toBe(true);
  events.length = 0;
  return { events, put, queue: spool.queues.get("metric")! };
}

it("is when it was taken, once", async () => {
  const { events, put, queue } = await start(["one"], () => ({ kind: "taken" }));
  await put("a");
  await expect.poll(() => queue.consumers[0].isDone).toBe(true);
  expect(events).toEqual(["sent a", "unneeded a"]);
});

it("is not before it lies among the dead letters, nor twice", async () => {
  const { events, put, queue } = await start(["one"], () => ({ kind: "refused", reason: "no" }));
  await put("a");
  await expect.poll(() => queue.consumers[0].isDone).toBe(true);
  expect(events).toEqual(["sent a", "buried", "unneeded a"]);
});

it("is not while it is sent again", async () => {
  const outcome = (_: number, attempt: number): Outcome =>
    attempt < 2 ? { kind: "again", reason: "busy" } : { kind: "taken" };
  const { events, put, queue } = await start(["one"], outcome);
  await put("a");
  await expect.poll(() => queue.consumers[0].isDone).toBe(true);
  expect(events).toEqual(["sent a", "sent a", "sent a", "unneeded a"]);
});

it("is never where several take it", async () => {
  const outcome = (consumer: number): Outcome =>
    consumer === 0 ? { kind: "refused", reason: "no" } : { kind: "taken" };
  const { events, put, queue } = await start(["one", "two"], outcome);
  await put("a");
  await expect.poll(() => queue.consumers.every(({ isDone }) => isDone)).toBe(true);
  expect(events.filter((each) => each.startsWith("unneeded"))).toEqual([]);
});
