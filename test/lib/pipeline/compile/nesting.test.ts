// Scripts whose expressions are nested far deeper than the call stack allows (docs/reference/language.md#operators).

import { describe, expect, it } from "vitest";
import { compileScripts } from "../../../../lib/pipeline/compile/scripts.ts";
import { Point } from "../../../../lib/point/point.ts";
import { Key } from "../../../../lib/point/view.ts";

const levels = 10_000;
const host = { now: () => 0n, random: () => 0, timeZone: "UTC" };

function run(script: string, maxSteps?: number): { point: Point; error: string | undefined } {
  const set = compileScripts({ "main.p": script });
  const failed = set.errors.get("main.p");
  if (failed !== undefined) return { point: new Point("p", 0n), error: failed.error };
  const point = new Point("p", 0n);
  const result = set.scripts.get("main.p")!.run(point, { category: "logging", host, maxSteps });
  return { point, error: result.error?.error };
}

function nested(open: string, middle: string, close: string, depth = levels): string {
  return open.repeat(depth) + middle + close.repeat(depth);
}

const cases: readonly (readonly [string, string, unknown])[] = [
  ["parentheses", `add_key(x, ${nested("(", "7", ")")})`, 7],
  ["lists", `a = ${nested("[", "7", "]")}\nif a {add_key(x, 1)}`, 1],
  ["lists written to the point", `add_key(x, ${nested("[", "7", "]")})`, nested("[", "7", "]")],
  ["maps", `a = ${nested('{"k": ', "7", "}")}\nif a {add_key(x, 1)}`, 1],
  ["minus signs before a variable", `v = 5\nadd_key(x, ${"-".repeat(levels)}v)`, 5],
  ["exclamation marks", `add_key(x, ${"!".repeat(levels)}true)`, true],
  ["signs of a literal", `add_key(x, ${"-".repeat(levels)}9)`, 9],
  ["if blocks", `${nested("if true {", "add_key(x, 3)", "}")}`, 3],
  ["else blocks", `${nested("if false {} else {", "add_key(x, 3)", "}")}`, 3],
  ["for blocks", `${nested("for i in [1] {", "add_key(x, 3)", "}")}`, 3],
  ["for blocks with a condition", `${nested("for ;; {", "add_key(x, 3)\nexit()", "}")}`, 3],
  ["sums in parentheses", `add_key(x, ${nested("(1+", "0", ")")})`, levels],
  ["long sums", `add_key(x, 0${"+1".repeat(levels)})`, levels],
  ["long conditions", `add_key(x, true${" && true".repeat(levels)})`, true],
  ["comparisons in parentheses", `add_key(x, ${nested("(true == ", "true", ")")})`, true],
  ["memberships in parentheses", `add_key(x, ${nested("(true in [", "true", "])")})`, true],
  ["slices of slices", `v = "abc"\nadd_key(x, v${"[0:2]".repeat(levels)})`, "ab"],
  ["indexes in indexes", `a = [0]\nadd_key(x, ${nested("a[", "0", "]")})`, 0],
  ["long chains of elif", `if false {}${" elif false {}".repeat(levels)} else {add_key(x, 1)}`, 1],
];

describe("deep nesting", () => {
  it.each(cases)("%s", (_, script, wanted) => {
    const { point, error } = run(script);
    expect(error).toBeUndefined();
    expect(point.get(new Key("x"))).toEqual(wanted);
  });

  it("of calls runs up to the limit, and is reported beyond the limit", () => {
    const { point, error } = run(`add_key(x, ${nested("value_type(", "1", ")", 490)})`);
    expect(error).toBeUndefined();
    expect(point.get(new Key("x"))).toBe("str");
    expect(run(nested("value_type(", "1", ")", 5000)).error).toBe("nesting too deep");
  });

  it("of brackets beyond the limit is refused", () => {
    expect(run(`a = ${nested("(", "1", ")", 30_000)}`).error).toBe("nesting too deep");
  });

  it("does not hide a mistake in the innermost bracket", () => {
    const script = `a = ${nested("(", "1 2", ")")}`;
    const { error } = run(script);
    expect(error).toBe('unexpected: number "2"');
  });

  it("of brackets that are never closed is reported", () => {
    expect(run("(".repeat(levels)).error).toBe("unclosed left parenthesis");
    expect(run("[".repeat(levels)).error).toBe("unclosed left bracket");
  });

  it("ends a run with an error, not a crash, when a string exceeds the memory limit", () => {
    const { error } = run(`s = "0123456789"\nfor ;; { s += s }`, 0);
    expect(error).toContain("values of the script exceed");
  });
});
