// The function sample: returns true with a given probability (docs/reference/functions.md#sample). The program that
// uses the library provides the random numbers.

import { Float, isInt, VOID } from "../../runtime/value.ts";
import { type Declaration, declare } from "../declare.ts";
import { isNumber } from "../nodes.ts";

export const sample = declare({
  name: "sample",
  summary: "True with a probability between 0 and 1.",
  params: [{ name: "p", type: "number", summary: "a number literal or an arithmetic expression" }],
  returns: "bool",
  style: "positional",
  arity: { min: 1, max: 1, tooFew: "func sample expects 1 arg" },
  examples: [
    { script: `add_key(r, sample(1))`, input: "x", gives: { r: true } },
    { script: `add_key(r, sample(0))`, input: "x", gives: { r: false } },
  ],
  bind(call) {
    const node = call.arg(0);
    if (node?.kind !== "IntLiteral" && node?.kind !== "FloatLiteral" && node?.kind !== "ArithmeticExpr")
      call.fail(`expect NumberLiteral or ArithmeticExpr, got ${node?.kind}`, node);
    if (isNumber(node) && (node.value < 0 || node.value > 1))
      call.warn(`a probability lies between 0 and 1, sample(${node.value}) gives nil`, node);
    const value = call.value(0);
    return (run) => {
      const given = value(run);
      if (!isInt(given) && !(given instanceof Float))
        throw call.runFailure("data type of the result of arithmetic expression is neither float nor int", call.arg(0));
      const p = isInt(given) ? Number(given) : given.value;
      return p >= 0 && p <= 1 ? run.host.random() < p : VOID;
    };
  },
});

export const samplingFunctions: readonly Declaration[] = [sample];
