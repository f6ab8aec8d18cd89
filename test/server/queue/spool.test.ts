// The spares of a folder of queues: counted, and given back when their room is needed.

import { existsSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { openSpool } from "../../../server/queue/spool.ts";
import { temporaryFolder } from "./temporary-folder.ts";

it("gives the room of all spares back, and goes on", async () => {
  const folder = temporaryFolder();
  const sent: string[] = [];
  const told: unknown[] = [];
  let gate = Promise.resolve();
  const tell = (...each: unknown[]) => told.push(each);
  const spool = await openSpool({
    folder,
    consumers: ["target"],
    isName: (name) => name.length === 1,
    // Segments of 400 bytes.
    queueBytes: 1600,
    sync: "os",
    full: "refuse",
    maxBytes: 0,
    enoughPoints: 1,
    maxAgeMs: 0,
    firstDelayMs: 1,
    longestDelayMs: 1,
    inFlight: 1,
    idPrefix: "t",
    send: async (name, _, { records }) => {
      await gate;
      for (const { body } of records) sent.push(`${name}${body[0]! - 48}`);
      return { kind: "taken" };
    },
    events: {
      found: tell,
      buried: tell,
      retry: tell,
      queue: () => ({ dropped: tell, damaged: tell, torn: tell, failed: tell }),
    },
  });
  const put = (name: string, digit: number) =>
    spool.put(name, { body: Buffer.from(String(digit).repeat(200)), meta: Buffer.alloc(0), points: 1 });
  const hasSpare = (name: string) => existsSync(path.join(folder, name, "spare"));
  const segment = 32 + 36 + 200;
  /** Two segments each, of which the first is passed when both are written. */
  const burst = async (...digits: readonly number[]) => {
    sent.length = 0;
    let open = () => {};
    gate = new Promise((resolve) => {
      open = resolve;
    });
    for (const digit of digits) await Promise.all(["a", "b"].map((name) => put(name, digit)));
    open();
    await expect.poll(() => [hasSpare("a"), hasSpare("b")]).toEqual([true, true]);
    await expect.poll(() => sent.toSorted()).toEqual(["a", "b"].flatMap((name) => digits.map((each) => name + each)));
    expect([spool.bytes, spool.spareBytes]).toEqual([4 * segment, 2 * segment]);
  };
  await burst(0, 1);
  await spool.removeSpares();
  expect([spool.bytes, spool.spareBytes]).toEqual([2 * segment, 0]);
  expect([hasSpare("a"), hasSpare("b")]).toEqual([false, false]);
  await burst(2, 3, 4);
  await spool.close();
  expect([hasSpare("a"), hasSpare("b")]).toEqual([false, false]);
  expect(told).toEqual([]);
});
