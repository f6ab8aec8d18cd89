// A delivery sends the records of a queue to a target. The tests check its pauses between attempts.

import { expect, it } from "vitest";
import { Delivery, type Outcome } from "../../../../server/queue/delivery/delivery.ts";
import { open } from "../recording-queue.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/**
 * Starts a delivery whose attempts to send have the given outcomes, one after the other. Returns the pause in
 * milliseconds after each attempt. The delivery is closed during the last pause.
 */
async function pauses(outcomes: readonly Outcome[]): Promise<number[]> {
  const { queue } = await open(temporaryFolder(), { segmentBytes: 1 << 20, sync: "os" });
  await queue.put({ body: Buffer.from("x"), meta: Buffer.alloc(0), points: 1 });
  const delays: number[] = [];
  let attempts = 0;
  await new Promise<void>((resolve) => {
    const delivery = new Delivery({
      consumer: queue.consumers[0],
      idPrefix: "t",
      maxBytes: 0,
      enoughPoints: 1,
      spacingMs: 0,
      maxAgeMs: 0,
      now: () => 1000,
      random: () => 0.5,
      firstDelayMs: 1,
      longestDelayMs: 4,
      inFlight: 1,
      send: async () => outcomes[attempts++] ?? { kind: "taken" },
      bury: async () => {},
      retry: (_batch, _reason, delayMs) => {
        delays.push(delayMs);
        if (attempts === outcomes.length) setImmediate(() => delivery.close(1000).then(resolve));
      },
    });
  });
  await queue.close();
  return delays;
}

const again = (afterMs?: number): Outcome => ({ kind: "again", reason: "busy", ...(afterMs && { afterMs }) });

it("pauses grow up to the longest pause", async () => {
  expect(await pauses([again(), again(), again(), again()])).toEqual([1, 2, 4, 4]);
});

it("a pause lasts as long as the receiver asks for, at most ten minutes", async () => {
  expect(await pauses([again(7), again(90_000)])).toEqual([7, 90_000]);
  expect(await pauses([again(2_592_000_000)])).toEqual([600_000]);
});
