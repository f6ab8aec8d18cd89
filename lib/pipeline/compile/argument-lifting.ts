// Argument lifting. A call or an assignment target cannot pause while it evaluates its arguments or indexes. Therefore
// the arguments that may have to wait for an HTTP answer are evaluated before the call or assignment begins, and their
// results are stored in the state of the run. When the call then evaluates its arguments, the compiled code of these
// arguments returns the stored value or throws the stored failure.

import type { Code } from "../runtime/code.ts";
import type { Run } from "../runtime/run.ts";
import type { Value } from "../runtime/value.ts";

type Expression = Code<Value>;

/**
 * Evaluates, in order, the expressions that may wait for an HTTP answer, and stores their results in the state of the
 * run.
 */
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
 * Returns a function for the value of an argument. The function returns the result that `evaluateWaiting` has
 * stored for this argument in the state of the run. When there is no such result, the function evaluates the
 * argument.
 */
export function liftedArgument(part: Expression): (run: Run) => Value {
  if (!part.mayWait) return part.direct;
  return (run) => {
    const given = run.liftedArguments.get(part);
    return given === undefined ? part.direct(run) : given();
  };
}
