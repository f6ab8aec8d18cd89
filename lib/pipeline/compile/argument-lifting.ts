// Parts that may wait inside of what evaluates its parts by itself: the arguments of a call, the indexes of a target. They
// are run before, and their closures then give the value, or fail as they did.

import type { Code } from "../runtime/code.ts";
import type { Run } from "../runtime/run.ts";
import type { Value } from "../runtime/value.ts";

type Expression = Code<Value>;

/** Runs the parts that may wait, in order. */
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

/** The closure of a part. In a run that does not wait nothing was settled. */
export function settledOf(part: Expression): (run: Run) => Value {
  if (!part.mayWait) return part.direct;
  return (run) => {
    const given = run.settled.get(part);
    return given === undefined ? part.direct(run) : given();
  };
}
