// The memory limit for one run of a script. The memory of values, strings and created points counts towards the
// limit. A statement that needs more memory than the limit still allows ends the run with an error.

import { describe, expect, it } from "vitest";
import { builtinPatterns } from "../../../../lib/grok/load.ts";
import { compileScripts } from "../../../../lib/pipeline/compile/scripts.ts";
import { toJsonText } from "../../../../lib/pipeline/runtime/json-text.ts";
import { Memory } from "../../../../lib/pipeline/runtime/memory.ts";
import type { RunOptions } from "../../../../lib/pipeline/runtime/start-run.ts";
import { createTrace } from "../../../../lib/pipeline/runtime/trace.ts";
import type { Value } from "../../../../lib/pipeline/runtime/value.ts";
import { plErrorText } from "../../../../lib/pipeline/syntax/errors.ts";
import { decodePoints } from "../../../../lib/point/codec/decode.ts";
import { Point } from "../../../../lib/point/point.ts";
import { Key } from "../../../../lib/point/view.ts";
import { loadModule } from "../../wasm/load.ts";

const host = { now: () => 0n, random: () => 0, timeZone: "UTC" };
const module = await loadModule();

/**
 * Runs the script over a point that is a JavaScript object and over the same point in a decoded batch. Expects
 * that both runs have the same error or no error. Returns this error, or null.
 */
function errorOf(script: string | Record<string, string>, options: Partial<RunOptions> = {}): string | null {
  const scripts = typeof script === "string" ? { "a.p": script } : script;
  const set = compileScripts(scripts, { patterns: builtinPatterns });
  expect([...set.errors]).toEqual([]);
  const point = new Point("p", 0n);
  point.setField(new Key("message"), "abc def");
  const batch = decodePoints(module, new TextEncoder().encode('p message="abc def"'), "lp", {
    category: "logging",
    now: 0n,
  });
  const [error, inBatch] = [point, batch.at(0)].map((each) => {
    const result = set.scripts.get("a.p")!.run(each, { category: "logging", host, maxBytes: 1_000_000, ...options });
    return result.error === null ? null : plErrorText(result.error);
  });
  batch.release();
  expect(inBatch).toBe(error);
  return error!;
}

const exceeded = "values of the script exceed 1000000 bytes";
const nestedLists = "l = [1]\nfor i = 0; i < 40; i += 1 { l = [l, l] }\n";

describe("the memory limit of a script", () => {
  it.each([
    ["a list that holds itself twice, forty times, as a field", `${nestedLists}add_key(x, l)`, "3:1"],
    ["such a list as a tag", `${nestedLists}set_tag(x, l)`, "3:1"],
    ["such a list as the text of a key", `${nestedLists}uppercase(l)`, "3:1"],
    ["such a list as a text to search in", `${nestedLists}gjson(l, "a")`, "3:1"],
    ["such a list as a text to cut", `${nestedLists}grok(l, "%{WORD:w}")`, "3:1"],
    ["such a list as a value that is cast", `${nestedLists}add_key(k, 1)\ncast(l, "str")`, "4:1"],
    ["such a list as a text by format", `${nestedLists}strfmt(x, "%v %v", 1, l)`, "3:1"],
    ["such a list in a created point", `${nestedLists}create_point("p", {}, {"f": l})`, "3:1"],
    ["maps, too", 'm = {}\nfor i = 0; i < 40; i += 1 { m = {"a": m, "b": m} }\nadd_key(x, m)', "3:1"],
    ["a chain of lists", "l = []\nfor ;; { l = [l, 1, 2, 3] }", "2:10"],
    ["a chain of lists in the head of a loop", "l = []\nfor ;; l = [l, 1] {}", "2:1"],
    ["entries of a map", 'm = {}\nk = ""\nfor ;; {\n  k = k + "x"\n  m[k] = 1\n}', "5:3"],
    ["a text that doubles", "s = _\nfor ;; { s = s + s }", "2:10"],
    ["a key that doubles", 'for ;; { replace(_, "(.)", "$1$1") }', "1:10"],
    [
      "many matches of a long template",
      `s = "${"a".repeat(1000)}"\nadd_key(k, s)\nreplace(k, "a", "${"b".repeat(5000)}")`,
      "3:1",
    ],
    [
      "a text that takes more bytes than it has letters",
      `s = "${"a".repeat(10)}"\nadd_key(k, s)\nreplace(k, "a", "${"中".repeat(40_000)}")`,
      "3:1",
    ],
    [
      "a long text with the copies of a function",
      `s = "${"a".repeat(70_000)}"\nadd_key(k, s + s + s)\nreplace(k, "^a", "b")`,
      "3:1",
    ],
    ["a wide format", 'for ;; { strfmt(x, "%500000d%500000d%500000d", 1, 2, 3) }', "1:10"],
    ["keys of the point", "i = 0\nfor ;; {\n  i += 1\n  pt_kvs_set(format_int(i, 10), 1)\n}", "4:3"],
    ["points", 'for ;; { create_point("p", {"t": "x"}, {"f": 1}) }', "1:10"],
    ["parsed JSON", 'l = []\nfor ;; { l = [l, load_json("[{},{},{}]")] }', "2:10"],
    [
      "a list that a loop goes over",
      "a = [1, 2]\nfor i = 0; i < 14; i += 1 { for x in a { a = append(a, a) } }",
      "2:42",
    ],
  ])("ends the script with the position of the statement: %s", (_, script, place) => {
    expect(errorOf(script)).toBe(`a.p:${place}: ${exceeded}`);
  });

  it("allows a search in a shorter text", () => {
    expect(errorOf(`s = "${"a".repeat(100_000)}"\nadd_key(k, s)\nreplace(k, "^a", "b")`)).toBeNull();
  });

  it("also ends the script that called the failing script", () => {
    const scripts = { "a.p": "x = 1\nuse('b.p')", "b.p": "\nl = []\nfor ;; {\n  l = [l]\n}" };
    expect(errorOf(scripts)).toBe(`b.p:4:3: ${exceeded}\na.p:2:1:`);
  });

  it("also ends the script under a deadline, where no steps are counted", () => {
    const deadline = { now: () => 0, limitMs: 1000 };
    expect(errorOf(`${nestedLists}add_key(x, l)`, { deadline })).toBe(`a.p:3:1: ${exceeded}`);
    expect(errorOf('for ;; { create_point("p", {}, {"f": 1}) }', { deadline })).toBe(`a.p:1:10: ${exceeded}`);
  });

  it("ends the script even where a function treats a failing argument as nil", () => {
    const script = `${nestedLists}add_key(t, value_type([l, strfmt(y, "%v", l)]))`;
    expect(errorOf(script)).toBe(`a.p:3:1: ${exceeded}`);
  });

  it("is 64 MiB by default, and does not apply when maxBytes is 0", () => {
    const text = `s = "${"x".repeat(64)}"\nfor i = 0; i < 17; i += 1 { s = s + s }\n${"add_key(k, s)\n".repeat(5)}`;
    const options = { maxSteps: 0 };
    expect(errorOf(text, { ...options, maxBytes: undefined })).toBe(
      "a.p:6:1: values of the script exceed 67108864 bytes",
    );
    expect(errorOf(text, { ...options, maxBytes: 0 })).toBeNull();
  });
});

describe("a script that creates values and drops them", () => {
  it.each([
    ["texts", 's = ""\nfor i = 0; i < 5000; i += 1 { s = s + "x" }'],
    ["lists that grow", "l = []\nfor i = 0; i < 3000; i += 1 { l = append(l, i) }"],
    ["lists within a loop over a list", "for x in [1, 2, 3] { for i = 0; i < 20000; i += 1 { l = [i, x] } }"],
    ["maps", 'for i = 0; i < 20000; i += 1 { m = {"a": i} }'],
    ["numbers of a key", "for i = 0; i < 100000; i += 1 { add_key(k, i) }"],
    ["parsed JSON", 'for i = 0; i < 5000; i += 1 { j = load_json("{\\"a\\": [1, 2, 3]}") }'],
    [
      "variables of a called script",
      { "a.p": "for i = 0; i < 5000; i += 1 { use('b.p') }", "b.p": "l = [1, [2, [3]]]" },
    ],
  ])("runs to its end: %s", (_, script) => {
    expect(errorOf(script)).toBeNull();
  });
});

describe("the JSON text of a value", () => {
  const nested = (levels: number): Value => {
    let list: Value = [1];
    for (let level = 0; level < levels; level++) list = [list, list];
    return list;
  };

  it("counts towards the memory limit while it is written", () => {
    const memory = new Memory();
    memory.start(1_000_000);
    let pieces = 0;
    const { makeJoined } = memory;
    memory.makeJoined = (length, count) => {
      pieces += count;
      makeJoined.call(memory, length, count);
    };
    expect(() => toJsonText(nested(40), 2, memory)).toThrow(exceeded);
    expect(pieces).toBeLessThan(100_000);
  });

  it("is cut off in a trace, because a trace keeps many values", () => {
    const set = compileScripts({ "a.p": `${nestedLists}for ;; { l = [l] }` }, { probes: true });
    const point = new Point("p", 0n);
    const probe = createTrace();
    set.scripts.get("a.p")!.run(point, { category: "logging", host, probe, maxSteps: 2000 });
    const shown = probe.steps.flatMap(({ variables }) => variables).map(({ value }) => value.length);
    expect(Math.max(...shown)).toBeLessThan(5000);
    expect(shown.reduce((sum, length) => sum + length, 0)).toBeLessThan(17 << 20);
  });
});
