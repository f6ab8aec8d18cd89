// Aggregates the samples of an interval: the fields of each type, correct sums, and bounded memory.

import { describe, expect, it } from "vitest";
import { LineBody } from "../../../../../server/agent/inputs/delivery/line-body.ts";
import { Aggregator } from "../../../../../server/agent/inputs/statsd/aggregator.ts";
import { parseLine } from "../../../../../server/agent/inputs/statsd/parse-line.ts";

const wide = { maxSeries: 1000, maxBytes: 16 * 1024 * 1024 };

function add(aggregator: Aggregator, lines: readonly string[], limits = wide, at = 0): number {
  return lines.reduce((dropped, line) => {
    const parsed = parseLine(line);
    if (typeof parsed === "string") throw new Error(`${line} is ${parsed}`);
    return dropped + aggregator.add(parsed, limits, at);
  }, 0);
}

/**
 * Ends the interval of the aggregator at the time `at`. Returns the lines that it writes, sorted and without their
 * times.
 */
function flush(aggregator: Aggregator, at = 0, percentages: readonly number[] = [50, 90, 99]): string[] {
  const body = new LineBody();
  aggregator.flush(body, { percentages, gaugeTtlMs: 1000, now: 7n, at });
  const lines = Buffer.from(body.body()).toString("latin1").split("\n").slice(0, -1);
  return lines.map((line) => line.replace(/ 7$/, "")).sort();
}

describe("the points of an interval with the lines", () => {
  it.each<[readonly string[], readonly string[]]>([
    [["a:1|c", "a:2|c", "a:1|c|@0.1"], ["a,metric_type=counter value=13"]],
    [["a:1|c|#b:2,a:1", "a:1|c|#a:1,b:2", "a,b=2,a=1:1|c"], ["a,a=1,b=2,metric_type=counter value=3"]],
    [["a:5|g", "a:7|g"], ["a,metric_type=gauge value=7"]],
    [["a:5|g", "a:-2|g", "a:+4|g"], ["a,metric_type=gauge value=7"]],
    [["a:-2|g"], ["a,metric_type=gauge value=-2"]],
    [["a:x|s", "a:y|s", "a:x|s"], ["a,metric_type=set count=2i"]],
    [
      ["a:1|c", "a:1|g", "a:1|s"],
      ["a,metric_type=counter value=1", "a,metric_type=gauge value=1", "a,metric_type=set count=1i"],
    ],
    [["a:1|c|#metric_type:mine"], ["a,metric_type=mine value=1"]],
    [["a b:1|c|#k=x:v w"], ["a\\ b,k\\=x=v\\ w,metric_type=counter value=1"]],
    [["a\0\\:1|c|#k\r:\xff"], ["a__,k_=\xff,metric_type=counter value=1"]],
    [["a:1e308|c", "a:1e308|c"], [`a,metric_type=counter value=${Number.MAX_VALUE}`]],
  ])("%j", (lines, expected) => {
    const aggregator = new Aggregator();
    add(aggregator, lines);
    expect(flush(aggregator)).toEqual(expected);
  });
});

it.each(["ms", "h", "d"])("gives a value of type %s its figures, with percentiles right to 1 %%", (type) => {
  const aggregator = new Aggregator();
  add(
    aggregator,
    Array.from({ length: 1000 }, (_, at) => `a:${((at * 7919) % 1000) - 99}|${type}`),
  );
  const [line] = flush(aggregator, 0, [5, 50, 99.9]);
  const fields = Object.fromEntries(
    line!
      .split(" ")[1]!
      .split(",")
      .map((field) => field.split("="))
      .map(([key, value]) => [key, Number.parseFloat(value!)]),
  );
  expect(line).toContain(" count=1000i,");
  expect(fields).toMatchObject({ count: 1000, sum: 400_500, lower: -99, upper: 900 });
  expect(fields.mean).toBeCloseTo(400.5, 6);
  expect(fields.stddev).toBeCloseTo(Math.sqrt((1000 ** 2 - 1) / 12), 6);
  for (const [key, exact] of [
    ["p5", -50],
    ["p50", 400],
    ["p99_9", 899],
  ] as const)
    expect(Math.abs(fields[key]! - exact) / Math.abs(exact), `${key} = ${fields[key]}`).toBeLessThan(0.01);
});

it("weights timings by their sample rate", () => {
  const aggregator = new Aggregator();
  add(aggregator, ["a:10|ms|@0.1", "a:20|ms"]);
  expect(flush(aggregator, 0, [50])).toEqual([
    expect.stringMatching(
      /^a,metric_type=timing count=11i,sum=120,mean=10\.9\d*,lower=10,upper=20,stddev=2\.8\d*,p50=10(?:\.0\d*)?$/,
    ),
  ]);
});

it("resets counters, sets and timings after each interval, and keeps gauges until they expire", () => {
  const aggregator = new Aggregator();
  add(aggregator, ["a:1|c", "b:1|s", "c:1|ms", "d:5|g"]);
  expect(flush(aggregator)).toHaveLength(4);
  expect(flush(aggregator, 900)).toEqual(["d,metric_type=gauge value=5"]);
  add(aggregator, ["d:+1|g"], wide, 950);
  expect(flush(aggregator, 1900)).toEqual(["d,metric_type=gauge value=6"]);
  expect(flush(aggregator, 1951)).toEqual([]);
  expect(aggregator.series).toBe(0);
  // The aggregator removes a gauge that got no sample for too long. When a sample arrives later, the gauge begins at
  // zero again.
  add(aggregator, ["d:+1|g"], wide, 2000);
  expect(flush(aggregator, 2000)).toEqual(["d,metric_type=gauge value=1"]);
});

it("drops samples of new series beyond the limit, and keeps aggregating the known series", () => {
  const aggregator = new Aggregator();
  const limits = { ...wide, maxSeries: 2 };
  expect(add(aggregator, ["a:1|c", "b:1|c", "c:1|c", "a:1|c|#k:v", "a:1|c"], limits)).toBe(2);
  expect(flush(aggregator)).toEqual(["a,metric_type=counter value=2", "b,metric_type=counter value=1"]);
  expect(add(aggregator, ["c:1|c"], limits)).toBe(0);
});

it.each<[string, (at: number) => string]>([
  ["long names", (at) => `${"x".repeat(4000)}${at}:1|c`],
  ["different values of a set", (at) => `a:${at}|s`],
  ["long values of a set", (at) => `a:${"x".repeat(4000)}${at}|s`],
  ["different timings", (at) => `a:${1.01 ** (at % 50_000)}|ms`],
])("stays within its memory limit for %s", (_what, line) => {
  const aggregator = new Aggregator();
  const limits = { maxSeries: 1e9, maxBytes: 256 * 1024 };
  const lines = Array.from({ length: 20_000 }, (_, at) => line(at));
  const dropped = add(aggregator, lines, limits);
  expect(dropped).toBeGreaterThan(0);
  expect(dropped).toBeLessThan(20_000);
  // At the end of the interval, the aggregator frees the memory of all series. So it drops no more lines in the next
  // interval than in the first one.
  flush(aggregator);
  expect(add(aggregator, lines, limits)).toBe(dropped);
});

it("writes sums that equal the sums of the samples, over many intervals and kinds", () => {
  let seed = 20261126;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  const aggregator = new Aggregator();
  const sent = { counter: 0, timing: 0, timings: 0 };
  const got = { counter: 0, timing: 0, timings: 0 };
  for (let interval = 0; interval < 50; interval++) {
    for (let line = random(200); line > 0; line--) {
      const tags = random(2) === 0 ? `|#k:${random(5)}` : "";
      const value = random(1000) - 300;
      const rate = [1, 0.5, 0.25, 0.125][random(4)]!;
      if (random(2) === 0) {
        sent.counter += value / rate;
        add(aggregator, [`n${random(5)}:${value}|c|@${rate}${tags}`]);
      } else {
        sent.timing += value / rate;
        sent.timings += 1 / rate;
        add(aggregator, [`n${random(5)}:${value}|ms|@${rate}${tags}`]);
      }
    }
    for (const line of flush(aggregator)) {
      const number = (field: string) => Number(new RegExp(`[ ,]${field}=([^,i]+)`).exec(line)![1]);
      if (line.includes("=counter ")) got.counter += number("value");
      else {
        got.timing += number("sum");
        got.timings += number("count");
      }
    }
  }
  expect(sent.timings).toBeGreaterThan(1000);
  expect(got).toEqual(sent);
});
