// The sample of live points that an agent collects: the agent does no work for it while no client asks for live
// points, and limits its size while a client does.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createLiveSample, type LiveSample, type Poll } from "../../../../server/agent/live/live-sample.ts";

let nowMs = 0;
let sample: LiveSample;
const limits = { enabled: true, maxPoints: 4, maxBytes: 1000, pointsPerSecond: 12 };

beforeEach(() => {
  vi.useFakeTimers();
  nowMs = 1_000_000;
  sample = createLiveSample({ ...limits, nowMs: () => nowMs });
});
afterEach(() => {
  sample.close();
  vi.useRealTimers();
});

const poll = (part: Partial<Poll> = {}) =>
  sample.poll({
    category: undefined,
    after: 0,
    seconds: 10,
    waitMs: 0,
    signal: new AbortController().signal,
    ...part,
  });
const point = (name: string) => `{"name":"${name}"}`;
const namesOf = (points: readonly string[]) =>
  points.map((text) => JSON.parse(text) as { number: number; name: string }).map(({ number, name }) => [number, name]);

/** Passes points of one write to the sample of live points, as the agent does. */
function bring(category: "logging" | "metric", ...names: string[]): void {
  const order = sample.order(category);
  if (order !== undefined) sample.take(category, names.slice(0, order.points).map(point), order);
}

describe("a sample", () => {
  it("requests points only from the first poll of a client until the polling time ends", async () => {
    expect(sample.order("logging")).toBeUndefined();
    await poll({ seconds: 10 });
    expect(sample.order("logging")).toEqual({ points: 5 });
    nowMs += 10_001;
    expect(sample.order("logging")).toBeUndefined();
    await vi.advanceTimersByTimeAsync(10_001);
    expect(sample.order("logging")).toBeUndefined();
  });

  it("frees its points when no client polls any more", async () => {
    await poll({ seconds: 10 });
    bring("logging", "a");
    expect(namesOf((await poll({ seconds: 10 })).points)).toEqual([[1, "a"]]);
    nowMs += 10_001;
    await vi.advanceTimersByTimeAsync(10_001);
    expect((await poll()).points).toEqual([]);
  });

  it("requests only the category that a client polls", async () => {
    await poll({ category: "metric" });
    expect([sample.order("logging"), sample.order("metric")]).toEqual([undefined, { points: 5 }]);
  });

  it("requests at most the configured points per second, and reuses what a write did not fill", async () => {
    await poll();
    expect(Array.from({ length: 4 }, () => sample.order("logging")?.points)).toEqual([5, 5, 2, undefined]);
    nowMs += 1000;
    const order = sample.order("logging")!;
    sample.take("logging", [point("a")], order);
    expect(Array.from({ length: 4 }, () => sample.order("logging")?.points)).toEqual([5, 5, 1, undefined]);
  });

  it("keeps the newest points up to a maximum number", async () => {
    await poll();
    bring("logging", "a", "b", "c");
    bring("logging", "d", "e");
    const { points, last, missed } = await poll();
    expect([namesOf(points), last, missed]).toEqual([
      [
        [2, "b"],
        [3, "c"],
        [4, "d"],
        [5, "e"],
      ],
      5,
      0,
    ]);
    expect((await poll({ after: 4 })).points).toEqual(['{"number":5,"name":"e"}']);
  });

  it("keeps the newest points up to a maximum number of UTF-8 bytes", async () => {
    await poll();
    bring("logging", "ä".repeat(300), "ö".repeat(300));
    expect((await poll()).points.length).toBe(1);
    bring("logging", "x".repeat(1000));
    expect(await poll()).toEqual({ points: [], last: 3, missed: 0 });
  });

  it("reports how many points a client has missed", async () => {
    await poll();
    bring("logging", "a");
    await poll();
    bring("logging", "b", "c", "d");
    bring("logging", "e", "f", "g");
    expect(await poll({ after: 1 })).toMatchObject({ last: 7, missed: 2 });
  });

  it("returns all points to a client whose last number is from an earlier agent", async () => {
    await poll();
    bring("logging", "a", "b");
    expect(namesOf((await poll({ after: 500 })).points)).toEqual([
      [1, "a"],
      [2, "b"],
    ]);
  });
});

describe("a waiting request", () => {
  it("is answered shortly after the first new point, with all points until then", async () => {
    const answered = poll({ waitMs: 5000 });
    bring("logging", "a");
    bring("logging", "b");
    await vi.advanceTimersByTimeAsync(100);
    expect(namesOf((await answered).points)).toEqual([
      [1, "a"],
      [2, "b"],
    ]);
  });

  it("is answered without points when its time is over", async () => {
    const answered = poll({ waitMs: 5000 });
    await vi.advanceTimersByTimeAsync(5000);
    expect((await answered).points).toEqual([]);
  });

  it("ends when its client goes", async () => {
    const client = new AbortController();
    const answered = poll({ waitMs: 5000, signal: client.signal });
    client.abort();
    expect((await answered).points).toEqual([]);
  });

  it("is answered at once when the agent closes, and no more points are requested", async () => {
    const answered = poll({ waitMs: 5000 });
    sample.close();
    expect((await answered).points).toEqual([]);
    await poll({ waitMs: 5000 });
    expect(sample.order("logging")).toBeUndefined();
  });

  it("does not wait when 16 requests wait already", async () => {
    const waiting = Array.from({ length: 16 }, () => poll({ waitMs: 5000 }));
    expect((await poll({ waitMs: 5000 })).points).toEqual([]);
    await vi.advanceTimersByTimeAsync(5000);
    await Promise.all(waiting);
  });
});
