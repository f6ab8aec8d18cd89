// Compiles blocks and branches: they run statement after statement, and the WebAssembly module runs the statements that
// it can.

import { Cursor } from "../../point/batch/cursor.ts";
import type { Code } from "../runtime/code.ts";
import { OverMemory } from "../runtime/memory.ts";
import type { Run } from "../runtime/run.ts";
import { OperationPlan, type TapeOperation } from "../runtime/tape-operations.ts";
import { truth, type Value } from "../runtime/value.ts";
import type { Offset } from "../syntax/ast.ts";
import type { Unit } from "./compilation-unit.ts";
import type { Scope } from "./scope.ts";

/** How a statement ended. For the code around it, `exit()` and the end of the script are the same. */
export const ended = { next: 0, break: 1, continue: 2, exit: 3 } as const;
export type Completion = (typeof ended)[keyof typeof ended];
export type Executable = Code<Completion>;

/** Counts one step, before a statement or an iteration of a loop (docs/reference/language.md#limits). */
export function step(unit: Unit, run: Run, at: Offset): void {
  if (--run.steps < 0) overrun(unit, run, at);
}

/** Checks, after a statement or an iteration of a loop, whether the run may hold the values that it made. */
export function checkMemory(unit: Unit, run: Run, at: Offset): void {
  if (run.memory.left < 0) measureMemory(unit, run, at);
}

function measureMemory(unit: Unit, run: Run, at: Offset): void {
  try {
    run.steps -= run.memory.measure(run.locals);
  } catch (error) {
    throw placed(unit, error, at);
  }
}

/** Returns the failure of the statement at `at`; adds the statement's place to a failure by too large values. */
export function placed(unit: Unit, error: unknown, at: Offset): unknown {
  return error instanceof OverMemory ? unit.overrun(error.message, at) : error;
}

function overrun(unit: Unit, run: Run, at: Offset): void {
  const message = run.overrun();
  if (message !== null) throw unit.overrun(message, at);
}

/** Returns code that runs the statements of a block in order, each after a step. */
export function runBlock(
  unit: Unit,
  scope: Scope,
  parts: readonly Executable[],
  places: readonly Offset[],
): Executable["direct"] {
  const directs = parts.map(({ direct }) => direct);
  const plans = plansOf(parts);
  const count = directs.length;
  return (run) => {
    scope.clear(run);
    const { memory } = run;
    let index = 0;
    try {
      for (; index < count; index++) {
        const plan = plans[index]!;
        if (plan !== null && run.pendingTags === null && run.point instanceof Cursor) {
          // JavaScript runs the statement where the module stops, so that every call makes progress.
          index += plan.run(run, run.point);
          if (index >= count) break;
        }
        if (--run.steps < 0) overrun(unit, run, places[index]!);
        const completion = directs[index]!(run);
        if (memory.left < 0) measureMemory(unit, run, places[index]!);
        if (completion !== ended.next) return completion;
        if (run.exited) return ended.exit;
      }
    } catch (error) {
      throw placed(unit, error, places[index]!);
    }
    return ended.next;
  };
}

/** Most operations of one plan, because each statement where the module stops may need a plan of its own for what follows. */
const longestPlan = 64;

/** Returns, for each statement, the plan of what the module can run from there on; null when it can run nothing. */
function plansOf(parts: readonly Executable[]): (OperationPlan | null)[] {
  const operations = parts.map((part) => operationsOf.get(part) ?? null);
  return operations.map((operation, index) => {
    if (operation === null) return null;
    const next = operations.slice(index, index + longestPlan);
    const stop = next.indexOf(null);
    return new OperationPlan((stop < 0 ? next : next.slice(0, stop)) as TapeOperation[]);
  });
}

/** Statements that are calls which the module can run. */
export const operationsOf = new WeakMap<Executable, TapeOperation>();

/**
 * Returns code that runs the branch whose condition is the first to hold; `byText`, if there is one, finds the branch
 * in one step.
 */
export function chooseBranch(
  byText: ((run: Run) => number) | null,
  conditions: readonly Code<Value>["direct"][],
  bodies: readonly Executable["direct"][],
  otherwise: Executable["direct"] | null,
): Executable["direct"] {
  if (byText !== null)
    return (run) => {
      const chosen = byText(run);
      if (chosen >= 0) return bodies[chosen]!(run);
      return otherwise === null ? ended.next : otherwise(run);
    };
  const count = conditions.length;
  return (run) => {
    for (let index = 0; index < count; index++) {
      const holds = conditions[index]!(run);
      if (holds === true || (holds !== false && truth(holds))) return bodies[index]!(run);
    }
    return otherwise === null ? ended.next : otherwise(run);
  };
}
