// Argument lifting: handles code such as a call or an assignment target that cannot wait while it evaluates its
// arguments or indexes. The arguments that may wait (for an HTTP answer) run first, and their results are stored in the
// run. Afterwards the closures of these arguments return the stored value, or throw the stored failure.

import type { Code } from "../runtime/code.ts";
import type { Run } from "../runtime/run.ts";
import type { Value } from "../runtime/value.ts";

type Expression = Code<Value>;

/** Runs the expressions that may wait, in order, and stores their results in the run. */
export function* evaluateWaiting(run: Run, parts: readonly Expression[]): Generator<Expression, void, unknown> {
  for (const part of parts) {
    if (!part.mayWait) continue;
    try {
      const value = (yield part) as Value;
      run.liftedArguments.set(part, () => value);
    } catch (error) {
      run.liftedArguments.set(part, () => {
        throw error;
      });
    }
  }
}

/**
 * Returns the closure that evaluates an expression: it returns the result that `evaluateWaiting` stored in the run, if there is
 * one, and else evaluates the expression directly.
 */
export function liftedArgument(part: Expression): (run: Run) => Value {
  if (!part.mayWait) return part.direct;
  return (run) => {
    const given = run.liftedArguments.get(part);
    return given === undefined ? part.direct(run) : given();
  };
}
