// Handles parts that may wait inside code that evaluates its parts by itself, such as the arguments of a call or the
// indexes of a target. The parts run before this code; afterwards their closures return the stored value, or throw the
// stored failure.

import type { Code } from "../runtime/code.ts";
import type { Run } from "../runtime/run.ts";
import type { Value } from "../runtime/value.ts";

type Expression = Code<Value>;

/** Runs the parts that may wait, in order, and stores their results in the run. */
export function* settle(run: Run, parts: readonly Expression[]): Generator<Expression, void, unknown> {
  for (const part of parts) {
    if (!part.mayWait) continue;
    try {
      const value = (yield part) as Value;
      run.settled.set(part, () => value);
    } catch (error) {
      run.settled.set(part, () => {
        throw error;
      });
    }
  }
}

/** Returns the closure of a part. In a run that does not wait there are no stored results. */
export function settledOf(part: Expression): (run: Run) => Value {
  if (!part.mayWait) return part.direct;
  return (run) => {
    const given = run.settled.get(part);
    return given === undefined ? part.direct(run) : given();
  };
}
