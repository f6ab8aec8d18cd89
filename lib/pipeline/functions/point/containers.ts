// Functions over lists and maps of a script, and the function that returns the type of a value
// (docs/reference/functions.md).

import type { Evaluate } from "../../runtime/code.ts";
import type { Run } from "../../runtime/run.ts";
import { isDict, isList, typeName, type Value, VOID } from "../../runtime/value.ts";
import { LimitFailure, ScriptFailure } from "../../syntax/errors.ts";
import { type Declaration, declare } from "../declare.ts";
import { literalOr } from "../nodes.ts";

export const append = declare({
  name: "append",
  summary: "A new list with an element at the end; the list itself is not changed.",
  params: [
    { name: "arr", type: "list", summary: "the variable that holds the list" },
    { name: "elem", type: "any", summary: "the element" },
  ],
  returns: "list",
  style: "positional",
  arity: { min: 2, max: 2, tooFew: "func append expects 2 args" },
  examples: [{ script: `a = [1]; a = append(a, "x"); add_key(a)`, input: "x", gives: { a: `[1,"x"]` } }],
  bind(call) {
    const node = call.arg(0);
    if (node?.kind !== "Identifier") call.fail(`the first param expects Identifier, got ${node?.kind}`, node);
    const { read } = call.key(0);
    const element = call.value(1);
    return (run) => {
      const list = read(run);
      if (list === undefined || !isList(list)) return VOID;
      const added = element(run);
      run.memory.makeList(list.length + 1);
      return [...list, added === VOID ? null : added];
    };
  },
});

export const remove = declare({
  name: "delete",
  summary: "Removes an entry from a map, in place.",
  params: [
    { name: "src", type: "map", summary: "a variable, or an index expression, that gives the map" },
    { name: "key", type: "str", summary: "a literal: the entry's key" },
  ],
  style: "named",
  examples: [
    { script: `j = load_json(_); delete(j, "a"); add_key(j)`, input: `{"a": 1, "b": 2}`, gives: { j: `{"b":2}` } },
  ],
  bind(call) {
    const node = call.arg(0);
    if (node?.kind !== "Identifier" && node?.kind !== "IndexExpr")
      call.fail(`param key expect IndexExpr or Identifier, got ${node?.kind}`, node);
    const key = literalOr(call, 1, (kind) => `param key expect StringLiteral, got ${kind}`);
    const source = call.value(0);
    return (run) => {
      const map = attempt(run, source);
      if (isDict(map)) map.delete(key);
      return VOID;
    };
  },
});

/**
 * Evaluates an expression, and returns nil when the evaluation fails. A failure because of a limit (such as the step
 * limit) is thrown and ends the run.
 */
export function attempt(run: Run, evaluate: Evaluate): Value {
  try {
    return evaluate(run);
  } catch (error) {
    if (error instanceof ScriptFailure && !(error instanceof LimitFailure)) return null;
    throw error;
  }
}

export const valueType = declare({
  name: "value_type",
  summary: "The type of a value: int, float, bool, str, list or map; empty for nil.",
  params: [{ name: "val", type: "any", summary: "the value" }],
  returns: "str",
  style: "named",
  examples: [{ script: `add_key(r, value_type(1.0))`, input: "x", gives: { r: "float" } }],
  bind(call) {
    const value = call.value(0);
    const cannotFail = call.arg(0)?.kind === "Identifier";
    return (run) => {
      const name = typeName(cannotFail ? value(run) : attempt(run, value));
      return name === "nil" || name === "void" ? "" : name;
    };
  },
});

export const containerFunctions: readonly Declaration[] = [append, remove, valueType];
