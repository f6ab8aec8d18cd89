// The state that scripts keep between points: how long it lives, how large it may be, which script owns it, and that it
// does not depend on how points are split into batches.

import { describe, expect, it } from "vitest";
import { compileScripts } from "../../../../lib/pipeline/compile/scripts.ts";
import type { Script } from "../../../../lib/pipeline/runtime/script.ts";
import { Buckets } from "../../../../lib/pipeline/runtime/state/aggregation.ts";
import { Cache } from "../../../../lib/pipeline/runtime/state/cache.ts";
import { detachValue } from "../../../../lib/pipeline/runtime/state/detach.ts";
import { defaultStateLimits } from "../../../../lib/pipeline/runtime/state/limits.ts";
import { Windows } from "../../../../lib/pipeline/runtime/state/windows.ts";
import { isDict, isList, type List, type Value } from "../../../../lib/pipeline/runtime/value.ts";
import { Point } from "../../../../lib/point/point.ts";
import { Key } from "../../../../lib/point/view.ts";

const second = 1_000_000_000n;

function scriptOf(text: string, others: Record<string, string> = {}): Script {
  const set = compileScripts({ "a.p": text, ...others });
  expect([...set.errors]).toEqual([]);
  return set.scripts.get("a.p")!;
}

function pointOf(message: string): Point {
  const point = new Point("log", 0n);
  point.setField(new Key("message"), message);
  point.setTag(new Key("host"), "h");
  return point;
}

function clockAt() {
  const clock = { now: 0n };
  const host = { now: () => clock.now, random: () => 0, timeZone: "UTC" };
  const run = (script: Script, message: string) => {
    const point = pointOf(message);
    const result = script.run(point, { category: "logging", host });
    expect(result.error).toBeNull();
    return { point, result };
  };
  return { clock, run };
}

const get = (point: Point, key: string) => point.get(new Key(key));
const messages = (points: readonly Point[]) => points.map((point) => get(point, "message"));

describe("cache", () => {
  it("returns a value until its lifetime ends", () => {
    const { clock, run } = clockAt();
    const script = scriptOf('add_key(r, cache_get("k"))\nif _ == "set" { cache_set("k", _, 10) }');
    run(script, "set");
    clock.now = 10n * second - 1n;
    expect(get(run(script, "x").point, "r")).toBe("set");
    clock.now = 10n * second;
    expect(get(run(script, "x").point, "r")).toBeNull();
  });

  it("uses the new lifetime when a key is overwritten", () => {
    const cache = new Cache(defaultStateLimits);
    cache.set("k", 1, 10n, 0n);
    cache.set("k", 2, 100n, 5n * second);
    expect(cache.get("k", 50n * second)).toBe(2);
    expect(cache.size).toBe(1);
  });

  it("stores and returns copies of lists", () => {
    const { run } = clockAt();
    const script = scriptOf(
      'l = [1]\ncache_set("k", l)\nl[0] = 2\nm = cache_get("k")\nm[0] = 3\nadd_key(r, cache_get("k"))',
    );
    expect(get(run(script, "x").point, "r")).toBe("[1]");
  });

  it("evicts the oldest values beyond its limits, by number and by bytes", () => {
    const few = new Cache({ ...defaultStateLimits, cacheEntries: 2 });
    for (const key of ["a", "b", "c"]) few.set(key, key, 10n, 0n);
    expect([few.get("a", 0n), few.get("b", 0n), few.get("c", 0n), few.evicted]).toEqual([null, "b", "c", 1]);
    const small = new Cache({ ...defaultStateLimits, cacheBytes: 1000 });
    small.set("a", "x".repeat(300), 10n, 0n);
    small.set("b", "x".repeat(300), 10n, 0n);
    expect([small.get("a", 0n), small.size]).toEqual([null, 1]);
    expect(small.bytes).toBeLessThanOrEqual(1000);
    small.set("huge", "x".repeat(3000), 10n, 0n);
    expect([small.size, small.bytes]).toEqual([0, 0]);
  });

  it("copies values that contain themselves", () => {
    const list: List = [];
    list.push(list, new Map<string, Value>([["l", list]]));
    const copy = detachValue(list).value;
    expect(isList(copy) && copy !== list && copy[0] === copy && isDict(copy[1]!) && copy[1].get("l") === copy).toBe(
      true,
    );
  });
});

describe("point windows", () => {
  const script = () => scriptOf('point_window(2, 2, ["host"])\ndrop()\nif _ == "hit" { window_hit() }');

  it("return the points before and after a hit, oldest first, also after the ring buffer wraps", () => {
    const { run } = clockAt();
    const its = script();
    const back = ["1", "2", "3", "hit", "4", "5"].map((each) => messages(run(its, each).result.window));
    expect(back).toEqual([[], [], [], ["2", "3", "hit"], ["4"], []]);
  });

  it("treat a length of 0 after a hit like a length of 1", () => {
    const { run } = clockAt();
    const its = scriptOf('point_window(2, 0, ["host"])\ndrop()\nif _ == "hit" { window_hit() }');
    expect(["1", "hit", "2"].map((each) => messages(run(its, each).result.window))).toEqual([[], ["1", "hit"], []]);
  });

  it("ignore the point of a run that fails", () => {
    const { run } = clockAt();
    const its = scriptOf(
      'point_window(9, 1, ["host"])\ndrop()\nif _ == "bad" { strlen(1) }\nif _ == "hit" { window_hit() }',
    );
    run(its, "1");
    const host = { now: () => 0n, random: () => 0, timeZone: "UTC" };
    expect(its.run(pointOf("bad"), { category: "logging", host }).error).not.toBeNull();
    expect(messages(run(its, "hit").result.window)).toEqual(["1", "hit"]);
  });

  it("are shared by a script and the scripts that it uses", () => {
    const { run } = clockAt();
    const its = scriptOf('point_window(2, 1, ["host"])\ndrop()\nuse("b.p")', {
      "b.p": 'if _ == "hit" { window_hit() }',
    });
    expect(its.state).toBe(true);
    expect(["1", "hit"].map((each) => messages(run(its, each).result.window))).toEqual([[], ["1", "hit"]]);
  });

  it("read the tags that a variable names", () => {
    const { run } = clockAt();
    const its = scriptOf('t = ["host"]\npoint_window(2, 1, t)\ndrop()\nif _ == "hit" { window_hit() }');
    expect(["1", "hit"].map((each) => messages(run(its, each).result.window))).toEqual([[], ["1", "hit"]]);
  });

  it("are removed when they are idle, and the oldest when there are too many", () => {
    const windows = new Windows({ ...defaultStateLimits, windows: 2, windowIdle: 100n });
    windows.move(windows.of("a", 5, 1, 0n), pointOf("1"), true);
    windows.of("b", 5, 1, 10n);
    windows.of("c", 5, 1, 20n);
    expect([windows.size, windows.evicted]).toEqual([2, 1]);
    expect(windows.of("a", 5, 1, 30n).slots).toEqual([]);
    windows.of("d", 5, 1, 500n);
    expect(windows.size).toBe(1);
  });

  it("drop their oldest points beyond the limit of bytes", () => {
    const windows = new Windows({ ...defaultStateLimits, windowBytes: 4000 });
    const window = windows.of("a", 1_000_000, 1, 0n);
    for (let at = 0; at < 50; at++) windows.move(window, pointOf(`${at} ${"x".repeat(200)}`), true);
    expect(windows.bytes).toBeLessThanOrEqual(4000);
    window.hit = 1;
    const back = messages(windows.move(window, pointOf("hit"), true));
    expect(back.at(-1)).toBe("hit");
    expect(String(back.at(-2))).toMatch(/^49 /);
    expect(back.length).toBeLessThan(10);
  });
});

describe("aggregation", () => {
  const text =
    'agg_create("b", on_interval="10s", const_tags={"c": "1"})\nagg_metric("b", "n", "sum", ["host"], "message")';

  it("returns the points of a period after its end, then starts a new period", () => {
    const { clock, run } = clockAt();
    const script = scriptOf(text);
    run(script, "2");
    run(script, "3");
    expect(script.takeAggregated(10n * second - 1n)).toEqual([]);
    const [given, ...more] = script.takeAggregated(25n * second);
    expect(more).toEqual([]);
    expect(given).toMatchObject({ bucket: "b", category: "metric" });
    const { point } = given!;
    expect([point.name, point.time, get(point, "n"), get(point, "c"), get(point, "host")]).toEqual([
      "b",
      25n * second,
      { value: 5 },
      "1",
      "h",
    ]);
    clock.now = 26n * second;
    run(script, "7");
    // The first period of the aggregation ended at 10 s, but the program took the aggregated points only at 25 s.
    // The period of the next point still ends at 30 s, and not at 35 s (10 s after the program took the points).
    expect(script.takeAggregated(29n * second)).toEqual([]);
    expect(script.takeAggregated(30n * second).map((each) => get(each.point, "n"))).toEqual([{ value: 7 }]);
  });

  it("returns the remaining points when the script is closed", () => {
    const { run } = clockAt();
    const script = scriptOf('agg_create("b", "0s", 100)\nagg_metric("b", "n", "max", ["host"], "message")');
    run(script, "4");
    expect(script.close(1n).map(({ point }) => get(point, "n"))).toEqual([{ value: 4 }]);
    expect(script.close(2n)).toEqual([]);
  });

  it("restarts the count at the end of a period", () => {
    const { run } = clockAt();
    const script = scriptOf('agg_create("b", "10s", 2)\nagg_metric("b", "n", "sum", ["host"], "message")');
    run(script, "1");
    expect(script.takeAggregated(10n * second)).toHaveLength(1);
    run(script, "1");
    expect(script.takeAggregated(10n * second)).toEqual([]);
    run(script, "1");
    expect(script.takeAggregated(10n * second).map(({ point }) => get(point, "n"))).toEqual([{ value: 2 }]);
  });

  it("refuses and counts series beyond the limits of number and bytes", () => {
    const add = (buckets: Buckets, value: string) =>
      buckets.add("metric", "b", { by: ["k"], values: [value], field: "n", aggregate: "sum", value: 1 }, 0n);
    const settings = {
      category: "metric",
      name: "b",
      interval: 0n,
      count: 1000,
      keep: false,
      tags: new Map(),
    } as const;
    const few = new Buckets({ ...defaultStateLimits, seriesPerBucket: 2 });
    few.create(settings, 0n);
    for (const value of ["a", "b", "c", "a"]) add(few, value);
    expect([few.series, few.refused]).toEqual([2, 1]);
    const small = new Buckets({ ...defaultStateLimits, seriesBytes: 1000 });
    small.create(settings, 0n);
    for (let at = 0; at < 100; at++) add(small, String(at));
    expect(small.bytes).toBeLessThanOrEqual(1000);
    expect(small.series + small.refused).toBeGreaterThanOrEqual(100);
    expect(small.close(0n)).toHaveLength(small.lost === 0 ? 2 : 0);
  });

  it("keeps its state when the same script is compiled again, and reports the state in counters", () => {
    const { run } = clockAt();
    const old = scriptOf(text);
    run(old, "2");
    const next = scriptOf(text);
    next.inherit(old);
    expect(next.counters()).toMatchObject({ buckets: 1, series: 1, seriesRefused: 0 });
    run(next, "3");
    expect(next.close(1n).map(({ point }) => get(point, "n"))).toEqual([{ value: 5 }]);
  });
});
