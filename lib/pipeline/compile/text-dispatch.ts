// Dispatch by text: a chain of `if` and `elif` whose conditions mostly compare one variable with literals, such
// as `key == "a"` or `key in ["b", "c"] && ...`. One look-up of the variable's string finds the conditions that
// can be true; all other conditions are skipped.
//
// Invariant: a condition is skipped only when its first comparison is known to be false. Evaluating such a
// condition would have no effect. Conditions that do not begin with such a comparison are always evaluated, in
// their order.

import type { Code } from "../runtime/code.ts";
import type { Run } from "../runtime/run.ts";
import { truth, type Value } from "../runtime/value.ts";
import type { Expr } from "../syntax/ast.ts";
import type { Scope } from "./scope.ts";

/**
 * Smallest number of conditions for which one look-up is faster than the comparisons. Only the conditions that begin by
 * comparing the variable are counted.
 */
const fewest = 2;
/**
 * Largest number of conditions that do not begin by comparing the variable. Such conditions are evaluated for
 * every string, so the look-up table contains them once for each of its strings. With many such conditions the
 * table would be large.
 */
const mostOthers = 16;
/**
 * Largest number of literals in a list such as `key in ["b", "c"]` for which the comparison costs no steps of the run
 * (runtime/step-charge.ts). A condition with a longer list is always evaluated.
 */
const longestList = 63;

/**
 * The comparison with which a condition begins. It is true when the string of the variable `name` is one of `texts`.
 */
export interface Guard {
  readonly name: string;
  readonly texts: readonly string[];
  /** Whether the condition has no other part than the comparison. */
  readonly isWhole: boolean;
}

/**
 * Returns a function that finds the index of the first true condition (-1 for none). Returns null when too few
 * conditions begin by comparing the same variable.
 */
export function dispatchByText(
  scope: Scope,
  conditions: readonly Expr[],
  evaluate: readonly Code<Value>["direct"][],
): ((run: Run) => number) | null {
  const guards = conditions.map(guardOf);
  const name = guards.find((guard) => guard !== null)?.name;
  if (name === undefined || guards.filter((guard) => guard?.name === name).length < fewest) return null;
  const local = scope.localReader(name);
  if (local === null) return null;
  const all = conditions.map((_, index) => index);
  const others = all.filter((index) => guards[index]?.name !== name);
  if (others.length > mostOthers) return null;
  const byText = new Map<string, number[]>();
  for (const index of all) {
    const guard = guards[index];
    if (guard?.name !== name) continue;
    for (const text of new Set(guard.texts)) byText.set(text, [...(byText.get(text) ?? others), index]);
  }
  for (const candidates of byText.values()) candidates.sort((a, b) => a - b);
  // The look-up finds a condition without another part only when the condition is true.
  const known = guards.map((guard) => guard?.name === name && guard.isWhole);
  return (run) => {
    const text = local(run);
    const candidates = typeof text === "string" ? (byText.get(text) ?? others) : all;
    for (let at = 0; at < candidates.length; at++) {
      const index = candidates[at]!;
      if (candidates !== all && known[index]!) return index;
      const holds = evaluate[index]!(run);
      if (holds === true || (holds !== false && truth(holds))) return index;
    }
    return -1;
  };
}

export function guardOf(condition: Expr): Guard | null {
  const whole = withoutParentheses(condition);
  let node = whole;
  while (node.kind === "ParenExpr" || (node.kind === "ConditionalExpr" && node.op === "&&"))
    node = node.kind === "ParenExpr" ? node.inner : node.left;
  if (node.kind !== "InExpr" && !(node.kind === "ConditionalExpr" && node.op === "==")) return null;
  const isWhole = node === whole;
  const left = withoutParentheses(node.left);
  const right = withoutParentheses(node.right);
  if (left.kind !== "Identifier") return null;
  if (node.kind === "ConditionalExpr")
    return right.kind === "StringLiteral" ? { name: left.name, texts: [right.value], isWhole } : null;
  if (right.kind !== "ListLiteral" || right.items.length > longestList) return null;
  const texts: string[] = [];
  for (const item of right.items) {
    if (item.kind !== "StringLiteral") return null;
    texts.push(item.value);
  }
  return { name: left.name, texts, isWhole };
}

export function withoutParentheses(node: Expr): Expr {
  let inner = node;
  while (inner.kind === "ParenExpr") inner = inner.inner;
  return inner;
}
