// Compiles operators such as `+` and `&&`, given the compiled code of their operands
// (docs/reference/language.md#values).

import { isBytes } from "../../text/bytes.ts";
import { arithmetic, compare, isLogicOperand, keepSign, negate, Problem } from "../runtime/arithmetic.ts";
import { type Code, code } from "../runtime/code.ts";
import type { Run } from "../runtime/run.ts";
import { chargeGrowth, chargeValue, chargeWork } from "../runtime/step-charge.ts";
import { contains, equals, isDict, isList, isText, textOf, truth, typeName, type Value } from "../runtime/value.ts";
import type { ArithmeticOp, Expr, Offset } from "../syntax/ast.ts";
import type { CompilationUnit } from "./compilation-unit.ts";

type Expression = Code<Value>;

export function unary(
  unit: CompilationUnit,
  node: Extract<Expr, { kind: "UnaryExpr" }>,
  operand: Expression,
): Expression {
  const apply = (value: Value): Value => {
    if (node.op === "!") return !truth(value);
    const result = node.op === "-" ? negate(value) : keepSign(value);
    if (result === undefined) {
      throw unit.failure(`unsuppored operand type for unary op ${node.op}: *ast.UnaryExpr`, node.at);
    }
    return result;
  };
  return code<Value>(
    [operand],
    (run) => apply(operand.direct(run)),
    function* () {
      return apply((yield operand) as Value);
    },
  );
}

/** Returns code that evaluates the left and the right operand in this order, then applies the operator. */
function binary(
  left: Expression,
  right: Expression,
  apply: (left: Value, right: Value, run: Run) => Value,
): Expression {
  return code<Value>(
    [left, right],
    (run) => apply(left.direct(run), right.direct(run), run),
    function* (run) {
      const first = (yield left) as Value;
      return apply(first, (yield right) as Value, run);
    },
  );
}

export function calculation(
  unit: CompilationUnit,
  at: Offset,
  op: ArithmeticOp,
  left: Expression,
  right: Expression,
): Expression {
  return binary(left, right, (a, b, run) => {
    const result = resultOrThrow(unit, at, arithmetic(op, a, b));
    if (typeof result === "string") chargeGrowth(run, result);
    return result;
  });
}

/** Returns the result of an operator. When the result is a failure, throws it with the position of the operator. */
export function resultOrThrow(unit: CompilationUnit, at: Offset, result: Value | Problem): Value {
  if (result instanceof Problem) throw unit.failure(result.message, at);
  return result;
}

type Conditional = Extract<Expr, { kind: "ConditionalExpr" }>;

export function conditional(unit: CompilationUnit, node: Conditional, left: Expression, right: Expression): Expression {
  const { op } = node;
  switch (op) {
    case "&&":
    case "||":
      return logic(unit, node.opAt, op, left, right);
    case "==":
    case "!=": {
      const equal = op === "==";
      if (node.right.kind === "StringLiteral") return textComparison(left, node.right.value, equal);
      return binary(left, right, (a, b, run) => equalsCharged(run, a, b) === equal);
    }
  }
  return binary(left, right, (a, b) => {
    const result = compare(op, a, b);
    if (result === undefined) throw unit.failure("not compareable", node.opAt);
    return result;
  });
}

/** Compiles the comparison (by `==` or `!=`) of an expression with a string literal. */
function textComparison(left: Expression, text: string, equal: boolean): Expression {
  const test = (run: Run, value: Value): boolean =>
    (typeof value === "string" ? value === text : equalsCharged(run, value, text)) === equal;
  return code<Value>(
    [left],
    (run) => test(run, left.direct(run)),
    function* (run) {
      return test(run, (yield left) as Value);
    },
  );
}

function equalsCharged(run: Run, a: Value, b: Value): boolean {
  // A string is not charged, whether it is a JavaScript string or bytes.
  if (typeof a === "object" && a !== null && !isBytes(a) && typeof b === "object") chargeValue(run, a);
  return equals(a, b);
}

function logic(unit: CompilationUnit, at: Offset, op: "&&" | "||", left: Expression, right: Expression): Expression {
  const deciding = op === "||";
  const both = (a: Value, b: Value): boolean => {
    if (!isLogicOperand(a) || !isLogicOperand(b)) throw unit.failure("not compareable", at);
    if (typeof a !== "boolean" || typeof b !== "boolean") {
      throw unit.failure(`unsupported operand type(s) for ${op}: ${typeName(a)} and ${typeName(b)}`, at);
    }
    return b;
  };
  return code<Value>(
    [left, right],
    (run) => {
      const a = left.direct(run);
      return a === deciding ? deciding : both(a, right.direct(run));
    },
    function* () {
      const a = (yield left) as Value;
      return a === deciding ? deciding : both(a, (yield right) as Value);
    },
  );
}

export function membership(unit: CompilationUnit, at: Offset, left: Expression, right: Expression): Expression {
  return binary(left, right, (wanted, container, run) => {
    chargeValue(run, container);
    if (isList(container)) return contains(container, wanted);
    const inText = isText(container);
    if (!inText && !isDict(container)) throw unit.failure(`unsupported rhs data type: ${typeName(container)}`, at);
    if (!isText(wanted)) throw unit.failure(`unsupported lhs data type: ${typeName(wanted)}`, at);
    return inText ? textOf(container).includes(textOf(wanted)) : container.has(textOf(wanted));
  });
}

/**
 * Compiles `in` for a list literal of strings. The strings are put into a set when the script is compiled,
 * because many such tests are inside loops over the keys of a map. The list itself is never made while the
 * script runs.
 */
export function textMembership(left: Expression, texts: readonly string[]): Expression {
  const known = new Set(texts);
  const test = (run: Run, wanted: Value): boolean => {
    chargeWork(run, texts.length);
    return isText(wanted) && known.has(textOf(wanted));
  };
  return code<Value>(
    [left],
    (run) => test(run, left.direct(run)),
    function* (run) {
      return test(run, (yield left) as Value);
    },
  );
}
