// Being told what a run does, statement by statement: for traces, times by line, coverage. Only scripts that were
// compiled for it call a probe; in all others there is no trace of it.

import type { Offset, Statement } from "./ast.ts";
import { type Code, code } from "./code.ts";
import type { Run } from "./run.ts";
import type { Source } from "./source.ts";
import type { Unit } from "./unit.ts";

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

/** Code that tells of its beginning and its end. */
export function probed<T>(unit: Unit, node: Statement, part: Code<T>): Code<T> {
  const { source, variables } = unit;
  const statement: ProbedStatement = { source, at: node.at, kind: node.kind, variables: variables.names };
  return code<T>(
    [part],
    (run) => {
      run.probe?.enter(run, statement);
      let failure: unknown;
      try {
        return part.direct(run);
      } catch (error) {
        failure = error;
        throw error;
      } finally {
        run.probe?.leave(run, statement, failure);
      }
    },
    function* (run) {
      run.probe?.enter(run, statement);
      let failure: unknown;
      try {
        return (yield part) as T;
      } catch (error) {
        failure = error;
        throw error;
      } finally {
        run.probe?.leave(run, statement, failure);
      }
    },
  );
}

/** The body of an `if`'s branch that tells that it is chosen. */
export function probedBranch<T>(index: number, part: Code<T>): Code<T> {
  return code<T>(
    [part],
    (run) => {
      run.probe?.branch(run, index);
      return part.direct(run);
    },
    function* (run) {
      run.probe?.branch(run, index);
      return (yield part) as T;
    },
  );
}
