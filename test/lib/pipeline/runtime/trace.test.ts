// The trace of a run, which reports each executed statement. A run without a trace reports nothing and has the same
// results.

import { describe, expect, it } from "vitest";
import { builtinPatterns } from "../../../../lib/grok/load.ts";
import { type CompiledSet, compileScripts } from "../../../../lib/pipeline/compile/scripts.ts";
import type { Probe } from "../../../../lib/pipeline/runtime/instrumentation.ts";
import { createProfile } from "../../../../lib/pipeline/runtime/profile.ts";
import { createTrace, type Trace } from "../../../../lib/pipeline/runtime/trace.ts";
import { type Change, shownValue, snapshotOf } from "../../../../lib/point/changes.ts";
import { correct } from "../../../../lib/point/correct.ts";
import { Point } from "../../../../lib/point/point.ts";
import { Key } from "../../../../lib/point/view.ts";
import { vectorScripts } from "../vector-scripts.ts";

const NOW = 1700000000000000000n;
const host = { now: () => NOW, random: () => 0.5, timeZone: "UTC" };

function pointOf(message: string): Point {
  const point = new Point("default", NOW);
  point.setField(new Key("message"), message);
  correct(point, "logging");
  return point;
}

function run(texts: string | Record<string, string>, message: string, probe: Probe, probes = true) {
  const scripts = typeof texts === "string" ? { "main.p": texts } : texts;
  const set = compileScripts(scripts, { patterns: builtinPatterns, probes });
  expect(set.errors.size).toBe(0);
  const point = pointOf(message);
  const result = set.scripts.get("main.p")!.run(point, { category: "logging", host, probe, maxSteps: 100_000 });
  return { point, result };
}

function shown(change: Change): string {
  switch (change.kind) {
    case "set":
      return `${change.isTag ? "tag " : ""}${change.key}=${shownValue(change.value)}${change.before === undefined ? "" : ` was ${shownValue(change.before)}`}`;
    case "removed":
      return `-${change.key}`;
    case "renamed":
      return `${change.from}>${change.key}`;
    case "measurement":
    case "time":
      return `${change.kind} ${change.value}`;
  }
}

/** Returns a line for each step of the trace: its position, its depth of nesting, and its effects. */
function lines({ steps }: Trace): string[] {
  return steps.map(({ ln, col, depth, changes, variables, branch, dropped, error }) =>
    [
      `${ln}:${col}`,
      depth,
      ...changes.map(shown),
      ...variables.map(({ name, value }) => `${name}:=${value}`),
      ...(branch === null ? [] : [`branch ${branch}`]),
      ...(dropped ? ["dropped"] : []),
      ...(error === null ? [] : [`error ${error}`]),
    ].join(" "),
  );
}

describe("a trace", () => {
  it("lists groks that did not match, and points that were created", () => {
    const trace = createTrace();
    run(
      'if grok(_, "%{INT:n}") { add_key(n) } else { grok(_, "x") }\ncreate_point("p", {"t": "1"}, {"f": 1.5})\ngrok(_, "a")',
      "abc",
      trace,
    );
    expect(trace.steps.map(({ ln, col, unmatched, created }) => [ln, col, unmatched, created.length])).toEqual([
      [1, 1, ["%{INT:n}"], 0],
      [1, 46, ["x"], 0],
      [2, 1, [], 1],
      [3, 1, [], 0],
    ]);
    const [made] = trace.steps[2]!.created;
    expect([made!.category, made!.name, ...made!.keys.map(shown)]).toEqual(["metric", "p", "f=1.5", 'tag t="1"']);
  });

  it("lists changes of keys, tags, the measurement and the time, and drops", () => {
    const trace = createTrace();
    run(
      'grok(_, "%{WORD:w} %{INT:n}")\ncast(n, "int")\nrename(word, w)\nset_tag(word)\ndrop_key(n)\nset_measurement("m")\nadd_key(time, 1000)\ndrop()\nadd_key(status, "e")',
      "a 1",
      trace,
    );
    expect(lines(trace)).toEqual([
      '1:1 0 w="a" n="1"',
      '2:1 0 n=1 was "1"',
      "3:1 0 w>word",
      '4:1 0 tag word="a" was "a"',
      "5:1 0 -n",
      "6:1 0 measurement m",
      "7:1 0 time=1000",
      "8:1 0 dropped",
      '9:1 0 status="e" was "unknown"',
    ]);
    expect(trace.after.map(shown)).toEqual(['status="error" was "e"', "-time", "time 1000"]);
    expect(trace.steps[2]).toMatchObject({ script: "main.p", kind: "Expression", text: "rename(word, w)" });
  });

  it("lists variables, branches and loop iterations", () => {
    const trace = createTrace();
    run(
      'x = [1]\nif x[0] == 2 {\n  y = 1\n} elif grok(_, "%{INT:n}") {\n  x[0] = 5\n} else {\n z = 1\n}\nif false {\n}\nfor i = 0; i < 2; i = i + 1 {\n  add_key(k, i)\n}\nfor c in "ab" {\n  continue\n}',
      "7",
      trace,
    );
    expect(lines(trace)).toEqual([
      "1:1 0 x:=[1]",
      '2:1 0 n="7" branch 1',
      "5:3 1 x:=[5]",
      "9:1 0",
      "11:1 0",
      "11:5 1 i:=0",
      "12:3 1 k=0",
      "11:19 1 i:=1",
      "12:3 1 k=1 was 0",
      "11:19 1 i:=2",
      '14:1 0 c:="a" c:="b"',
      "15:3 1",
      "15:3 1",
    ]);
  });

  it("includes scripts called with use, and marks the statement that fails", () => {
    const trace = createTrace();
    const scripts = {
      "main.p": 'a = 1\nuse("b.p")\nc = 1',
      "b.p": "a = 2\nif true {\n  add_key(z, a)\n  d = 1 / (a - a)\n}",
    };
    const { result } = run(scripts, "x", trace);
    expect(result.error?.error).toBe("integer division by zero");
    expect(lines(trace).map((line, at) => `${trace.steps[at]!.script} ${line}`)).toEqual([
      "main.p 1:1 0 a:=1",
      "main.p 2:1 0 error integer division by zero",
      "b.p 1:1 1 a:=2",
      "b.p 2:1 1 branch 0 error integer division by zero",
      "b.p 3:3 2 z=2",
      "b.p 4:3 2 error integer division by zero",
    ]);
  });

  it("keeps at most the given number of steps", () => {
    const trace = createTrace(5);
    run("for i = 0; i < 100; i = i + 1 {\n  add_key(k, i)\n}", "x", trace);
    expect([trace.steps.length, trace.truncated]).toEqual([5, true]);
  });

  it("stays empty when the script was not compiled with probes", () => {
    const trace = createTrace();
    run("add_key(a, 1)\nif true {\n b = 1\n}", "x", trace, false);
    expect(trace.steps).toEqual([]);
  });

  it("does not change the result of any conformance script", async () => {
    for (const text of vectorScripts) {
      const plain = compileScripts({ "main.p": text }, { patterns: builtinPatterns });
      const probing = compileScripts({ "main.p": text }, { patterns: builtinPatterns, probes: true });
      expect([...probing.errors]).toEqual([...plain.errors]);
      const resultOf = async ({ scripts }: CompiledSet) => {
        const point = pointOf("hi 12");
        const options = { category: "logging", host, probe: createTrace(100), maxSteps: 2000 } as const;
        const result = await scripts.get("main.p")?.runWaiting(point, options);
        return { result, after: snapshotOf(point) };
      };
      expect(await resultOf(probing), text).toEqual(await resultOf(plain));
    }
  }, 120_000);
});

describe("a trace of a script that waits", () => {
  it("lists the statements after the wait, and a failure among them", async () => {
    const text = 'n = 1\nif true {\n  http_request("GET", "http://a/")\n  add_key(k, n)\n}\nb = 1 / (n - n)';
    const set = compileScripts({ "main.p": text }, { patterns: builtinPatterns, probes: true });
    const script = set.scripts.get("main.p")!;
    expect(script.waits).toBe(true);
    const trace = createTrace();
    let ends = 0;
    const end = trace.end.bind(trace);
    trace.end = (run) => {
      ends++;
      end(run);
    };
    const { error } = await script.runWaiting(pointOf("x"), { category: "logging", host, probe: trace });
    expect(error?.error).toBe("integer division by zero");
    expect(lines(trace)).toEqual([
      "1:1 0 n:=1",
      "2:1 0 branch 0",
      "3:3 1",
      "4:3 1 k=1",
      "6:1 0 error integer division by zero",
    ]);
    expect(ends).toBe(1);
  });
});

describe("a profile", () => {
  it("counts statements and charges time to the innermost statement", () => {
    let clock = 0;
    const profile = createProfile(() => clock++);
    run("for i = 0; i < 3; i = i + 1 {\n  add_key(k, i)\n}\nx = 1", "x", profile);
    const counts = profile.statements().map(({ position: { ln, col }, count, text }) => [ln, col, count, text]);
    expect(counts).toContainEqual([1, 1, 1, "for i = 0; i < 3; i = i + 1 {"]);
    expect(counts).toContainEqual([2, 3, 3, "add_key(k, i)"]);
    expect(counts).toContainEqual([4, 1, 1, "x = 1"]);
    // The profile measures how long each statement takes: it reads the clock before and after each step. The clock
    // of this test advances by one at each reading, so each execution of a statement takes the time 1. The parts in
    // the head of a loop (such as its condition) are separate steps, and the profile adds their time to the time of
    // the loop.
    const times = Object.fromEntries(profile.statements().map(({ text, time }) => [text, time]));
    expect([times["x = 1"], times["add_key(k, i)"]]).toEqual([1, 3]);
  });
});
