// The compiler can choose the branch of a chain of `if` and `elif` by one look-up when all conditions test the same
// variable. It must choose the same branch as evaluating the conditions one by one.

import { describe, expect, it } from "vitest";
import { createMillrace } from "../../../../lib/index.ts";

const mill = await createMillrace();

/**
 * Runs a script that sets the variable `v` to the given value and then runs `chain`, a chain of conditions on `v`.
 * Returns the field `x`, which the chosen branch sets, or the error message.
 */
function chosen(chain: string, value: string): unknown {
  const script = mill.script(`ok = true\nother = "o"\nv = ${value}\n${chain}`);
  const { fields, error } = script.run({ message: "b" });
  return error === undefined ? fields.x : error.message;
}

const values = ['"a"', '"b"', '"c"', '"d"', '"o"', '""', "1", "nil", '["a"]', "true", "1.5", "message", '"a" + "b"'];

/**
 * Chains of conditions on the variable `v`. The test also runs each chain with an index expression instead of `v`. The
 * compiler has no look-up for such a chain, so its conditions are evaluated one by one.
 */
const chains = [
  'if v == "a" {add_key(x, 1)} elif v == "b" {add_key(x, 2)}',
  'if v in ["a", "b"] {add_key(x, 1)} elif v in ["b", "c"] {add_key(x, 2)} else {add_key(x, 3)}',
  'if v == "a" && ok {add_key(x, 1)} elif v == "a" {add_key(x, 2)} elif v == "b" && !ok {add_key(x, 3)} else {add_key(x, 4)}',
  'if v == "a" && 1 {add_key(x, 1)} elif v == "b" {add_key(x, 2)} else {add_key(x, 3)}',
  'if v == "a" && unknown[0] == 1 {add_key(x, 1)} elif v == "b" {add_key(x, 2)} else {add_key(x, 3)}',
  'if v == "a" {add_key(x, 1)} elif other == "o" && v != "c" {add_key(x, 2)} elif v == "c" {add_key(x, 3)}',
  'if ok == false {add_key(x, 1)} elif v == "a" {add_key(x, 2)} elif ok {add_key(x, 3)} elif v == "b" {add_key(x, 4)}',
  'if (v == "a") && (ok) {add_key(x, 1)} elif ((v in (["a", "b"])) && ok) && ok {add_key(x, 2)} elif v == "a" {add_key(x, 3)}',
  'if v == "a" || v == "b" {add_key(x, 1)} elif v == "b" {add_key(x, 2)} elif v == "c" {add_key(x, 3)}',
  'if v in [] {add_key(x, 1)} elif v in ["a", 1] {add_key(x, 2)} elif v == "a" {add_key(x, 3)} elif v in ["d", "d"] {add_key(x, 4)}',
  'if v < 1 {add_key(x, 1)} elif v == "a" {add_key(x, 2)} elif v == "b" {add_key(x, 3)}',
];

describe("a chain of conditions", () => {
  it.each(chains)("%s", (chain) => {
    for (const value of values) {
      const oneByOne = chain.replaceAll(/\bv\b/g, 'w["v"]');
      const expected = chosen(`w = {"v": nil}\nw["v"] = v\n${oneByOne}`, value);
      const [got, wanted] = [chosen(chain, value), expected];
      expect([value, typeof got === "string" ? got.replace(/^.*: /, "") : got]).toEqual([
        value,
        typeof wanted === "string" ? wanted.replace(/^.*: /, "") : wanted,
      ]);
    }
  });

  it("reads the key of the point when the variable does not exist", () => {
    const chain = 'if message == "a" {add_key(x, 1)} elif message == "b" {add_key(x, 2)}';
    const script = mill.script(`if 1 == 2 {\n message = "a"\n}\nfor k in [1] {\n ${chain}\n message = "a"\n}`);
    expect(script.run({ message: "b" }).fields.x).toBe(2n);
  });

  it("takes steps for a long list of literals", () => {
    const list = Array.from({ length: 6400 }, (_, at) => `"k${at}"`).join(", ");
    const chain = `if v in [${list}] {add_key(x, 1)} elif v == "b" {add_key(x, 2)} elif v == "c" {add_key(x, 3)}`;
    const script = mill.script(`v = "z"\nfor i = 0; i < 100; i += 1 {\n ${chain}\n}`, { maxSteps: 5000 });
    expect(script.run({ message: "" }).error?.message).toMatch(/step/);
  });
});
