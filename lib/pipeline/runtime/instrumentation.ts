// The events of a run, statement by statement: for traces, times by line and coverage. Only a script that was compiled with
// instrumentation sends events; other scripts have no trace of it.

import type { Offset, Statement } from "../syntax/ast.ts";
import type { Source } from "../syntax/source.ts";
import type { Run } from "./run.ts";

export interface ProbedStatement {
  readonly source: Source;
  readonly at: Offset;
  readonly kind: Statement["kind"];
  /** Names of the script's variables, by slot. */
  readonly variables: readonly string[];
}

/** Statements nest: one that is entered while another is open belongs to it. A failure may leave some without `leave`. */
export interface Probe {
  enter(run: Run, statement: ProbedStatement): void;
  /** `failure` is what it threw, undefined when it ended well. */
  leave(run: Run, statement: ProbedStatement, failure: unknown): void;
  /** The innermost open statement, an `if`, goes into its branch `index`; the last one is `else`, if there is one. */
  branch(run: Run, index: number): void;
  /** A `grok` of the innermost open statement did not match. */
  unmatched?(run: Run, expression: string): void;
  /** The point is done: status mapped, time taken. */
  end(run: Run): void;
}
