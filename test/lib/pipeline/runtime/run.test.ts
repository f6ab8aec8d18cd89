// Tests how scripts run: scopes of variables, calls of other scripts with `use`, linking, limits, warnings
// (docs/reference/language.md#variables-and-scopes).

import { describe, expect, it } from "vitest";
import { builtinPatterns } from "../../../../lib/grok/load.ts";
import { type CompiledSet, compileScripts } from "../../../../lib/pipeline/compile/scripts.ts";
import type { ScriptResult } from "../../../../lib/pipeline/runtime/script.ts";
import type { RunOptions } from "../../../../lib/pipeline/runtime/start-run.ts";
import { plErrorText } from "../../../../lib/pipeline/syntax/errors.ts";
import { snapshotOf } from "../../../../lib/point/changes.ts";
import { Point } from "../../../../lib/point/point.ts";
import { Float } from "../../../../lib/point/value.ts";
import { Key } from "../../../../lib/point/view.ts";
import { vectorScripts } from "../vector-scripts.ts";

const host = { now: () => 0n, random: () => 0, timeZone: "UTC" };

function run(
  script: string | Record<string, string>,
  options: Partial<RunOptions> = {},
): { point: Point; result: ScriptResult } {
  const scripts = typeof script === "string" ? { "a.p": script } : script;
  const point = new Point("p", 0n);
  point.setField(new Key("message"), "hi");
  const set = compiled(scripts);
  const result = set.scripts.get("a.p")!.run(point, { category: "metric", host, ...options });
  return { point, result };
}

function compiled(scripts: Record<string, string>): CompiledSet {
  const set = compileScripts(scripts);
  expect([...set.errors]).toEqual([]);
  return set;
}

function field(script: string, key = "x"): unknown {
  const { point, result } = run(script);
  expect(result.error).toBeNull();
  return point.get(new Key(key));
}

function errorText(scripts: Record<string, string>, name = "a.p"): string {
  const error = compileScripts(scripts).errors.get(name);
  return error === undefined ? "" : plErrorText(error);
}

describe("variables", () => {
  it("belong to the block that assigns them first", () => {
    expect(field("if true {a = 1}\nadd_key(x, a)")).toBeNull();
    expect(field("a = 0\nif true {a = 1}\nadd_key(x, a)")).toBe(1);
  });

  it("are removed before the next iteration of a loop", () => {
    expect(field('s = ""\nfor i in [1, 2] {\nif a == nil {s += "n"} else {s += "y"}\na = 1}\nadd_key(x, s)')).toBe(
      "nn",
    );
    expect(
      field('s = ""\nfor i = 0; i < 2; i += 1 {\nif a == nil {s += "n"} else {s += "y"}\na = 1}\nadd_key(x, s)'),
    ).toBe("nn");
  });

  it("of a loop header are kept for all iterations", () => {
    expect(
      field('s = ""\nfor i = 0; i < 3; k = i {i += 1\ns = s + "."\nif k != nil {s = s + "k"}}\nadd_key(x, s)'),
    ).toBe("..k.k");
  });

  it("of a loop overwrite a variable with the same name outside of the loop", () => {
    expect(field("i = 9\nfor i in [1, 2] {}\nadd_key(x, i)")).toBe(2);
  });

  it("hide the key of the point with the same name, also when they are nil", () => {
    expect(field("message = nil\nadd_key(x, message)")).toBeNull();
  });

  it("are nil after the assignment of a function without result", () => {
    expect(field("r = drop()\nadd_key(x, nil == r)")).toBe(true);
  });

  it("get the value of the point with += and leave the point unchanged", () => {
    const { point } = run('message += "!"\nadd_key(x, message)');
    expect([point.get(new Key("x")), point.get(new Key("message"))]).toEqual(["hi!", "hi"]);
  });
});

describe("use", () => {
  it("runs a script several times, with variables of its own", () => {
    const { point } = run({
      "a.p": "v = 1\nuse('b.p')\nuse('b.p')\nadd_key(v)",
      "b.p": "n = get_key(count)\nif n == nil {n = 0}\nadd_key(count, n + 1)\nadd_key(seen, v)\nv = 5",
    });
    expect(point.get(new Key("count"))).toBe(2);
    expect(point.get(new Key("v"))).toBe(1);
    expect(point.get(new Key("seen"))).toBeNull();
  });

  it("returns to the caller after exit in the called script", () => {
    const { point } = run({ "a.p": "use('b.p')\nadd_key(x, 1)", "b.p": "exit()\nadd_key(y, 1)" });
    expect([...point.entries()].map(({ key }) => key)).toEqual(["message", "x"]);
  });

  it("refuses circular calls, and reports the path from the compiled script", () => {
    const scripts = { "a.p": "use('b.p')", "b.p": "if false {\nuse('c.p')}", "c.p": " use('b.p')" };
    expect(errorText(scripts)).toBe(
      "a.p:1:2: circular dependency: a.p -> b.p -> c.p -> b.p\nc.p:1:2:\nb.p:2:1:\na.p:1:1:",
    );
    expect(errorText(scripts, "b.p")).toBe("b.p:1:2: circular dependency: b.p -> c.p -> b.p\nc.p:1:2:\nb.p:2:1:");
  });

  it("reports the mistake of a called script for this script and its callers only", () => {
    const scripts = { "a.p": "use('b.p')", "b.p": "\nx = ", "c.p": "add_key(x, 1)" };
    const set = compileScripts(scripts);
    expect([...set.errors.keys()].sort()).toEqual(["a.p", "b.p"]);
    expect(errorText(scripts)).toBe("b.p:2:5: unexpected: end of input\na.p:1:1:");
    expect([...set.scripts.keys()]).toEqual(["c.p"]);
  });

  it("links 40 levels of shared scripts without exponential work", () => {
    const scripts: Record<string, string> = { "s40.p": "add_key(x, 1)" };
    for (let level = 0; level < 40; level++) {
      scripts[`s${level}.p`] = `use('s${level + 1}.p')\nif false {use('s${level + 1}.p')}`;
    }
    expect(compiled(scripts).scripts.size).toBe(41);
  });

  it("refuses chains of calls that are too deep for the call stack", () => {
    const scripts: Record<string, string> = { "s1000.p": "add_key(x, 1)" };
    for (let level = 0; level < 1000; level++) scripts[`s${level}.p`] = `use('s${level + 1}.p')`;
    expect(compileScripts(scripts).errors.get("s0.p")?.error).toBe("nesting too deep");
  });
});

describe("limits", () => {
  it("end a run before the statement or iteration that would exceed the step limit", () => {
    const { result } = run("a = 1\nfor ;; {\n a += 1}", { maxSteps: 99 });
    expect(plErrorText(result.error!)).toBe("a.p:3:2: script exceeded 99 steps");
  });

  it("include the steps of called scripts", () => {
    const scripts = { "a.p": "for ;; {use('b.p')}", "b.p": "a = 1\nb = 2" };
    const { result } = run(scripts, { maxSteps: 50 });
    expect(result.error?.error).toBe("script exceeded 50 steps");
  });

  it("do not apply when maxSteps is 0", () => {
    const { point } = run("n = 0\nfor i = 0; i < 1000; i += 1 {n += 1}\nadd_key(n)", { maxSteps: 0 });
    expect(point.get(new Key("n"))).toBe(1000);
  });

  it("end a debug run with an error at its deadline", () => {
    let clock = 0;
    const deadline = { now: () => (clock += 100), limitMs: 15000 };
    const { result, point } = run("add_key(x, 1)\nfor ;; {}", { deadline });
    expect(plErrorText(result.error!)).toBe("a.p:2:1: script exceeded 15s");
    expect(point.get(new Key("x"))).toBe(1);
  });

  it("report at the end of a run that the last statement took too long", () => {
    const times = [0, 0, 20000];
    const { result } = run("add_key(x, 1)", { deadline: { now: () => times.shift()!, limitMs: 15000 } });
    expect(plErrorText(result.error!)).toBe("a.p:1:1: script exceeded 15s");
  });
});

describe("a deadline", () => {
  const deadline = { now: () => 0, limitMs: 15_000 };

  it("does not change which failures are treated as nil", () => {
    for (const script of ['a = {"a": [1]}\ndelete(a["a"][-7], "b")', "l = [1]\nadd_key(t, value_type(l[5]))"]) {
      expect(run(script).result.error).toBeNull();
      expect(run(script, { deadline }).result.error).toBeNull();
    }
  });

  it("does not change the result of any conformance script", async () => {
    const resultOf = async (text: string, options: Partial<RunOptions>) => {
      const set = compileScripts({ "main.p": text }, { patterns: builtinPatterns });
      const point = new Point("p", 0n);
      point.setField(new Key("message"), "hi 12");
      const result = await set.scripts.get("main.p")?.runWaiting(point, { category: "logging", host, ...options });
      return { result, after: snapshotOf(point) };
    };
    for (const text of vectorScripts) {
      const plain = await resultOf(text, { maxSteps: 100_000 });
      if (plain.result?.error?.error.startsWith("script exceeded") === true) continue;
      expect(await resultOf(text, { deadline }), text).toEqual(plain);
    }
  });
});

describe("evaluation", () => {
  it("evaluates the right side of an assignment before the indexes of its target", () => {
    const { result } = run("l = [0]\nl[1 / 0.5] = 1");
    expect(result.error?.error).toBe("key type is not int");
    expect(run("l = [0]\nz = 0\nl[nope[0]] = 1 / z").result.error?.error).toBe("integer division by zero");
  });

  it("keeps all 64 bits of an int", () => {
    expect(field("add_key(x, 9007199254740993)")).toBe(9007199254740993n);
    expect(field("add_key(x, 4611686018427387904 + 4611686018427387904)")).toBe(-9223372036854775808n);
    expect(field("add_key(x, 1.0 * 3)")).toEqual(new Float(3));
  });

  it("slices text by code points", () => {
    expect(field('add_key(x, "a😀é中"[1:3])')).toBe("😀é");
    expect(field('add_key(x, "abc"[::-1])')).toBe("cba");
    expect(field("l = [0, 1, 2]\nadd_key(x, l[3:1])")).toBe("[]");
    expect(field("l = [0, 1, 2]\nadd_key(x, l[2:-1:-1])")).toBe("[]");
  });

  it("shares containers instead of copying them", () => {
    expect(field("a = [1]\nb = [a, a]\nb[0][0] = 2\nadd_key(x, b)")).toBe("[[2],[2]]");
    expect(field("a = [1]\na[0] = a\nadd_key(x, a)")).toBeNull();
  });
});

describe("checking", () => {
  it("counts positions in code points", () => {
    expect(errorText({ "a.p": "s = '😀é' )" })).toBe("a.p:1:11: unexpected right parenthesis ')'");
  });

  it("reads bytes written as escapes as UTF-8", () => {
    expect(field('add_key(x, "\\xe4\\xb8\\xad\\x41")')).toBe("中A");
    expect(field('add_key(x, "\\xff\\101")')).toBe("\ufffdA");
  });

  it("includes the step of a slice and branches that never run", () => {
    expect(errorText({ "a.p": "a = [1]\nif false {b = a[::nofn()]}" })).toBe("a.p:2:19: unsupported func: `nofn`");
  });

  it("reports the first of several mistakes", () => {
    expect(errorText({ "a.p": "a = 1/0 b" })).toContain("division or modulo by zero");
    expect(errorText({ "a.p": "a b = 1/0" })).toContain('unexpected: id "b"');
    expect(errorText({ "a.p": "a b @" })).toContain('unexpected: id "b"');
    expect(errorText({ "a.p": "f(1 2, (3 4))" })).toBe('a.p:1:5: unexpected: number "2"');
    expect(errorText({ "a.p": "a = (1]" })).toBe('a.p:1:7: unexpected: "]"');
  });

  it("warns about statements that have no effect", () => {
    const set = compiled({ "a.p": "a.b = 2\nc = d.e" });
    expect(set.warnings.get("a.p")?.map((each) => each.pos_chain[0]?.pos)).toEqual([0, 12]);
  });

  it("names a function that does not exist", () => {
    expect(errorText({ "a.p": "xmlx()" })).toBe("a.p:1:1: unsupported func: `xmlx`\nhint: did you mean xml?");
  });
});
