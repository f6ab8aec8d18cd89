// The events of a run, statement by statement, for traces, times by line and coverage. Only a script that was compiled
// with instrumentation sends events; in other scripts the instrumentation costs nothing.

import type { Offset, Statement } from "../syntax/ast.ts";
import type { Source } from "../syntax/source.ts";
import type { Run } from "./run.ts";

/** A statement of an instrumented script. */
export interface ProbedStatement {
  readonly source: Source;
  readonly at: Offset;
  readonly kind: Statement["kind"];
  /** Name of the script's variable in each slot. */
  readonly variables: readonly string[];
}

/**
 * Receives the events of a run. Statements nest: a statement that is entered while another is open belongs to it. After
 * a failure, `leave` may be missing for some statements.
 */
export interface Probe {
  enter(run: Run, statement: ProbedStatement): void;
  /** The statement ended; `failure` is the error that it threw, undefined when it ended without one. */
  leave(run: Run, statement: ProbedStatement, failure: unknown): void;
  /** The innermost open statement, an `if`, enters its branch `index`; the last index is `else`, if there is one. */
  branch(run: Run, index: number): void;
  /** A `grok` of the innermost open statement did not match. */
  unmatched?(run: Run, expression: string): void;
  /** The point is finished: its status is mapped, its time is set. */
  end(run: Run): void;
}
