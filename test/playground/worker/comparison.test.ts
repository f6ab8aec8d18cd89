// Two runs compared row by row, and benchmarks of scripts, without a browser.

import { beforeAll, describe, expect, it } from "vitest";
import { compareRuns } from "../../../playground/src/state/analysis/comparison.ts";
import { measure } from "../../../playground/src/worker/bench/measure.ts";
import type { Instance } from "../../../playground/src/worker/instance.ts";
import { loadMill, plainJob, run } from "./load-mill.ts";

const scripts = (text: string) => [{ name: "main.p", text }];

describe("two runs", () => {
  const input = "1\n2\n3\n4";
  const before = 'grok(_, "^%{INT:n:int}$")\nif n == 2 { create_point("made", {}, {"n": n}) }';

  it.each<[name: string, after: string, rows: string[], gone: number[], keys: [string, number][]]>([
    ["are the same", before, [], [], []],
    [
      "differ in a value, its kind, and a key that is new",
      `${before}\nif n > 2 { add_key(big, true) }\nif n == 3 { add_key(n, "x") }`,
      ["3 key n,key big", "4 key big"],
      [],
      [
        ["key big", 2],
        ["key n", 1],
      ],
    ],
    ["differ in a key that is gone", `${before}\nif n == 1 { drop_key(n) }`, ["1 key n"], [], [["key n", 1]]],
    [
      "differ in outcome, name and time",
      `${before}\nif n == 4 { drop() }\nif n == 1 { set_measurement("m") }\nif n == 3 { add_key(time, "2020-01-01T00:00:00Z"); default_time(time) }`,
      ["1 name", "3 time", "4 outcome"],
      [],
      [
        ["name", 1],
        ["outcome", 1],
        ["time", 1],
      ],
    ],
    ["have a row less", 'grok(_, "^%{INT:n:int}$")', [], [2], []],
    ["have a row more", `${before}\nif n == 2 { create_point("more", {}, {"n": n}) }`, ["2 "], [], []],
  ])("%s", async (_name, after, rows, gone, keys) => {
    const kept = await run({ scripts: scripts(before), input });
    const now = await run({ scripts: scripts(after), input });
    const found = compareRuns(kept.records, now.records);
    expect([...found.rows].map(([{ number }, { parts }]) => `${number} ${[...parts].join()}`)).toEqual(rows);
    expect(found.gone.map(({ number }) => number)).toEqual(gone);
    expect(found.keys).toEqual(keys);
  });
});

describe("a benchmark", () => {
  let mill: Instance;
  beforeAll(async () => {
    mill = await loadMill();
  });
  const clock = () => 0n;
  const job = (text: string) => ({
    ...plainJob,
    scripts: scripts(text),
    input: Array.from({ length: 3000 }, (_, at) => `${at} word`).join("\n"),
  });

  it("measures two scripts in turns, and the time of each statement", async () => {
    const slow = 'for i = 0; i < 300; i += 1 {\n  x = i\n}\ngrok(_, "%{INT:n:int}")';
    const result = await measure(mill, { job: job(slow), other: scripts("add_key(a, 1)"), ms: 60 }, clock);
    if (typeof result === "string") throw new Error(result);
    expect(result.points).toBe(1000);
    const { times, other, parts, statements } = result;
    for (const each of [times, other!]) {
      expect(each.low).toBeLessThanOrEqual(each.median);
      expect(each.median).toBeLessThanOrEqual(each.high);
      expect(each.rounds).toBeGreaterThanOrEqual(3);
      expect(each.histogram.reduce((sum, count) => sum + count, 0)).toBe(each.rounds);
      expect(each.histogram).toHaveLength(parts.length - 1);
    }
    expect(new Set(statements.map(({ ln }) => ln))).toEqual(new Set([1, 2, 4]));
    expect(statements.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 5);
  });

  it.each([
    ["no points", { ...job("add_key(a, 1)"), input: "" }, "There are no points to measure."],
    ["a script with an error", job("add_key("), "A script has an error, so it cannot be measured."],
  ])("returns the reason when it cannot run: %s", async (_name, wrong, reason) => {
    expect(await measure(mill, { job: wrong, other: null, ms: 10 }, clock)).toBe(reason);
  });
});
