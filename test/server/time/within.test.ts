import { describe, expect, it } from "vitest";
import { within } from "../../../server/time/within.ts";

describe("a wait with a time limit", () => {
  it("returns the result of work that ends in time", async () => {
    await expect(within(Promise.resolve("done"), 60_000)).resolves.toBe("done");
  });

  it("rejects when the work rejects in time", async () => {
    await expect(within(Promise.reject(new Error("broken")), 60_000)).rejects.toThrow("broken");
  });

  it("returns undefined when the time is up first, whatever the work does later", async () => {
    let fail = (_error: Error) => {};
    const work = new Promise<string>((_resolve, reject) => {
      fail = reject;
    });
    await expect(within(work, 1)).resolves.toBeUndefined();
    fail(new Error("too late to be heard"));
  });

  it("keeps no timer once the work has ended", async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    await within(Promise.resolve(), 60_000);
    expect(timers()).toBe(before);
  });
});
