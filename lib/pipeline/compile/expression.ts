// Checks expressions of a script (docs/reference/language.md#checks) and compiles them to closures
// (docs/reference/language.md#values).

import type { Waiting } from "../functions/declare.ts";
import { type Code, code, heightOf, leaf, type Walk, waiting } from "../runtime/code.ts";
import type { Run } from "../runtime/run.ts";
import { Float, isText, textOf, typeName, type Value, VOID } from "../runtime/value.ts";
import type { Argument, CallExpr, Expr, Offset } from "../syntax/ast.ts";
import { ScriptFailure } from "../syntax/errors.ts";
import { didYouMean } from "../syntax/hints.ts";
import { compileIndex, compileSlice } from "./access.ts";
import { evaluateWaiting, liftedArgument } from "./argument-lifting.ts";
import { bindCall } from "./call.ts";
import { compareKey, keyComparison } from "./comparison.ts";
import type { CompilationUnit } from "./compilation-unit.ts";
import { calculation, conditional, membership, textMembership, unary } from "./operator.ts";
import type { Scope } from "./scope.ts";

export type Expression = Code<Value>;

/**
 * Deepest nesting of calls such as `f(g(h(x)))`. The depth is limited, because nested calls use the JavaScript call
 * stack.
 */
export const maxCallNesting = 500;

/**
 * Compiles an expression. Returns the code directly when the expression has no inner expressions. Otherwise returns a
 * walk: a generator that compiles the inner expressions first and then returns the code.
 */
export function compileExpression(unit: CompilationUnit, scope: Scope, node: Expr): Expression | Walk<Expression> {
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
      return leaf(scope.valueReader(inner.name));
    }
    case "AttrExpr":
      return withoutValue(unit, scope, inner);
    case "ListLiteral":
      return list(unit, scope, inner);
    case "MapLiteral":
      return map(unit, scope, inner);
    case "CallExpr":
      return call(unit, scope, inner);
    case "IndexExpr":
      return inner.base === null ? withoutValue(unit, scope, inner) : operation(unit, scope, inner);
    default:
      return operation(unit, scope, inner);
  }
}

type Operation = Extract<
  Expr,
  { kind: "UnaryExpr" | "ArithmeticExpr" | "ConditionalExpr" | "InExpr" | "IndexExpr" | "SliceExpr" }
>;

function* operation(unit: CompilationUnit, scope: Scope, node: Operation): Walk<Expression> {
  switch (node.kind) {
    case "UnaryExpr":
      return unary(unit, node, (yield compileExpression(unit, scope, node.operand)) as Expression);
    case "ArithmeticExpr":
    case "ConditionalExpr":
    case "InExpr": {
      const left = (yield compileExpression(unit, scope, node.left)) as Expression;
      const right = (yield compileExpression(unit, scope, node.right)) as Expression;
      if (node.kind === "InExpr") {
        const texts = textsOf(node.right);
        return texts === null ? membership(unit, node.opAt, left, right) : textMembership(left, texts);
      }
      if (node.kind === "ArithmeticExpr") return calculation(unit, node.opAt, node.op, left, right);
      const comparison = keyComparison(scope, node);
      if (comparison !== null) return leaf<Value>(compareKey(comparison));
      return conditional(unit, node, left, right);
    }
    case "IndexExpr": {
      const indexes: Expression[] = [];
      for (const index of node.indexes) indexes.push((yield compileExpression(unit, scope, index)) as Expression);
      return compileIndex(unit, scope, node, indexes);
    }
    case "SliceExpr": {
      const object = (yield compileExpression(unit, scope, node.object)) as Expression;
      const bounds: (Expression | null)[] = [];
      for (const bound of [node.start, node.end, node.step]) {
        bounds.push(bound === null ? null : ((yield compileExpression(unit, scope, bound)) as Expression));
      }
      return compileSlice(unit, node, object, bounds);
    }
  }
}

function constant(value: Value): Expression {
  return leaf(() => value);
}

type Reference = Extract<Expr, { kind: "AttrExpr" | "IndexExpr" }>;

/** Returns whether the expression only names a key or path and therefore has no value: `a.b`, `.[0]`. */
function isReference(node: Expr): node is Reference {
  return node.kind === "AttrExpr" || (node.kind === "IndexExpr" && node.base === null);
}

/** Compiles an attribute expression (`a.b`) where a value is needed, and warns that such an expression has no value. */
function* withoutValue(unit: CompilationUnit, scope: Scope, node: Reference): Walk<Expression> {
  const nothing = yield* reference(unit, scope, node);
  unit.warn("an attribute expression has no value, use get_key(...) or a name in backticks", node.at);
  return nothing;
}

/**
 * Compiles the indexes of a reference such as `a.b[0]`. The indexes are never evaluated, but an error in an index is an
 * error of the script.
 */
export function* reference(unit: CompilationUnit, scope: Scope, node: Reference): Walk<Expression> {
  for (const part of node.kind === "AttrExpr" ? node.parts : [node]) {
    if (part.kind !== "IndexExpr") continue;
    for (const index of part.indexes) yield compileExpression(unit, scope, index);
  }
  return constant(VOID);
}

/** Returns the strings of a list literal that contains only string literals; null for every other expression. */
function textsOf(node: Expr): readonly string[] | null {
  let inner = node;
  while (inner.kind === "ParenExpr") inner = inner.inner;
  if (inner.kind !== "ListLiteral") return null;
  const texts: string[] = [];
  for (const item of inner.items) {
    if (item.kind !== "StringLiteral") return null;
    texts.push(item.value);
  }
  return texts;
}

function* list(unit: CompilationUnit, scope: Scope, node: Extract<Expr, { kind: "ListLiteral" }>): Walk<Expression> {
  const items: Expression[] = [];
  try {
    for (const item of node.items) items.push((yield compileExpression(unit, scope, item)) as Expression);
  } catch (error) {
    throw traced(error, unit, node.at);
  }
  const constants = node.items.map(constantOf);
  if (constants.every((constant) => constant !== undefined)) {
    const { length } = constants;
    return leaf<Value>((run) => {
      run.memory.makeList(length);
      return constants.slice();
    });
  }
  return code<Value>(
    items,
    (run) => {
      const values: Value[] = [];
      run.memory.makeList(items.length);
      for (const item of items) values.push(orNil(item.direct(run)));
      return values;
    },
    function* (run) {
      const values: Value[] = [];
      run.memory.makeList(items.length);
      for (const item of items) values.push(orNil((yield item) as Value));
      return values;
    },
  );
}

function orNil(value: Value): Value {
  return value === VOID ? null : value;
}

function* map(unit: CompilationUnit, scope: Scope, node: Extract<Expr, { kind: "MapLiteral" }>): Walk<Expression> {
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
      run.memory.makeMap(pairs.length);
      for (const pair of pairs) {
        const key = keyText(pair.key.direct(run), pair.keyAt);
        made.set(key, present(pair.value.direct(run), pair.valueAt));
      }
      return made;
    },
    function* (run) {
      const made = new Map<string, Value>();
      run.memory.makeMap(pairs.length);
      for (const pair of pairs) {
        const key = keyText((yield pair.key) as Value, pair.keyAt);
        made.set(key, present((yield pair.value) as Value, pair.valueAt));
      }
      return made;
    },
  );
}

/**
 * Returns the value of a literal that is a number, string, bool or nil, which no script can change. Returns undefined
 * for any other expression.
 */
function constantOf(node: Expr): Value | undefined {
  switch (node.kind) {
    case "IntLiteral":
    case "BoolLiteral":
    case "StringLiteral":
      return node.value;
    case "FloatLiteral":
      return new Float(node.value);
    case "NilLiteral":
      return null;
  }
  return undefined;
}

function isNoKey({ kind }: Expr): boolean {
  return ["IntLiteral", "FloatLiteral", "BoolLiteral", "NilLiteral", "ListLiteral", "MapLiteral"].includes(kind);
}

function* call(unit: CompilationUnit, scope: Scope, node: CallExpr): Walk<Expression> {
  const declaration = unit.functions.get(node.name);
  if (declaration === undefined) {
    const hint = didYouMean(node.name, unit.functions.keys());
    throw unit.failure(`unsupported func: \`${node.name}\``, node.at, { hint });
  }
  if (unit.calls >= maxCallNesting) throw unit.failure("nesting too deep", node.at);
  const values = new Map<Argument, Expression>();
  unit.calls++;
  try {
    for (const argument of node.args) {
      const value = argument.kind === "AssignmentExpr" ? argument.value : argument;
      const compiled = isReference(value) ? reference(unit, scope, value) : compileExpression(unit, scope, value);
      values.set(argument, (yield compiled) as Expression);
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
  const bound = bindCall(unit, scope, declaration, node, (argument) => liftedArgument(values.get(argument)!));
  if (typeof bound !== "function") {
    const steps = function* (run: Run): ReturnType<Waiting["steps"]> {
      yield* evaluateWaiting(run, parts);
      return yield* bound.steps(run);
    };
    return waiting(bound.direct, steps, height);
  }
  if (!parts.some(({ mayWait }) => mayWait)) return leaf(bound, height);
  const steps = function* (run: Run): ReturnType<Waiting["steps"]> {
    yield* evaluateWaiting(run, parts);
    return bound(run);
  };
  return waiting(bound, steps, height);
}

/** Adds a position to the end of a failure's call chain and returns the failure. */
function traced(error: unknown, unit: CompilationUnit, at: Offset): unknown {
  if (error instanceof ScriptFailure) error.chain.push(unit.source.position(at));
  return error;
}
