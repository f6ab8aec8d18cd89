// Finds facts about a query that are known without reading any data: the values of literal arguments, the
// percentiles of calls, and whether targets (output columns) contain aggregates.

import type { Call, Expr } from "../syntax/ast.ts";
import { functionOf, percentOf } from "./functions.ts";

/** Returns whether an expression contains an aggregate, so that it needs all rows of a group. */
export function hasAggregate(expr: Expr): boolean {
  switch (expr.type) {
    case "call":
      return functionOf(expr.name)?.kind === "aggregate" || expr.args.some(hasAggregate);
    case "bin":
      return hasAggregate(expr.l) || hasAggregate(expr.r);
    case "unary":
    case "paren":
      return hasAggregate(expr.e);
    case "aliased":
      return hasAggregate(expr.expr);
    default:
      return false;
  }
}

/** Returns the value of a literal number, which may have a sign; undefined for other expressions. */
export function numberOf(expr: Expr): number | undefined {
  if (expr.type === "num") return Number(expr.value);
  if (expr.type === "unary") {
    const value = numberOf(expr.e);
    return value === undefined || expr.op === "+" ? value : -value;
  }
  return undefined;
}

/** Returns the value of a literal that is a positive integer; undefined for other expressions. */
export function positiveInt(expr: Expr): number | undefined {
  const value = numberOf(expr);
  return value !== undefined && Number.isSafeInteger(value) && value >= 1 ? value : undefined;
}

/** Returns the second argument of percentile(); undefined when it is not a number from 0 to 100. */
export function percentileOf(expr: Expr): number | undefined {
  const value = numberOf(expr);
  return value !== undefined && value >= 0 && value <= 100 ? value : undefined;
}

/** Returns the percentile that a call such as p95() or percentile() computes; undefined for other calls. */
export function percentOfCall({ name, args }: Call): number | undefined {
  if (name === "median") return 50;
  return name === "percentile" ? percentileOf(args[1]!) : percentOf(name);
}
