// Checks statements of a script (docs/reference/language.md#checks) and compiles them to closures
// (docs/reference/language.md#statements).

import { PatternScope } from "../../grok/patterns.ts";
import { arithmetic } from "../runtime/arithmetic.ts";
import { code, complete, leaf, type Walk } from "../runtime/code.ts";
import { copyTurns } from "../runtime/lazy/copied-turns.ts";
import { MemberTurns } from "../runtime/lazy/indexed-map.ts";
import { LazyMap } from "../runtime/lazy/lazy-map.ts";
import { ListTurns } from "../runtime/list-turns.ts";
import type { Program } from "../runtime/program.ts";
import type { Run } from "../runtime/run.ts";
import { chargeGrowth, chargeValue } from "../runtime/step-charge.ts";
import { operationOf } from "../runtime/tape-operations.ts";
import { compareBytes, isDict, isList, isText, textOf, truth, typeName, type Value, VOID } from "../runtime/value.ts";
import type { ArithmeticOp, Assignment, Block, Expr, ForInStatement, Identifier, Statement } from "../syntax/ast.ts";
import { ScriptFailure } from "../syntax/errors.ts";
import { compilePlace } from "./access.ts";
import { evaluateWaiting } from "./argument-lifting.ts";
import {
  type Completion,
  checkMemory,
  chooseBranch,
  completions,
  type Executable,
  operationsOf,
  runBlock,
  step,
  withPosition,
} from "./block.ts";
import { chooseByText } from "./comparison.ts";
import type { CompilationUnit } from "./compilation-unit.ts";
import { copyLoop } from "./copy-loop.ts";
import { compileExpression, type Expression, reference } from "./expression.ts";
import { instrumented, instrumentedBranch } from "./instrument.ts";
import { resultOrThrow } from "./operator.ts";
import { realName, Scope } from "./scope.ts";
import { dispatchByText } from "./text-dispatch.ts";

/** Checks and compiles a parsed script. Throws ScriptFailure with the first error. */
export function compileProgram(unit: CompilationUnit, statements: readonly Statement[]): Program {
  const scope = new Scope(new PatternScope(null, unit.library), unit.variables);
  const body = complete(compileBlock(unit, scope, statements));
  return {
    source: unit.source,
    slots: unit.variables.count,
    references: unit.references,
    lastAt: statements.at(-1)?.at ?? 0,
    state: unit.state,
    waits: unit.waits,
    calls: unit.called,
    statements: unit.statements,
    body,
  };
}

/** Compiles the statements of a block, and adds the code of each statement to `parts`. */
function* compileBlock(
  unit: CompilationUnit,
  scope: Scope,
  statements: readonly Statement[],
  parts: Executable[] = [],
): Walk<Executable> {
  for (const statement of statements) parts.push((yield compileNext(unit, scope, statement)) as Executable);
  const places = statements.map(({ at }) => at);
  const block = code<Completion>(parts, runBlock(unit, scope, parts, places), function* (run) {
    scope.clear(run);
    for (let index = 0; index < parts.length; index++) {
      step(unit, run, places[index]!);
      let completion: Completion;
      try {
        completion = (yield parts[index]!) as Completion;
      } catch (error) {
        throw withPosition(unit, error, places[index]!);
      }
      checkMemory(unit, run, places[index]!);
      if (completion !== completions.next) return completion;
      if (run.exited) return completions.exit;
    }
    return completions.next;
  });
  return block;
}

/**
 * Compiles a statement of a block or of a loop's head. When `unit` collects all errors of the script, the error
 * of a statement is stored, and compiling continues after the statement.
 */
function* compileNext(unit: CompilationUnit, scope: Scope, node: Statement): Walk<Executable> {
  const { loops, calls } = unit;
  try {
    const part = (yield compileStatement(unit, scope, node)) as Executable;
    return unit.probes ? instrumented(unit, node, part) : part;
  } catch (error) {
    if (unit.mistakes === null || !(error instanceof ScriptFailure)) throw error;
    unit.mistakes.push(error.record());
    unit.loops = loops;
    unit.calls = calls;
    return leaf<Completion>(() => completions.next);
  }
}

function* compileStatement(unit: CompilationUnit, scope: Scope, node: Statement): Walk<Executable> {
  switch (node.kind) {
    case "Expression": {
      const value = (yield compileExpression(unit, scope, node.expr)) as Expression;
      const statement = code<Completion>(
        [value],
        (run) => {
          value.direct(run);
          return completions.next;
        },
        function* () {
          yield value;
          return completions.next;
        },
      );
      const operation = operationOf(value.direct);
      if (operation !== undefined) operationsOf.set(statement, operation);
      return statement;
    }
    case "Assignment":
      return yield* compileAssignment(unit, scope, node);
    case "If":
      return yield* compileIf(unit, scope, node);
    case "ForIn":
      return yield* compileForIn(unit, scope, node);
    case "For":
      return yield* compileFor(unit, scope, node);
    case "Break":
    case "Continue": {
      const word = node.kind === "Break" ? "break" : "continue";
      if (unit.loops === 0) throw unit.failure(`${word} not in loop`, node.at);
      return leaf<Completion>(() => completions[word]);
    }
  }
}

function* compileIf(unit: CompilationUnit, outer: Scope, node: Extract<Statement, { kind: "If" }>): Walk<Executable> {
  const scope = outer.child();
  const branches: { condition: Expression; body: Executable }[] = [];
  const inner = function* (body: Block, index: number): Walk<Executable> {
    const compiled = (yield compileInner(unit, scope, body)) as Executable;
    return unit.probes ? instrumentedBranch(index, compiled) : compiled;
  };
  for (const [index, { condition, body }] of node.branches.entries()) {
    branches.push({
      condition: (yield compileExpression(unit, scope, condition)) as Expression,
      body: (yield inner(body, index)) as Executable,
    });
  }
  const otherwise = node.otherwise && ((yield inner(node.otherwise, branches.length)) as Executable);
  const conditions = node.branches.map(({ condition }) => condition);
  const evaluate = branches.map(({ condition }) => condition.direct);
  const choose = chooseByText(scope, conditions) ?? dispatchByText(scope, conditions, evaluate);
  scope.close();
  return code<Completion>(
    [...branches.flatMap(({ condition, body }) => [condition, body]), otherwise],
    chooseBranch(
      choose,
      evaluate,
      branches.map(({ body }) => body.direct),
      otherwise?.direct ?? null,
    ),
    function* () {
      for (const { condition, body } of branches) {
        if (truth((yield condition) as Value)) return (yield body) as Completion;
      }
      return otherwise === null ? completions.next : ((yield otherwise) as Completion);
    },
  );
}

/** Called with the scope and the statements of a block when they are compiled, before the scope is closed. */
type AtEnd = (scope: Scope, parts: readonly Executable[]) => void;

/** Compiles a block with a scope of its own. */
function* compileInner(unit: CompilationUnit, outer: Scope, block: Block, atEnd?: AtEnd): Walk<Executable> {
  const scope = outer.child();
  const parts: Executable[] = [];
  const compiled = yield* compileBlock(unit, scope, block.statements, parts);
  atEnd?.(scope, parts);
  scope.close();
  return compiled;
}

function* compileLoopBody(unit: CompilationUnit, outer: Scope, body: Block, atEnd?: AtEnd): Walk<Executable> {
  unit.loops++;
  const compiled = yield* compileInner(unit, outer, body, atEnd);
  unit.loops--;
  return compiled;
}

function* compileFor(unit: CompilationUnit, outer: Scope, node: Extract<Statement, { kind: "For" }>): Walk<Executable> {
  const scope = outer.child();
  // In a `for` loop, the step statement (`i += 1`) runs before the next condition, so the variables that the step
  // assigns are declared before the condition is compiled.
  if (node.step?.kind === "Assignment") {
    for (const target of node.step.targets) if (target.kind === "Identifier") scope.declare(target.name);
  }
  const init = node.init && ((yield compileNext(unit, scope, node.init)) as Executable);
  const condition = node.condition && ((yield compileExpression(unit, scope, node.condition)) as Expression);
  const advance = node.step && ((yield compileNext(unit, scope, node.step)) as Executable);
  const body = (yield* compileLoopBody(unit, scope, node.body)) as Executable;
  scope.close();
  return code<Completion>(
    [init, condition, advance, body],
    (run) => {
      scope.clear(run);
      init?.direct(run);
      while (!run.exited && (condition === null || truth(condition.direct(run)))) {
        step(unit, run, node.at);
        const completion = body.direct(run);
        if (completion === completions.break) break;
        if (completion === completions.exit) return completion;
        advance?.direct(run);
        checkMemory(unit, run, node.at);
      }
      return completions.next;
    },
    function* (run) {
      scope.clear(run);
      if (init !== null) yield init;
      while (!run.exited && (condition === null || truth((yield condition) as Value))) {
        step(unit, run, node.at);
        const completion = (yield body) as Completion;
        if (completion === completions.break) break;
        if (completion === completions.exit) return completion;
        if (advance !== null) yield advance;
        checkMemory(unit, run, node.at);
      }
      return completions.next;
    },
  );
}

function* compileForIn(
  unit: CompilationUnit,
  outer: Scope,
  node: Extract<Statement, { kind: "ForIn" }>,
): Walk<Executable> {
  const scope = outer.child();
  const over = (yield compileExpression(unit, outer, node.over)) as Expression;
  const copies = unit.probes ? null : copyLoop(outer, node);
  const write = scope.writer(node.variable.name);
  // In the language reference, a `for ... in` loop and its body share one scope. This compiler makes an inner
  // scope for the body, and clears it whenever the scope of the loop is cleared. No script can see the difference,
  // because names of both scopes are visible in the body.
  let member: MemberTurn | null = null;
  const body = (yield* compileLoopBody(unit, scope, node.body, (inner, parts) => {
    if (copies !== null) member = memberTurn(unit, inner, node, parts);
  })) as Executable;
  scope.close();
  const iterate = (run: Run, value: Value): Iterator<Value> => {
    chargeValue(run, value);
    run.memory.looped.push(value);
    if (isList(value)) return new ListTurns(value);
    if (isText(value)) return textOf(value)[Symbol.iterator]();
    if (value instanceof LazyMap) return value.turns();
    if (isDict(value)) return new ListTurns([...value.keys()].sort(compareBytes));
    throw unit.failure(`unsupported type: ${typeName(value)}, not iter value`, node.over.at);
  };
  return code<Completion>(
    [over, body],
    (run) => {
      const value = over.direct(run);
      const turns = iterate(run, value);
      const members = copies !== null && turns instanceof MemberTurns ? turns : null;
      for (;;) {
        if (members !== null) copyTurns(run, copies!, members);
        const turn = turns.next();
        if (turn.done === true) break;
        step(unit, run, node.at);
        let completion: Completion;
        if (members !== null && run.locals[copies!.slot] === value) completion = member!(run, members);
        else {
          scope.clear(run);
          write(run, turn.value);
          completion = body.direct(run);
        }
        if (completion === completions.break) break;
        if (completion === completions.exit) return completion;
      }
      run.memory.looped.pop();
      return completions.next;
    },
    function* (run) {
      const turns = iterate(run, (yield over) as Value);
      for (let turn = turns.next(); turn.done !== true; turn = turns.next()) {
        step(unit, run, node.at);
        scope.clear(run);
        write(run, turn.value);
        const completion = (yield body) as Completion;
        if (completion === completions.break) break;
        if (completion === completions.exit) return completion;
      }
      run.memory.looped.pop();
      return completions.next;
    },
  );
}

/** Runs the body of a copy loop (runtime/lazy/copied-turns.ts) for the member whose name `turns` returned last. */
type MemberTurn = (run: Run, turns: MemberTurns) => Completion;

/**
 * Returns code for one iteration of a copy loop, whose body assigns the member to a variable by its first statement.
 * The member is read from its place in the sorted list of members, without a look-up of its name.
 */
function memberTurn(
  unit: CompilationUnit,
  scope: Scope,
  { variable, body }: ForInStatement,
  parts: readonly Executable[],
): MemberTurn {
  const [first, second] = body.statements as [Assignment, Statement];
  const key = scope.slotOf(variable.name)!;
  const value = scope.slotOf((first.targets[0] as Identifier).name)!;
  const rest = runBlock(unit, null, parts.slice(1), [second.at]);
  return (run, turns) => {
    run.locals[key] = turns.name;
    step(unit, run, first.at);
    run.locals[value] = turns.value();
    checkMemory(unit, run, first.at);
    return rest(run);
  };
}

function* compileAssignment(unit: CompilationUnit, scope: Scope, node: Assignment): Walk<Executable> {
  const values: Expression[] = [];
  for (const value of node.values) values.push((yield compileExpression(unit, scope, value)) as Expression);
  const target = node.targets[0]!;
  const indexes: Expression[] = [];
  for (const each of node.targets) {
    // An assignment to several targets fails at run time. All its targets are compiled nevertheless, because an error
    // in any target is an error of the script.
    if (each.kind === "AttrExpr") yield reference(unit, scope, each);
    else if (each.kind !== "IndexExpr") yield compileExpression(unit, scope, each);
    else for (const index of each.indexes) indexes.push((yield compileExpression(unit, scope, index)) as Expression);
  }
  if (node.targets.length > 1 || node.values.length > 1) {
    const message = "it does not support assigning values to multiple variables at the same time";
    return leaf<Completion>(() => {
      throw unit.failure(message, node.opAt);
    });
  }
  const store = storeOf(unit, scope, node, target, indexes);
  const value = values[0]!;
  return code<Completion>(
    [value, ...indexes],
    (run) => {
      store(run, value.direct(run));
      return completions.next;
    },
    function* (run) {
      const result = (yield value) as Value;
      yield* evaluateWaiting(run, indexes);
      store(run, result);
      return completions.next;
    },
  );
}

function storeOf(
  unit: CompilationUnit,
  scope: Scope,
  node: Assignment,
  target: Expr,
  indexes: readonly Expression[],
): (run: Run, value: Value) => void {
  const combine = (run: Run, old: Value, value: Value): Value => {
    if (node.op === "=") return value === VOID ? null : value;
    const result = resultOrThrow(unit, node.opAt, arithmetic(node.op[0] as ArithmeticOp, old, value, node.op));
    if (typeof result === "string") chargeGrowth(run, result);
    return result;
  };
  if (target.kind === "Identifier") {
    const read = scope.reader(realName(target.name));
    const write = scope.writer(target.name);
    if (node.op === "=") return (run, value) => write(run, value === VOID ? null : value);
    return (run, value) => {
      const old = read(run);
      if (old !== undefined) write(run, combine(run, old, value));
    };
  }
  if (target.kind === "IndexExpr" && target.base !== null) {
    const place = compilePlace(unit, scope, target, indexes);
    return (run, value) => {
      const { old, set } = place(run);
      set(combine(run, old, value));
    };
  }
  unit.warn(`assignment to ${target.kind} has no effect`, target.at);
  return () => {};
}
