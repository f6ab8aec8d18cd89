// Wraps statements and branches in code that reports their start and end to a probe, a receiver of events
// (runtime/instrumentation.ts).

import { type Code, code } from "../runtime/code.ts";
import type { ProbedStatement } from "../runtime/instrumentation.ts";
import type { Statement } from "../syntax/ast.ts";
import type { CompilationUnit } from "./compilation-unit.ts";

/** Returns the code of a statement, wrapped so that it reports the start and the end of the statement. */
export function instrumented<T>(unit: CompilationUnit, node: Statement, part: Code<T>): Code<T> {
  const { source, variables } = unit;
  const statement: ProbedStatement = { source, at: node.at, kind: node.kind, variables: variables.names };
  unit.statements.push(statement);
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

/** Returns the body of a branch of `if`, wrapped so that it reports that the branch was chosen. */
export function instrumentedBranch<T>(index: number, part: Code<T>): Code<T> {
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
