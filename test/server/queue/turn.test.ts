import { beforeEach, describe, expect, it } from "vitest";
import { endOfTick } from "../../../server/queue/turn.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("endOfTick", () => {
  // Waits for a new turn of the event loop, so that a test does not share a turn with the previous test.
  beforeEach(turn);

  it("resolves for all callers of an event-loop turn after its events, one after the other", async () => {
    const told: string[] = [];
    const all = ["first", "second"].map(async (name) => {
      await endOfTick();
      told.push(name);
    });
    process.nextTick(() => told.push("tick"));
    await Promise.resolve();
    told.push("event");
    await Promise.all(all);
    expect(told).toEqual(["event", "tick", "first", "second"]);
  });

  it("called at the end of a turn, resolves when all waiting callers are done, before the next turn", async () => {
    const told: string[] = [];
    const work = async (name: string) => {
      await endOfTick();
      // The caller does more work in a later microtask of the same turn.
      await Promise.resolve();
      told.push(`${name} has worked`);
      await endOfTick();
      told.push(`${name} goes on`);
    };
    const all = [work("first"), work("second")];
    await endOfTick();
    setImmediate(() => told.push("next turn"));
    await Promise.all(all);
    await turn();
    expect(told).toEqual(["first has worked", "second has worked", "first goes on", "second goes on", "next turn"]);
  });

  it("begins anew in the next turn", async () => {
    for (const _ of [1, 2, 3]) {
      let hasEnded = false;
      const ended = endOfTick().then(() => {
        hasEnded = true;
      });
      await Promise.resolve();
      expect(hasEnded).toBe(false);
      await ended;
      await turn();
    }
  });
});
