// The events of a run, statement by statement, for traces, execution times of lines, and coverage. Only a script that
// was compiled with instrumentation sends events; in all other scripts the instrumentation costs no time.

import type { Offset, Statement } from "../syntax/ast.ts";
import type { Source } from "../syntax/source.ts";
import type { Run } from "./run.ts";

/** A statement of an instrumented script. */
export interface ProbedStatement {
  readonly source: Source;
  readonly at: Offset;
  readonly kind: Statement["kind"];
  /** Name of each variable of the script, by its slot (index into the run's array of variables). */
  readonly variables: readonly string[];
}

/**
 * A receiver of the events of a run. Statements are nested: a statement that is entered while another statement
 * is open is inside that statement. After a failure, the call of `leave` may be missing for some statements.
 */
export interface Probe {
  enter(run: Run, statement: ProbedStatement): void;
  /**
   * Called when a statement has ended. `failure` is the error that the statement threw; undefined when it ended without
   * an error.
   */
  leave(run: Run, statement: ProbedStatement, failure: unknown): void;
  /**
   * Called when the innermost running `if` enters one of its branches. `index` is the number of the branch, from 0. The
   * `else` branch, if there is one, has the last index.
   */
  branch(run: Run, index: number): void;
  /** Called when a `grok` call of the innermost open statement did not match. `expression` is its grok expression. */
  unmatched?(run: Run, expression: string): void;
  /**
   * Called after each `grok` call of the innermost open statement. The call begins at offset `at` of the script's
   * source.
   */
  grok?(run: Run, at: Offset, matched: boolean): void;
  /** Called when the run has ended, after the status of the point was mapped and the time of the point was set. */
  end(run: Run): void;
}
