import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createDeadlines } from "../../../server/http/deadlines.ts";

describe("createDeadlines", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("expires each deadline after its own time, the older one first", () => {
    const deadlines = createDeadlines(1000);
    const expired: string[] = [];
    deadlines.begin(performance.now(), () => expired.push("first"));
    vi.advanceTimersByTime(400);
    deadlines.begin(performance.now(), () => expired.push("second"));
    vi.advanceTimersByTime(599);
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(expired).toEqual(["first"]);
    vi.advanceTimersByTime(399);
    expect(expired).toEqual(["first"]);
    vi.advanceTimersByTime(1);
    expect(expired).toEqual(["first", "second"]);
  });

  it("does not expire a deadline that has ended, wherever it is in the list", () => {
    const deadlines = createDeadlines(1000);
    const expired: number[] = [];
    const begun = [0, 1, 2, 3].map((n) => deadlines.begin(performance.now(), () => expired.push(n)));
    for (const n of [0, 2, 2]) begun[n]!.end();
    vi.advanceTimersByTime(1000);
    expect(expired).toEqual([1, 3]);
    begun[1]!.end();
    vi.advanceTimersByTime(10_000);
    expect(expired).toEqual([1, 3]);
  });

  it("uses one timer for any number of deadlines, and none when there is no deadline", () => {
    const deadlines = createDeadlines(1000);
    const waiting = Array.from({ length: 100 }, () => deadlines.begin(performance.now(), () => {}));
    expect(vi.getTimerCount()).toBe(1);
    for (const each of waiting) each.end();
    vi.advanceTimersByTime(1000);
    expect(vi.getTimerCount()).toBe(0);
    let expired = 0;
    deadlines.begin(performance.now(), () => expired++);
    vi.advanceTimersByTime(1000);
    expect([expired, vi.getTimerCount()]).toEqual([1, 0]);
  });

  it("continues when one deadline ends another while it expires", () => {
    const deadlines = createDeadlines(1000);
    const expired: string[] = [];
    deadlines.begin(performance.now(), () => {
      expired.push("first");
      second.end();
    });
    const second = deadlines.begin(performance.now(), () => expired.push("second"));
    deadlines.begin(performance.now(), () => expired.push("third"));
    vi.advanceTimersByTime(1000);
    expect(expired).toEqual(["first", "third"]);
  });
});
