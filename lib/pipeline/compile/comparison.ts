// Compiles comparisons of a key of the point with string literals of the script. The strings are compared as bytes in
// WebAssembly memory, which holds the points of a batch. A chain of `if` and `elif` that compares one key with many
// literals becomes one look-up.

import { Cursor } from "../../point/batch/cursor.ts";
import { addressAt, equalsAt, isTextAt, lengthAt } from "../../point/batch/in-place.ts";
import { TextTable } from "../../point/batch/text-table.ts";
import { Key, Literal } from "../../point/view.ts";
import { readPoint } from "../runtime/point-access.ts";
import type { Run } from "../runtime/run.ts";
import { isText, textOf } from "../runtime/value.ts";
import type { Expr } from "../syntax/ast.ts";
import { realName, type Scope } from "./scope.ts";

/** A comparison of the form `key == "literal"` or `key != "literal"`. */
export interface KeyComparison {
  readonly name: string;
  readonly literal: Literal;
  readonly op: "==" | "!=";
}

/**
 * Returns the key, the literal and the operator of an expression that compares a key with a literal. Returns null for
 * any other expression. Also returns null when the left side may be a variable instead of a key.
 */
export function keyComparison(scope: Scope, node: Expr): KeyComparison | null {
  const inner = withoutParentheses(node);
  if (inner.kind !== "ConditionalExpr" || (inner.op !== "==" && inner.op !== "!=")) return null;
  const left = withoutParentheses(inner.left);
  const right = withoutParentheses(inner.right);
  if (left.kind !== "Identifier" || right.kind !== "StringLiteral" || scope.mayBeVariable(left.name)) return null;
  const literal = new Literal(right.value);
  return literal.isComparable ? { name: realName(left.name), literal, op: inner.op } : null;
}

function withoutParentheses(node: Expr): Expr {
  let inner = node;
  while (inner.kind === "ParenExpr") inner = inner.inner;
  return inner;
}

export function compareKey({ name, literal, op }: KeyComparison): (run: Run) => boolean {
  const key = new Key(name);
  const equal = op === "==";
  return (run) => {
    const { point } = run;
    if (!(point instanceof Cursor)) return (textOfKey(run, key) === literal.text) === equal;
    const at = point.at(key);
    return (at >= 0 && isTextAt(point, at) && equalsAt(point, at, literal)) === equal;
  };
}

/**
 * Returns a function that finds the index of the first true condition (-1 for none), when all conditions compare the
 * same key by `==`. Returns null for other conditions, and when there are too few conditions for the look-up to be
 * faster.
 */
export function chooseByText(scope: Scope, conditions: readonly Expr[]): ((run: Run) => number) | null {
  if (conditions.length < fewest) return null;
  const comparisons = conditions.map((condition) => keyComparison(scope, condition));
  const [first] = comparisons;
  if (first === null || first === undefined) return null;
  const table = new TextTable<number>();
  const byText = new Map<string, number>();
  for (const [index, each] of comparisons.entries()) {
    if (each === null || each.op !== "==" || each.name !== first.name) return null;
    if (byText.has(each.literal.text)) continue;
    byText.set(each.literal.text, index);
    table.set(each.literal.bytes, index);
  }
  const key = new Key(first.name);
  return (run) => {
    const { point } = run;
    if (!(point instanceof Cursor)) {
      const text = textOfKey(run, key);
      return text === undefined ? -1 : (byText.get(text) ?? -1);
    }
    const at = point.at(key);
    if (at < 0 || !isTextAt(point, at)) return -1;
    return table.find(point.batch.module.u8, addressAt(point, at), lengthAt(point, at)) ?? -1;
  };
}

const fewest = 3;

/** Returns the string value of a key of the point; undefined when the value of the key is not a string. */
function textOfKey(run: Run, key: Key): string | undefined {
  const value = readPoint(run, key);
  return isText(value) ? textOf(value) : undefined;
}
