import { describe, expect, it } from "vitest";
import { createMillrace } from "../../../../lib/index.ts";

const mill = await createMillrace();

/**
 * Computes an expression over a point whose field `message` has the given value. The script stores the result in the
 * field `x`; the function returns this field.
 */
function resultOf(expression: string, message = "b"): unknown {
  return mill.script(`add_key(x, ${expression})`).run({ message }).fields.x;
}

describe("the operator `in` with a list of strings", () => {
  const cases: readonly (readonly [expression: string, expected: boolean])[] = [
    ['"b" in ["a", "b"]', true],
    ['"c" in ["a", "b"]', false],
    ['"" in ["a", ""]', true],
    ['"b" in (["a", "b"])', true],
    ['"b" in []', false],
    ['message in ["a", "b"]', true],
    ['"a" in ["a", "a"]', true],
    ['1 in ["1"]', false],
    ['nil in [""]', false],
    ['true in ["true"]', false],
    ['["a"] in ["a"]', false],
    ['"a" in ["a", 1]', true],
    ['1 in ["a", 1.0]', true],
    ['"a" in ["b", message]', false],
    ['"b" in ["a", message]', true],
    ['nil in ["a", nil]', true],
  ];
  it.each(cases)("%s is %s", (expression, expected) => {
    expect(resultOf(expression)).toBe(expected);
  });

  it("compares with the current value of the variable in each iteration of a loop", () => {
    const script = mill.script('n = 0\nfor k in ["a", "x", "c"] {\nif k in ["a", "c"] {n += 1}\n}\nadd_key(x, n)');
    expect(script.run({ message: "" }).fields.x).toBe(2n);
  });

  it("charges steps for a long list on each evaluation", () => {
    const list = Array.from({ length: 6400 }, (_, at) => `"k${at}"`).join(", ");
    const script = mill.script(`n = 0\nfor i = 0; i < 100; i += 1 {\nif "z" in [${list}] {n += 1}\n}`, {
      maxSteps: 5000,
    });
    expect(script.run({ message: "" }).error?.message).toMatch(/step/);
  });
});
