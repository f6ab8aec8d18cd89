// A spool is a folder of queues. Either all of its queues open or none. A closed spool accepts no records. The spool
// counts its spares (files kept for next segments), and removes them when their space is needed.

import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import type { DeliveryBatch } from "../../../server/queue/delivery/delivery.ts";
import { segmentName } from "../../../server/queue/log/segment-files.ts";
import { QueueFailed } from "../../../server/queue/queue.ts";
import { openSpool, type Spool, type SpoolOptions } from "../../../server/queue/spool.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const nothing = () => {};

async function open(folder: string, options: Pick<SpoolOptions, "send"> & Partial<SpoolOptions>): Promise<Spool> {
  return await openSpool({
    folder,
    consumers: ["target"],
    isName: (name) => name.length === 1,
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
    events: {
      found: nothing,
      buried: nothing,
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
    ...options,
  });
}

const recordOf = (text: string) => ({ body: Buffer.from(text), meta: Buffer.alloc(0), points: 1 });
const textOf = ({ records }: DeliveryBatch) => records.map(({ body }) => Buffer.from(body)).join(" ");

it("a spool that fails to open sends nothing, and can be opened when the obstacle is gone", async () => {
  const folder = temporaryFolder();
  const again = async () => ({ kind: "again", reason: "busy" }) as const;
  const before = await open(folder, { send: again });
  await before.put("a", recordOf("waits"));
  await before.close();
  const hindrance = path.join(folder, "b");
  mkdirSync(hindrance);
  writeFileSync(path.join(hindrance, segmentName(1)), "MRQUEUE\u0009 of a later program");
  let tried = 0;
  const send = async () => {
    tried++;
    return await again();
  };
  await expect(open(folder, { send })).rejects.toThrow("has queue format 9");
  const triedBefore = tried;
  rmSync(hindrance, { recursive: true });
  const sent: string[] = [];
  const spool = await open(folder, {
    send: async (_name, _consumer, batch) => {
      sent.push(`${textOf(batch)} ${batch.attempt}`);
      return batch.attempt < 20 ? await again() : { kind: "taken" };
    },
  });
  await expect.poll(() => spool.queues.get("a")!.consumers[0].isDone).toBe(true);
  expect(sent).toEqual(Array.from({ length: 21 }, (_, attempt) => `waits ${attempt}`));
  expect(tried).toBe(triedBefore);
  await spool.close();
});

it("a closed spool refuses puts and creates no queue for them", async () => {
  const folder = temporaryFolder();
  const spool = await open(folder, { send: async () => ({ kind: "taken" }) });
  await spool.put("a", recordOf("kept"));
  await spool.close();
  for (const name of ["a", "b"]) await expect(spool.put(name, recordOf("late"))).rejects.toBeInstanceOf(QueueFailed);
  expect(existsSync(path.join(folder, "b"))).toBe(false);
});

it("a spool that opens a queue for a put has its own copy of the body", async () => {
  const sent: string[] = [];
  const spool = await open(temporaryFolder(), {
    send: async (_name, _consumer, batch) => {
      sent.push(textOf(batch));
      return { kind: "taken" };
    },
  });
  const record = recordOf("first");
  const first = spool.put("a", record);
  record.body.fill("?");
  await first;
  const second = spool.put("a", { ...record, body: Buffer.from("second") });
  await second;
  await expect.poll(() => sent.join(" ")).toBe("first second");
  await spool.close();
});

it("a spool counts the spares of its queues, removes them on demand, and keeps none after it is closed", async () => {
  const folder = temporaryFolder();
  let goOn = () => {};
  let gate = Promise.resolve();
  const hold = () => {
    gate = new Promise((resolve) => {
      goOn = resolve;
    });
  };
  const send = async () => {
    await gate;
    return { kind: "taken" } as const;
  };
  hold();
  // With this limit for a queue, a segment has at most 400 bytes, so it holds one of these records.
  const spool = await open(folder, { queueBytes: 1600, send });
  const spares = () => ["a", "b"].map((name) => existsSync(path.join(folder, name, "spare")));
  const segment = 32 + 36 + 200;
  for (const name of "aabb") await spool.put(name, recordOf("x".repeat(200)));
  expect([spool.bytes, spares()]).toEqual([4 * segment, [false, false]]);
  goOn();
  await expect.poll(spares).toEqual([true, true]);
  expect(spool.bytes).toBe(4 * segment);
  await spool.giveUpRoom();
  expect([spool.bytes, spares()]).toEqual([2 * segment, [false, false]]);
  // Both records of a queue are put before the first is sent. Otherwise its segment could be removed while an earlier
  // one is the spare, and the second record would be written over this spare.
  hold();
  for (const name of "aabb") await spool.put(name, recordOf("x".repeat(200)));
  goOn();
  await expect.poll(spares).toEqual([true, true]);
  await spool.close();
  expect(spares()).toEqual([false, false]);
});
