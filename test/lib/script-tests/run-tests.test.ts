// Runs tests of scripts. Also computes, from the actual result of a script, the expectation with which a test passes.

import { beforeAll, describe, expect, it } from "vitest";
import { createMillrace, type Millrace } from "../../../lib/index.ts";
import { expectationOf, runTests } from "../../../lib/script-tests/run-tests.ts";
import { readTests } from "../../../lib/script-tests/test-file.ts";
import { wasmBytes } from "../wasm/load.ts";

let mill: Millrace;

beforeAll(async () => {
  mill = await createMillrace({
    wasm: await wasmBytes(),
    clock: () => 1_767_225_600_000_000_000n,
    random: () => 0.5,
    timeZone: "UTC",
  });
});

const setOf = (tests: unknown[], rest: object = {}) => readTests({ tests, ...rest }, "a.p");

describe("a test", () => {
  const script = 'grok(_, "%{WORD:w} %{INT:n:int}")\nif n > 5 { drop() }\nset_tag(w)';

  it.each<[name: string, input: string, expected: object, differences: string[]]>([
    ["passes", "a 1", { tags: { w: "a" }, fields: { n: 1n } }, []],
    [
      "names the value that differs",
      "a 1",
      { tags: { w: "a" }, fields: { n: 2n } },
      ["- fields.n: 2", "+ fields.n: 1"],
    ],
    ["tells a float from an int", "a 1", { tags: { w: "a" }, fields: { n: 1 } }, ["- fields.n: 1.0", "+ fields.n: 1"]],
    ["names what is missing", "a 1", { tags: { w: "a" } }, ["+ fields.n: 1"]],
    [
      "names a point that is not dropped",
      "a 1",
      { tags: { w: "a" }, fields: { n: 1n }, dropped: true },
      ["- dropped: true"],
    ],
  ])("%s", async (_name, input, expected, differences) => {
    const set = setOf([{ name: "t", input, expect: expected }]);
    expect(await runTests(mill, { set, sources: { "a.p": script } })).toEqual([{ name: "t", differences }]);
  });

  it("uses the scripts in the test file instead of others, and names a missing script", async () => {
    const set = setOf([{ input: "a 1", expect: { fields: { own: true } } }], {
      scripts: { "a.p": "add_key(own, true)" },
    });
    expect((await runTests(mill, { set, sources: { "a.p": script } }))[0]?.differences).toEqual([]);
    await expect(runTests(mill, { set: setOf([{ input: "", expect: {} }]), sources: {} })).rejects.toThrow(
      "there is no script a.p",
    );
  });
});

describe("a generated expectation", () => {
  it.each<[name: string, script: string, input: string | object]>([
    ["of a log that is parsed", 'grok(_, "%{WORD:w} %{NUMBER:f:float}")\nset_tag(w)\ndrop_key(message)', "a 2"],
    ["of a log that is dropped", "drop()", "a 2"],
    ["of a script that fails", "x = 0\ny = 1 / x", "a 2"],
    [
      "with a new name, time and nil",
      'set_measurement("m")\nadd_key(n, nil)\nt = "2026-01-02T03:04:05Z"\nadd_key(time, t)\ndefault_time(time)',
      "a",
    ],
    ["with a created point", 'create_point("made", {"t": "x"}, {"n": 1, "f": 1.5}, category="M")', "a"],
    ["of a point", "add_key(sum, a + 1)", { measurement: "m", tags: { t: "x" }, fields: { a: 9007199254740993n } }],
  ])("%s makes its test pass", async (_name, script, input) => {
    const set = setOf([{ input, expect: {} }]);
    const tested = { set, sources: { "a.p": script } };
    expect((await runTests(mill, tested))[0]!.differences.length).toBeGreaterThan(0);
    const { expect: wanted, lost } = await expectationOf(mill, tested, set.tests[0]!.input);
    expect(lost).toEqual([]);
    const again = { ...set, tests: [{ ...set.tests[0]!, expect: wanted }] };
    expect((await runTests(mill, { set: again, sources: tested.sources }))[0]!.differences).toEqual([]);
  });
});
