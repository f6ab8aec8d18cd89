// Evaluates the condition of a filter for each row and keeps the rows for which it is true
// (docs/reference/query.md#filters). A comparison with a missing value is true or false; in SQL it would be unknown.

import type { Call, CompareOp, Expr } from "../syntax/ast.ts";
import { DqlError } from "../syntax/errors.ts";
import type { DqlNamespace } from "../syntax/namespaces.ts";
import { reasonText } from "../syntax/reasons.ts";
import { textOf } from "../syntax/text.ts";
import { membershipOf } from "./join.ts";
import { scalarReader } from "./scalar.ts";
import { cidrTest, globTest, matchTest, regexTest, searchTest, type TextTest } from "./search/search.ts";
import { type DqlValue, equals, order, textOfValue } from "./values/value.ts";

export interface ConditionScope<Row> {
  readonly namespace: DqlNamespace;
  /** Returns a function that reads the column with the given name from a row. */
  readonly column: (name: string) => (row: Row) => DqlValue;
  /**
   * Takes an inner query or a with_labels() call of the filter, and returns its values. These values must be computed
   * before the condition is evaluated.
   */
  readonly values: (node: Expr) => readonly DqlValue[];
}

export type RowTest<Row> = (row: Row) => boolean;

export function allOf<Row>(conditions: readonly Expr[], scope: ConditionScope<Row>): RowTest<Row> {
  const tests = conditions.map((each) => condition(each, scope));
  return (row) => tests.every((test) => test(row));
}

export function condition<Row>(expr: Expr, scope: ConditionScope<Row>): RowTest<Row> {
  switch (expr.type) {
    case "paren":
      return condition(expr.e, scope);
    case "not": {
      const test = condition(expr.e, scope);
      return (row) => !test(row);
    }
    case "bin": {
      if (expr.op === "and" || expr.op === "or") {
        const [left, right] = [condition(expr.l, scope), condition(expr.r, scope)];
        return expr.op === "and" ? (row) => left(row) && right(row) : (row) => left(row) || right(row);
      }
      if ("+-*/%^".includes(expr.op)) break;
      return comparison(expr.l, expr.op as CompareOp, expr.r, scope);
    }
    case "in":
      return membership(expr, scope);
    case "call":
      // exists(column) is a complete condition, without a comparison.
      if (expr.name === "exists" && expr.args.length === 1) return exists(expr.args[0]!, scope);
      break;
    case "bool":
      return () => expr.value;
  }
  throw new DqlError(reasonText("notCondition", textOf(expr)));
}

function exists<Row>(expr: Expr, scope: ConditionScope<Row>): RowTest<Row> {
  const read = scalarReader(expr, scope);
  return (row) => read(row) !== null;
}

function comparison<Row>(left: Expr, op: CompareOp, right: Expr, scope: ConditionScope<Row>): RowTest<Row> {
  const read = scalarReader(left, scope);
  if (op === "=~" || op === "!~") {
    if (right.type !== "str" && right.type !== "regex") throw new DqlError(reasonText("needsPattern", op));
    return comparison(left, op === "=~" ? "=" : "!=", { type: "regex", value: right.value, at: right.at }, scope);
  }
  const isWhole = scope.namespace.category !== "metric";
  const special = specialTest(left, right, scope, isWhole);
  if (special !== undefined) {
    if (op === "=") return special;
    if (op === "!=") return (row) => !special(row);
    throw new DqlError(reasonText("incomparable", op, textOf(right)));
  }
  const literal = literalOf(right, scope);
  if (op === "=" || op === "!=") {
    const wanted = op === "=";
    return (row) => equals(read(row), literal(row)) === wanted;
  }
  const holds = {
    ">": (at: number) => at > 0,
    ">=": (at: number) => at >= 0,
    "<": (at: number) => at < 0,
    "<=": (at: number) => at <= 0,
  }[op];
  return (row) => {
    const at = order(read(row), literal(row));
    return at !== undefined && holds(at);
  };
}

/** Returns a test for `=` when the right side is a pattern, a function or a list; otherwise undefined. */
function specialTest<Row>(
  left: Expr,
  right: Expr,
  scope: ConditionScope<Row>,
  isWhole: boolean,
): RowTest<Row> | undefined {
  if (right.type === "regex") return ofText(left, regexTest(right.value, isWhole), scope);
  if (right.type === "list" || right.type === "subquery") return memberTest(left, right, scope);
  return right.type === "call" ? callTest(left, right, scope) : undefined;
}

function callTest<Row>(left: Expr, call: Call, scope: ConditionScope<Row>): RowTest<Row> | undefined {
  const [arg] = call.args;
  const text = arg?.type === "str" ? arg.value : "";
  switch (call.name) {
    case "match":
      return ofText(left, matchTest(text, scope.namespace.category === "metric"), scope);
    case "wildcard":
      return ofText(left, globTest(text), scope);
    case "exists":
      return exists(arg ?? left, scope);
    case "cidr": {
      const test = cidrTest(text);
      if (test === undefined) throw new DqlError(reasonText("invalidNetwork", text));
      return ofText(left, test, scope);
    }
    case "query_string":
    case "querystring": {
      const read = scalarReader(left, scope);
      const asText = (value: DqlValue) => (value === null ? null : textOfValue(value));
      const test = searchTest<Row>(text, (name) => {
        const column = scope.column(name);
        return (row) => asText(column(row));
      });
      return (row) => test(asText(read(row)), row);
    }
    case "with_labels":
      return valuesTest(left, scope.values(call), scope);
  }
  return undefined;
}

function ofText<Row>(left: Expr, test: TextTest, scope: ConditionScope<Row>): RowTest<Row> {
  const read = scalarReader(left, scope);
  return (row) => {
    const value = read(row);
    return value !== null && test(textOfValue(value));
  };
}

function membership<Row>({ op, l, r }: Extract<Expr, { type: "in" }>, scope: ConditionScope<Row>): RowTest<Row> {
  if (op === "in") return memberTest(l, r, scope);
  if (op === "notin") {
    const test = memberTest(l, r, scope);
    return (row) => !test(row);
  }
  const patterns = r.type === "list" ? r.items : [];
  const tests = patterns.map((each) =>
    regexTest(each.type === "str" || each.type === "regex" ? each.value : "", false),
  );
  const read = scalarReader(l, scope);
  return (row) => {
    const value = read(row);
    if (value === null) return false;
    const text = textOfValue(value);
    return tests.some((test) => test(text)) === (op === "match");
  };
}

function memberTest<Row>(left: Expr, right: Expr, scope: ConditionScope<Row>): RowTest<Row> {
  if (right.type === "subquery") return valuesTest(left, scope.values(right), scope);
  if (right.type !== "list") throw new DqlError(reasonText("needsList", textOf(right)));
  const isWhole = scope.namespace.category !== "metric";
  const tests = right.items.map((item) => specialTest(left, item, scope, isWhole));
  const special = tests.filter((test) => test !== undefined);
  const literals = right.items.filter((_, at) => tests[at] === undefined).map((item) => literalOf(item, scope));
  const read = scalarReader(left, scope);
  return (row) => {
    const value = read(row);
    return literals.some((literal) => equals(value, literal(row))) || special.some((test) => test(row));
  };
}

function valuesTest<Row>(left: Expr, values: readonly DqlValue[], scope: ConditionScope<Row>): RowTest<Row> {
  const read = scalarReader(left, scope);
  const isMember = membershipOf(values);
  return (row) => isMember(read(row));
}

/**
 * Reads the right side of a comparison. On this side a name without quotes is a string, but inside arithmetic and
 * function calls it is a column.
 */
function literalOf<Row>(expr: Expr, scope: ConditionScope<Row>): (row: Row) => DqlValue {
  if (expr.type === "col") return () => expr.name;
  return scalarReader(expr, scope);
}
