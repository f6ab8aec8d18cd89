// The functions exit (ends a script), drop (drops a point) and use (runs another script)
// (docs/reference/language.md#run-errors).

import { VOID } from "../runtime/value.ts";
import { type Declaration, declare } from "./declare.ts";

export const exit = declare({
  name: "exit",
  summary: "Ends the script after the running statement. In a script called by `use` it ends only that script.",
  params: [],
  style: "positional",
  arity: { min: 0, tooFew: "" },
  examples: [{ script: "add_key(a, 1)\nexit()\nadd_key(b, 1)", input: "hi", gives: { a: 1 } }],
  bind: () => (run) => {
    run.exited = true;
    return VOID;
  },
});

export const drop = declare({
  name: "drop",
  summary: "Marks the point so that it is not passed on. The script goes on.",
  params: [],
  style: "positional",
  arity: { min: 0, tooFew: "" },
  examples: [{ script: "drop()\nadd_key(a, 1)", input: "hi", gives: { a: 1 } }],
  bind: () => (run) => {
    run.dropped = true;
    return VOID;
  },
});

export const use = declare({
  name: "use",
  summary: "Runs another script of the same category on the same point, with variables of its own.",
  params: [{ name: "name", type: "str", summary: "the script's full name, a string literal" }],
  style: "positional",
  arity: { min: 1, max: 1, tooFew: "func use expects 1 args" },
  examples: [],
  bind(call) {
    const name = call.arg(0)!;
    if (name.kind !== "StringLiteral") return call.fail(`param key expects StringLiteral, got ${name.kind}`, name);
    const linked = call.link(name.value);
    return {
      direct: (run) => {
        linked.direct(run);
        return VOID;
      },
      *steps(run) {
        yield* linked.steps(run);
        return VOID;
      },
    };
  },
});

/** The declarations of the functions exit, drop and use. */
export const controlFunctions: readonly Declaration[] = [exit, drop, use];
