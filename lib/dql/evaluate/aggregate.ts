// Computes an expression over a group of rows. An aggregate function uses all rows of the group. A plain column
// has the value that it has in the newest row of the group (docs/errors.md#queries).

import { hasAggregate, percentOfCall } from "../semantics/arguments.ts";
import { functionOf } from "../semantics/functions.ts";
import type { StepBudget } from "../semantics/step-budget.ts";
import type { Call, Expr } from "../syntax/ast.ts";
import { DqlError } from "../syntax/errors.ts";
import { reasonText } from "../syntax/reasons.ts";
import { textOf } from "../syntax/text.ts";
import type { Reader, Row } from "./row.ts";
import { scalarFunctions, scalarReader } from "./scalar.ts";
import { deviation, distinct, extreme, mean, mode, type Numbers, percentile, sum } from "./statistics.ts";
import { arithmetic, type DqlValue, equals, isNumber, negated } from "./values/value.ts";

/** A function that computes a value from a group of rows, which must be sorted with the oldest first. */
export type GroupReader = (rows: readonly Row[]) => DqlValue;

export interface AggregateScope {
  readonly column: (name: string) => Reader;
  readonly work: StepBudget;
}

export function groupReader(expr: Expr, scope: AggregateScope): GroupReader {
  if (!hasAggregate(expr)) return newest(scalarReader(expr, scope));
  switch (expr.type) {
    case "paren":
      return groupReader(expr.e, scope);
    case "aliased":
      return groupReader(expr.expr, scope);
    case "unary": {
      const read = groupReader(expr.e, scope);
      return expr.op === "-" ? (rows) => negated(read(rows)) : read;
    }
    case "bin": {
      const [left, right] = [groupReader(expr.l, scope), groupReader(expr.r, scope)];
      return (rows) => arithmetic(expr.op, left(rows), right(rows));
    }
    case "call": {
      if (functionOf(expr.name)?.kind === "aggregate") return aggregateReader(expr, scope);
      const compute = scalarFunctions[expr.name];
      if (compute === undefined) break;
      const reads = expr.args.map((arg) => groupReader(arg, scope));
      return (rows) => compute(...reads.map((read) => read(rows)));
    }
  }
  throw new DqlError(reasonText("noGroupValue", textOf(expr)));
}

/** Takes a reader of a value in one row, and returns a function that reads this value in the newest row of a group. */
function newest(read: Reader): GroupReader {
  return (rows) => (rows.length === 0 ? null : read(rows[rows.length - 1]!));
}

function aggregateReader(call: Call, scope: AggregateScope): GroupReader {
  const { name, args } = call;
  const { work } = scope;
  const [first] = args as readonly [Expr];
  if (name === "count" && first.type === "star") return (rows) => BigInt(rows.length);
  if (name === "count" && first.type === "call" && first.name === "distinct") {
    return countDistinct(scalarReader(first.args[0]!, scope), work);
  }
  const read = scalarReader(first, scope);
  const percent = percentOfCall(call);
  if (percent !== undefined) return (rows) => percentile(numbers(rows, read), percent, work);
  switch (name) {
    case "count":
      return (rows) => BigInt(present(rows, read).length);
    case "count_distinct":
      return countDistinct(read, work);
    case "count_filter": {
      const wanted = literals(args[1]!);
      return (rows) => BigInt(rows.filter((row) => wanted.some((literal) => equals(read(row), literal))).length);
    }
    case "sum":
      return (rows) => sum(numbers(rows, read));
    case "avg":
      return (rows) => mean(numbers(rows, read));
    case "min":
    case "max":
      return (rows) => extreme(present(rows, read), name);
    case "spread":
      return (rows) => {
        const values = numbers(rows, read);
        return arithmetic("-", extreme(values, "max"), extreme(values, "min"));
      };
    case "stddev":
      return (rows) => deviation(numbers(rows, read));
    case "mode":
      return (rows) => mode(present(rows, read), work);
    case "first":
      return (rows) => chosenValue(firstOrLastRow(name, rows, read), read);
    case "last":
    case "last_row":
      return (rows) => chosenValue(firstOrLastRow(name, rows, read), read);
  }
  throw new DqlError(reasonText("unknownFunction", name));
}

/** Returns the row that the aggregate function first() or last() chooses. */
export function firstOrLastRow(name: string, rows: readonly Row[], read: Reader): Row | undefined {
  return name === "first" ? rows.find((row) => read(row) !== null) : rows.findLast((row) => read(row) !== null);
}

function chosenValue(row: Row | undefined, read: Reader): DqlValue {
  return row === undefined ? null : read(row);
}

function countDistinct(read: Reader, work: StepBudget): GroupReader {
  return (rows) => BigInt(distinct(present(rows, read), work).length);
}

/**
 * Returns the values of a list of literals, such as `[1, 2]`. A list inside another list is accepted, too: `[[1, 2]]`.
 */
function literals(expr: Expr): DqlValue[] {
  if (expr.type === "list") return expr.items.flatMap(literals);
  return [expr.type === "col" ? expr.name : scalarReader<null>(expr, { column: () => () => null })(null)];
}

function present(rows: readonly Row[], read: Reader): DqlValue[] {
  return rows.map(read).filter((value) => value !== null);
}

function numbers(rows: readonly Row[], read: Reader): Numbers {
  return rows.map(read).filter(isNumber);
}
