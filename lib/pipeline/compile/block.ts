// Compiles blocks and branches of scripts. A block runs statement after statement; the WebAssembly module runs those
// statements that it supports, and JavaScript runs all other statements.

import { Cursor } from "../../point/batch/cursor.ts";
import type { Code } from "../runtime/code.ts";
import { OverMemory } from "../runtime/memory.ts";
import type { Run } from "../runtime/run.ts";
import { OperationPlan, type TapeOperation } from "../runtime/tape-operations.ts";
import { truth, type Value } from "../runtime/value.ts";
import type { Offset } from "../syntax/ast.ts";
import type { CompilationUnit } from "./compilation-unit.ts";
import type { Scope } from "./scope.ts";

/**
 * The ways in which a statement can end. `exit` means that the script called `exit()` or reached its end; all
 * blocks that contain the statement then end, too.
 */
export const completions = { next: 0, break: 1, continue: 2, exit: 3 } as const;
export type Completion = (typeof completions)[keyof typeof completions];
export type Executable = Code<Completion>;

/**
 * Counts one step, which is limited by the run's step limit. Called before each statement and each iteration of
 * a loop (docs/reference/language.md#limits).
 */
export function step(unit: CompilationUnit, run: Run, at: Offset): void {
  if (--run.steps < 0) overrun(unit, run, at);
}

/**
 * Checks, after a statement or an iteration of a loop, whether the values that the run has made exceed the memory
 * limit.
 */
export function checkMemory(unit: CompilationUnit, run: Run, at: Offset): void {
  if (run.memory.left < 0) measureMemory(unit, run, at);
}

function measureMemory(unit: CompilationUnit, run: Run, at: Offset): void {
  try {
    run.steps -= run.memory.measure(run.locals);
  } catch (error) {
    throw withPosition(unit, error, at);
  }
}

/**
 * Returns the error of the statement that begins at offset `at`. An error about the run's memory limit gets the
 * position of the statement; any other error is returned unchanged.
 */
export function withPosition(unit: CompilationUnit, error: unknown, at: Offset): unknown {
  return error instanceof OverMemory ? unit.overrun(error.message, at) : error;
}

function overrun(unit: CompilationUnit, run: Run, at: Offset): void {
  const message = run.overrun();
  if (message !== null) throw unit.overrun(message, at);
}

/**
 * Returns code that runs the statements of a block in order. Each statement costs one step of the run's step limit.
 * When `scope` is not null, the code first removes the values of this scope's variables.
 */
export function runBlock(
  unit: CompilationUnit,
  scope: Scope | null,
  parts: readonly Executable[],
  places: readonly Offset[],
): Executable["direct"] {
  const directs = parts.map(({ direct }) => direct);
  const plans = plansOf(parts);
  const count = directs.length;
  return (run) => {
    scope?.clear(run);
    const { memory } = run;
    let index = 0;
    try {
      for (; index < count; index++) {
        const plan = plans[index]!;
        if (plan !== null && memory.left >= 0 && run.pendingTags === null && run.point instanceof Cursor) {
          // The WebAssembly module runs statements until it reaches one that it cannot run. JavaScript then runs this
          // statement, so the loop always makes progress.
          index += plan.run(run, run.point);
          if (index >= count) break;
        }
        if (--run.steps < 0) overrun(unit, run, places[index]!);
        const completion = directs[index]!(run);
        if (memory.left < 0) measureMemory(unit, run, places[index]!);
        if (completion !== completions.next) return completion;
        if (run.exited) return completions.exit;
      }
    } catch (error) {
      throw withPosition(unit, error, places[index]!);
    }
    return completions.next;
  };
}

/**
 * Largest number of operations in one plan (a sequence of statements that the WebAssembly module runs in one call). A
 * plan may start at any statement of a block. Without this limit the plans of a block would need memory that grows with
 * the square of its number of statements.
 */
const longestPlan = 64;

/**
 * Returns one plan for each statement. The plan is a sequence of operations for the WebAssembly module: the
 * operation of the statement itself, and the operations of the following statements, up to the first statement
 * that the module cannot run. All operations in a plan that copy members of a map read the same map. The plan is
 * null when the module cannot run the statement itself.
 */
function plansOf(parts: readonly Executable[]): (OperationPlan | null)[] {
  const operations = parts.map((part) => operationsOf.get(part) ?? null);
  return operations.map((operation, index) => {
    if (operation === null) return null;
    const plan: TapeOperation[] = [];
    let slot: number | undefined;
    for (const next of operations.slice(index, index + longestPlan)) {
      if (next === null) break;
      if (next.member !== undefined && next.member.slot !== (slot ??= next.member.slot)) break;
      plan.push(next);
    }
    return new OperationPlan(plan);
  });
}

/**
 * The statements that the WebAssembly module can run, each with its operation (the instruction that makes the module do
 * the same work).
 */
export const operationsOf = new WeakMap<Executable, TapeOperation>();

/**
 * Returns code that runs the branch of the first condition that is true. `byText`, when it is not null, finds this
 * branch by one look-up instead of testing each condition.
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
      return otherwise === null ? completions.next : otherwise(run);
    };
  const count = conditions.length;
  return (run) => {
    for (let index = 0; index < count; index++) {
      const holds = conditions[index]!(run);
      if (holds === true || (holds !== false && truth(holds))) return bodies[index]!(run);
    }
    return otherwise === null ? completions.next : otherwise(run);
  };
}
