// Recognizes loops over a map in which most turns (iterations) only copy a member of the map to the point:
//
//     for key in map {
//       value = map[key]
//       if key in ["a", "b"] { ... } elif key == "c" && ... { ... } else { pt_kvs_set(key, value) }
//     }
//
// The `if` may be missing. The WebAssembly module runs the turns for all members except those that the conditions name,
// such as "a", "b" and "c" (runtime/lazy/copied-turns.ts). It also runs the turns of branches that only store the
// member in a variable, such as `if key in ["a", "b"] { level = value }`.

import { CopyLoop, type StoreTurn } from "../runtime/lazy/copied-turns.ts";
import type { Block, Expr, ForInStatement, Statement } from "../syntax/ast.ts";
import { realName, type Scope } from "./scope.ts";
import { type Guard, guardOf, withoutParentheses } from "./text-dispatch.ts";

/**
 * Returns the loop when it has the form that the example at the top of this file shows; null for any other loop.
 * `scope` is the scope around the loop.
 */
export function copyLoop(scope: Scope, { variable, over, body }: ForInStatement): CopyLoop | null {
  const [first, second, ...more] = body.statements;
  if (over.kind !== "Identifier" || first === undefined || second === undefined || more.length > 0) return null;
  const value = assignedMember(first, over.name, variable.name);
  const slot = scope.slotOf(over.name);
  if (value === null || slot === null) return null;
  const names = new Set([over.name, variable.name, value].map(realName));
  if (names.size < 3 || scope.mayBeVariable(variable.name) || scope.mayBeVariable(value)) return null;
  if (copies(second, variable.name, value)) return new CopyLoop(slot, 3, new Map([["", null]]));
  if (second.kind !== "If" || second.otherwise?.statements.length !== 1) return null;
  if (!copies(second.otherwise.statements[0]!, variable.name, value)) return null;
  const others = new Map<string, StoreTurn | null>([["", null]]);
  for (const { condition, body } of second.branches) {
    const guard = guardOf(condition);
    if (guard?.name !== variable.name) return null;
    const found = storeTurn(scope, condition, guard, value, body);
    const store = found?.slot === slot ? null : found;
    for (const text of guard.texts) if (!others.has(text)) others.set(text, store);
  }
  return new CopyLoop(slot, 4, others);
}

/**
 * Returns the variable that a branch stores the member in, when the branch does nothing else. The condition must be
 * true for all members that the guard names, or for those of them that are no maps. Returns null for any other branch.
 */
function storeTurn(scope: Scope, condition: Expr, guard: Guard, value: string, body: Block): StoreTurn | null {
  const [only, ...more] = body.statements;
  if (only?.kind !== "Assignment" || only.op !== "=" || more.length > 0) return null;
  const [target] = only.targets;
  if (only.targets.length !== 1 || only.values.length !== 1 || !isNamed(only.values[0], value)) return null;
  const slot = target?.kind === "Identifier" ? scope.slotOf(target.name) : null;
  if (slot === null) return null;
  if (guard.isWhole) return { slot, unlessMap: false };
  return isOtherThanMap(condition, value) ? { slot, unlessMap: true } : null;
}

/** Returns whether the condition is `guard && (value_type(value) != "map" || ...)`, without or with the last part. */
function isOtherThanMap(condition: Expr, value: string): boolean {
  const whole = withoutParentheses(condition);
  if (whole.kind !== "ConditionalExpr" || whole.op !== "&&" || guardOf(whole.left)?.isWhole !== true) return false;
  let test = withoutParentheses(whole.right);
  while (test.kind === "ConditionalExpr" && test.op === "||") test = withoutParentheses(test.left);
  if (test.kind !== "ConditionalExpr" || test.op !== "!=") return false;
  const { left, right } = test;
  if (right.kind !== "StringLiteral" || right.value !== "map" || left.kind !== "CallExpr") return false;
  return left.name === "value_type" && left.args.length === 1 && isNamed(left.args[0], value);
}

/** Returns the name of the variable to which the statement assigns the member `map[key]`; null for other statements. */
function assignedMember(statement: Statement, map: string, key: string): string | null {
  if (statement.kind !== "Assignment" || statement.op !== "=") return null;
  const [target] = statement.targets;
  const [value] = statement.values;
  if (statement.targets.length !== 1 || statement.values.length !== 1 || target?.kind !== "Identifier") return null;
  if (value?.kind !== "IndexExpr" || value.base?.name !== map || value.indexes.length !== 1) return null;
  return isNamed(value.indexes[0]!, key) ? target.name : null;
}

/** Returns whether the statement is `pt_kvs_set(key, value)`. */
function copies(statement: Statement, key: string, value: string): boolean {
  if (statement.kind !== "Expression" || statement.expr.kind !== "CallExpr") return false;
  const { name, args } = statement.expr;
  const [first, second] = args;
  return name === "pt_kvs_set" && args.length === 2 && isNamed(first, key) && isNamed(second, value);
}

function isNamed(node: { readonly kind: string } | undefined, name: string): boolean {
  return node?.kind === "Identifier" && (node as Extract<Expr, { kind: "Identifier" }>).name === name;
}
