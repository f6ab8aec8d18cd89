// Expressions to code (pipeline document, section 3), checked on the way (section 9).

import { arithmetic, compare, isLogicOperand, keepSign, negate, Problem } from "./arithmetic.ts";
import type { Argument, ArithmeticOp, CallExpr, Expr, Offset } from "./ast.ts";
import { type Code, code, heightOf, leaf, type Walk, waiting } from "./code.ts";
import { compileIndex, compileSlice } from "./compile-access.ts";
import { compareKey, keyComparison } from "./compile-comparison.ts";
import { ScriptFailure } from "./errors.ts";
import { bindCall } from "./functions/call.ts";
import type { Waiting } from "./functions/declare.ts";
import type { Run } from "./run.ts";
import type { Scope } from "./scope.ts";
import { settle, settledOf } from "./settle.ts";
import type { Unit } from "./unit.ts";
import { contains, equals, Float, isDict, isList, isText, textOf, truth, typeName, type Value, VOID } from "./value.ts";
import { workOn, workOnGrowth } from "./work.ts";

export type Expression = Code<Value>;

/** A call inside of calls runs on the call stack, which bounds how deep they can go. */
export const maxCallNesting = 500;

export function* compileExpression(unit: Unit, scope: Scope, node: Expr): Walk<Expression> {
  let inner = node;
  while (inner.kind === "ParenExpr") inner = inner.inner;
  switch (inner.kind) {
    case "IntLiteral":
    case "BoolLiteral":
    case "StringLiteral":
      return constant(inner.value);
    case "FloatLiteral":
      return constant(new Float(inner.value));
    case "NilLiteral":
      return constant(null);
    case "Identifier": {
      const read = scope.reader(inner.name);
      return leaf((run) => read(run) ?? null);
    }
    case "AttrExpr":
      return withoutValue(unit, inner);
    case "ListLiteral":
      return yield* list(unit, scope, inner);
    case "MapLiteral":
      return yield* map(unit, scope, inner);
    case "UnaryExpr":
      return unary(unit, inner, (yield compileExpression(unit, scope, inner.operand)) as Expression);
    case "ArithmeticExpr":
    case "ConditionalExpr":
    case "InExpr": {
      const left = (yield compileExpression(unit, scope, inner.left)) as Expression;
      const right = (yield compileExpression(unit, scope, inner.right)) as Expression;
      if (inner.kind === "InExpr") return membership(unit, inner.opAt, left, right);
      if (inner.kind === "ArithmeticExpr") return calculation(unit, inner.opAt, inner.op, left, right);
      const comparison = keyComparison(scope, inner);
      if (comparison !== null) return leaf<Value>(compareKey(comparison));
      return conditional(unit, inner, left, right);
    }
    case "IndexExpr": {
      if (inner.base === null) return withoutValue(unit, inner);
      const indexes: Expression[] = [];
      for (const index of inner.indexes) indexes.push((yield compileExpression(unit, scope, index)) as Expression);
      return compileIndex(unit, scope, inner, indexes);
    }
    case "SliceExpr": {
      const object = (yield compileExpression(unit, scope, inner.object)) as Expression;
      const bounds: (Expression | null)[] = [];
      for (const bound of [inner.start, inner.end, inner.step]) {
        bounds.push(bound === null ? null : ((yield compileExpression(unit, scope, bound)) as Expression));
      }
      return compileSlice(unit, inner, object, bounds);
    }
    case "CallExpr":
      return yield* call(unit, scope, inner);
  }
}

function constant(value: Value): Expression {
  return leaf(() => value);
}

/** An attribute expression where a value is wanted. */
function withoutValue(unit: Unit, node: Expr): Expression {
  unit.warn("an attribute expression has no value, use get_key(...) or a name in backticks", node.at);
  return constant(VOID);
}

function* list(unit: Unit, scope: Scope, node: Extract<Expr, { kind: "ListLiteral" }>): Walk<Expression> {
  const items: Expression[] = [];
  try {
    for (const item of node.items) items.push((yield compileExpression(unit, scope, item)) as Expression);
  } catch (error) {
    throw traced(error, unit, node.at);
  }
  return code<Value>(
    items,
    (run) => {
      const values: Value[] = [];
      for (const item of items) values.push(orNil(item.direct(run)));
      return values;
    },
    function* () {
      const values: Value[] = [];
      for (const item of items) values.push(orNil((yield item) as Value));
      return values;
    },
  );
}

function orNil(value: Value): Value {
  return value === VOID ? null : value;
}

function* map(unit: Unit, scope: Scope, node: Extract<Expr, { kind: "MapLiteral" }>): Walk<Expression> {
  const pairs: { key: Expression; value: Expression; keyAt: Offset; valueAt: Offset }[] = [];
  for (const { key, value } of node.pairs) {
    if (isNoKey(key)) throw unit.failure("map key expect string", key.at);
    pairs.push({
      key: (yield compileExpression(unit, scope, key)) as Expression,
      value: (yield compileExpression(unit, scope, value)) as Expression,
      keyAt: key.at,
      valueAt: value.at,
    });
  }
  const keyText = (key: Value, at: Offset): string => {
    if (!isText(key)) throw unit.failure(`unsupported key data type: ${typeName(key)}`, at);
    return textOf(key);
  };
  const present = (value: Value, at: Offset): Value => {
    if (value === VOID) throw unit.failure("unsupported value data type: str", at);
    return value;
  };
  return code<Value>(
    pairs.flatMap(({ key, value }) => [key, value]),
    (run) => {
      const made = new Map<string, Value>();
      for (const pair of pairs) {
        const key = keyText(pair.key.direct(run), pair.keyAt);
        made.set(key, present(pair.value.direct(run), pair.valueAt));
      }
      return made;
    },
    function* () {
      const made = new Map<string, Value>();
      for (const pair of pairs) {
        const key = keyText((yield pair.key) as Value, pair.keyAt);
        made.set(key, present((yield pair.value) as Value, pair.valueAt));
      }
      return made;
    },
  );
}

function isNoKey({ kind }: Expr): boolean {
  return ["IntLiteral", "FloatLiteral", "BoolLiteral", "NilLiteral", "ListLiteral", "MapLiteral"].includes(kind);
}

function unary(unit: Unit, node: Extract<Expr, { kind: "UnaryExpr" }>, operand: Expression): Expression {
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

/** Both sides in order, then the operator. */
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

function calculation(unit: Unit, at: Offset, op: ArithmeticOp, left: Expression, right: Expression): Expression {
  return binary(left, right, (a, b, run) => {
    const result = settled(unit, at, arithmetic(op, a, b));
    if (typeof result === "string") workOnGrowth(run, result);
    return result;
  });
}

/** The value, or the failure at the operator. */
export function settled(unit: Unit, at: Offset, result: Value | Problem): Value {
  if (result instanceof Problem) throw unit.failure(result.message, at);
  return result;
}

type Conditional = Extract<Expr, { kind: "ConditionalExpr" }>;

function conditional(unit: Unit, node: Conditional, left: Expression, right: Expression): Expression {
  const { op } = node;
  switch (op) {
    case "&&":
    case "||":
      return logic(unit, node.opAt, op, left, right);
    case "==":
      return binary(left, right, (a, b, run) => equalsCharged(run, a, b));
    case "!=":
      return binary(left, right, (a, b, run) => !equalsCharged(run, a, b));
  }
  return binary(left, right, (a, b) => {
    const result = compare(op, a, b);
    if (result === undefined) throw unit.failure("not compareable", node.opAt);
    return result;
  });
}

function equalsCharged(run: Run, a: Value, b: Value): boolean {
  if (typeof a === "object" && a !== null && typeof b === "object") workOn(run, a);
  return equals(a, b);
}

function logic(unit: Unit, at: Offset, op: "&&" | "||", left: Expression, right: Expression): Expression {
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

function membership(unit: Unit, at: Offset, left: Expression, right: Expression): Expression {
  return binary(left, right, (wanted, container, run) => {
    workOn(run, container);
    if (isList(container)) return contains(container, wanted);
    const inText = isText(container);
    if (!inText && !isDict(container)) throw unit.failure(`unsupported rhs data type: ${typeName(container)}`, at);
    if (!isText(wanted)) throw unit.failure(`unsupported lhs data type: ${typeName(wanted)}`, at);
    return inText ? textOf(container).includes(textOf(wanted)) : container.has(textOf(wanted));
  });
}

function* call(unit: Unit, scope: Scope, node: CallExpr): Walk<Expression> {
  const declaration = unit.functions.get(node.name);
  if (declaration === undefined) throw unit.failure(`unsupported func: \`${node.name}\``, node.at);
  if (unit.calls >= maxCallNesting) throw unit.failure("nesting too deep", node.at);
  const values = new Map<Argument, Expression>();
  unit.calls++;
  try {
    for (const argument of node.args) {
      const value = argument.kind === "AssignmentExpr" ? argument.value : argument;
      if (value.kind === "AttrExpr" || (value.kind === "IndexExpr" && value.base === null)) {
        values.set(argument, constant(VOID));
      } else values.set(argument, (yield compileExpression(unit, scope, value)) as Expression);
    }
  } catch (error) {
    throw traced(error, unit, node.at);
  }
  unit.calls--;
  if (declaration.state === true) unit.state = true;
  if (declaration.waits === true) unit.waits = true;
  unit.called.add(declaration.name);
  const parts = [...values.values()];
  const height = heightOf(parts);
  const bound = bindCall(unit, scope, declaration, node, (argument) => settledOf(values.get(argument)!));
  if (typeof bound !== "function") {
    const steps = function* (run: Run): ReturnType<Waiting["steps"]> {
      yield* settle(run, parts);
      return yield* bound.steps(run);
    };
    return waiting(bound.direct, steps, height);
  }
  if (!parts.some(({ mayWait }) => mayWait)) return leaf(bound, height);
  const steps = function* (run: Run): ReturnType<Waiting["steps"]> {
    yield* settle(run, parts);
    return bound(run);
  };
  return waiting(bound, steps, height);
}

/** A failure with one more place at the end of its chain. */
function traced(error: unknown, unit: Unit, at: Offset): unknown {
  if (error instanceof ScriptFailure) error.chain.push(unit.source.position(at));
  return error;
}
