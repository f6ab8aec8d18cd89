// Parts of the connect mode that need no page: comparing texts line by line, reading numbers with all digits, and
// comparing the answers of page and agent.

import { beforeAll, describe, expect, it } from "vitest";
import { parseExact, readAnswer } from "../../../playground/src/modes/connect/agent-answer.ts";
import { compareAnswers } from "../../../playground/src/modes/connect/compare.ts";
import { aroundChanges, lineDiff } from "../../../playground/src/modes/connect/line-diff.ts";
import { createInstance, type Instance } from "../../../playground/src/worker/instance.ts";
import type { Job, PointRecord } from "../../../playground/src/worker/protocol.ts";
import { runJob } from "../../../playground/src/worker/run.ts";

describe("the line diff", () => {
  const shown = (before: string, after: string) =>
    lineDiff(before, after).map(({ kind, text }) => `${{ same: " ", added: "+", removed: "-" }[kind]}${text}`);

  it.each<[string, string, string[]]>([
    ["", "", []],
    ["a\nb\n", "a\nb\n", [" a", " b"]],
    ["", "a\nb", ["+a", "+b"]],
    ["a\nb\n", "", ["-a", "-b"]],
    ["a\nb\nc", "a\nc", [" a", "-b", " c"]],
    ["a\nc", "a\nb\nc", [" a", "+b", " c"]],
    ["a\nb\nc\n", "a\nx\nc\n", [" a", "-b", "+x", " c"]],
    ["a\na\na", "a\na", [" a", " a", "-a"]],
    ["a\nb\nc\nd", "b\nx\nd\ny", ["-a", " b", "-c", "+x", " d", "+y"]],
  ])("of %j and %j lists added, removed and equal lines", (before, after, expected) => {
    expect(shown(before, after)).toEqual(expected);
  });

  it("contains each line of both texts exactly once, for random texts", () => {
    let seed = 7;
    const random = (below: number) => (seed = (seed * 1103515245 + 12345) % 2 ** 31) % below;
    for (let round = 0; round < 200; round++) {
      const [before, after] = [0, 1].map(() => Array.from({ length: random(12) }, () => "abc"[random(3)]!));
      const diff = lineDiff(before!.join("\n"), after!.join("\n"));
      const without = (kind: string) => diff.filter((line) => line.kind !== kind).map(({ text }) => text);
      expect([without("added"), without("removed")]).toEqual([before, after]);
    }
  });

  it("is found within a second for large texts without a common line", () => {
    const text = (mark: string) => Array.from({ length: 5000 }, (_, at) => `${mark}${at}`).join("\n");
    const began = performance.now();
    expect(lineDiff(text("a"), text("b")).length).toBe(10_000);
    expect(performance.now() - began).toBeLessThan(1000);
  });

  it("can be cut to three lines around each change, with marks for the gaps", () => {
    const before = Array.from({ length: 20 }, (_, at) => String(at)).join("\n");
    const lines = aroundChanges(lineDiff(before, before.replace("\n10\n", "\nten\n")));
    expect(lines.map((line) => line?.text ?? "…")).toEqual(["…", "7", "8", "9", "10", "ten", "11", "12", "13", "…"]);
  });
});

it("parseExact() keeps all digits of JSON numbers, and does not change numbers in strings", () => {
  expect(parseExact('{"a":9223372036854775807,"b":-1.5e3,"c":"12 \\"3\\"","d":[true,null,0]}')).toEqual({
    a: { digits: "9223372036854775807" },
    b: { digits: "-1.5e3" },
    c: '12 "3"',
    d: [true, null, { digits: "0" }],
  });
});

describe("the comparison of two answers", () => {
  let mill: Instance;
  beforeAll(async () => {
    mill = await createInstance({ clock: () => 5n, timeZone: "UTC", geoip: null });
  });

  const input =
    'web,host=a n=9007199254740993i,f=1,s="x" 1700000000000000001\nweb,host=b n=2i,f=0.5,s="y" 1700000000000000002';

  async function run(script: string): Promise<readonly PointRecord[]> {
    const records: PointRecord[] = [];
    const job: Job = {
      scripts: [{ name: "a.p", text: script }],
      tables: [],
      category: "logging",
      form: "lp",
      input,
      source: "web",
      messageStart: "",
      timeZone: "UTC",
      now: 5n,
      maxSteps: 0,
      budgetMs: 0,
      limit: 0,
      query: null,
      output: null,
    };
    const set = mill.compile({ "a.p": script }, { probes: true });
    const compiled = set.scripts.get("a.p")!;
    await runJob(
      mill,
      compiled,
      job,
      () => 5n,
      (report) => {
        if (report.kind === "records") records.push(...report.records);
      },
      { stopped: false },
    );
    return records;
  }

  const point = (host: string, fields: string, nanoseconds: number, dropped = false) =>
    `{"point":{"dropped":${dropped},"name":"web","tags":{"host":"${host}"},"fields":{${fields}},"time":1700000000,` +
    `"time_ns":${nanoseconds}},"dropped":${dropped},"create_point":null,"run_error":null}`;
  const first = '"n":9007199254740993,"f":1,"s":"x","status":"unknown","k":1';
  const second = '"n":2,"f":0.5,"s":"y","status":"unknown","k":1';
  const answer = (...results: string[]) =>
    readAnswer(`{"content":{"cost":"1ms","benchmark":"","pl_errors":[],"plresults":[${results.join(",")}]}}`);

  it("finds no difference when page and agent compute the same, including the agent's corrections", async () => {
    const records = await run("add_key(k, 1)");
    expect(compareAnswers("logging", records, answer(point("a", first, 1), point("b", second, 2)))).toEqual({
      points: 2,
      different: [],
    });
  });

  it.each<[string, string, unknown[]]>([
    [
      "a large int",
      point("a", first.replace("993", "992"), 1),
      [{ part: "n", page: "9007199254740993 (int)", agent: "9007199254740992 (int)" }],
    ],
    [
      "a field that is missing",
      point("a", first.replace('"s":"x",', ""), 1),
      [{ part: "s", page: "x (string)", agent: "absent" }],
    ],
    ["a field more", point("a", `${first},"z":true`, 1), [{ part: "z", page: "absent", agent: "true (bool)" }]],
    ["a tag", point("c", first, 1), [{ part: "host", page: "a (tag)", agent: "c (tag)" }]],
    ["the time", point("a", first, 3), [{ part: "time", page: "1700000000000000001", agent: "1700000000000000003" }]],
    ["a kind", point("a", first.replace('"k":1', '"k":"1"'), 1), [{ part: "k", page: "1 (int)", agent: "1 (string)" }]],
    ["that one drops it", point("a", first, 1, true), [{ part: "outcome", page: "kept", agent: "dropped" }]],
    [
      "an error",
      '{"point":null,"dropped":false,"create_point":null,"run_error":{"pos_chain":[],"error":"no"}}',
      [{ part: "error", page: "none", agent: "no" }],
    ],
    [
      "a created point",
      point("a", first, 1).replace(
        '"create_point":null',
        '"create_point":[{"dropped":false,"name":"b","tags":{},"fields":{},"time":0,"time_ns":0}]',
      ),
      [{ part: "created points", page: "0", agent: "1" }],
    ],
  ])("finds %s", async (_name, result, differences) => {
    const records = await run("add_key(k, 1)");
    expect(compareAnswers("logging", records, answer(result, point("b", second, 2)))).toEqual({
      points: 2,
      different: [{ number: 1, title: "web", differences }],
    });
  });

  it("finds points that the agent has no answer for", async () => {
    const records = await run("add_key(k, 1)");
    expect(compareAnswers("logging", records, answer(point("a", first, 1)))).toMatchObject({
      points: 2,
      different: [{ number: 2, differences: [{ part: "outcome", page: "kept", agent: "absent" }] }],
    });
  });

  it("reads the error of a script that does not compile", () => {
    const text = '{"content":{"pl_errors":[{"pos_chain":[],"error":"unexpected"}],"plresults":[]}}';
    expect(readAnswer(text)).toEqual({ scriptError: "unexpected", points: [] });
  });
});
