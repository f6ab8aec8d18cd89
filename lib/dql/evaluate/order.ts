// Applies HAVING, sorts rows and series, and applies their limits (docs/reference/query.md#groups-orders-pages).

import { compareText } from "../../text/utf8.ts";
import { functionOf } from "../semantics/functions.ts";
import type { ResolvedQuery } from "../semantics/resolve.ts";
import { type StepBudget, unlimited } from "../semantics/step-budget.ts";
import { valueColumns } from "../semantics/targets.ts";
import type { Expr, Sort } from "../syntax/ast.ts";
import { textOf } from "../syntax/text.ts";
import { groupReader } from "./aggregate.ts";
import { columnsOf, type EvaluationScope } from "./base-rows.ts";
import { condition } from "./condition.ts";
import { type RowOfSeries, resultExpression } from "./result-scope.ts";
import { scalarReader } from "./scalar.ts";
import type { OutputRow, OutputSeries } from "./series.ts";
import { compareValues, type DqlValue } from "./values/value.ts";

export function having(
  query: ResolvedQuery,
  series: readonly OutputSeries[],
  scope: EvaluationScope,
): readonly OutputSeries[] {
  if (query.having === null) return series;
  const { work = unlimited } = scope;
  const { expr, column } = resultExpression(query, query.having, work);
  const test = condition<RowOfSeries>(expr, { namespace: query.namespace, column, values: scope.values });
  return series.map((each) => {
    const output = each.output.filter((row) => {
      work(1);
      return test({ row, series: each });
    });
    return { ...each, output };
  });
}

/** Returns the rows of a series in the order of ORDER BY; without ORDER BY the newest row comes first. */
export function orderedRows(query: ResolvedQuery, series: OutputSeries, work: StepBudget): readonly OutputRow[] {
  if (query.orderBy.length === 0) return series.output;
  const keys = query.orderBy.map(({ expr, dir }) => {
    const { expr: rewritten, column } = resultExpression(query, expr, work);
    return { read: scalarReader<RowOfSeries>(rewritten, { column }), dir };
  });
  // The sort is stable, so rows that compare as equal stay in their order, the newest first.
  return [...series.output].sort((a, b) => {
    work(1);
    return compareBy(keys, { row: a, series }, { row: b, series });
  });
}

interface SortKey<Item> {
  readonly read: (item: Item) => DqlValue;
  readonly dir: Sort["dir"];
}

/** Compares two items by sort keys. */
function compareBy<Item>(keys: readonly SortKey<Item>[], a: Item, b: Item): number {
  for (const { read, dir } of keys) {
    const order = compareInOrder(read(a), read(b), dir);
    if (order !== 0) return order;
  }
  return 0;
}

/** Compares two values in ascending or descending order (`dir`). A missing value comes last in both orders. */
export function compareInOrder(x: DqlValue, y: DqlValue, dir: Sort["dir"]): number {
  if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1;
  const order = compareValues(x, y);
  return dir === "asc" ? order : -order;
}

/**
 * Returns the series in the order of SORDER BY; without SORDER BY, sorted by their names and the values of their tags.
 */
export function orderedSeries(
  query: ResolvedQuery,
  series: readonly OutputSeries[],
  work: StepBudget,
): readonly OutputSeries[] {
  const keys = query.sorderBy.map(
    ({ expr, dir }): SortKey<OutputSeries> => ({
      read: seriesReader(query, expr, work),
      dir,
    }),
  );
  return [...series].sort((a, b) => {
    work(1);
    return compareBy(keys, a, b) || byTags(a, b);
  });
}

function byTags(a: OutputSeries, b: OutputSeries): number {
  const name = compareText(a.name ?? "", b.name ?? "");
  if (name !== 0) return name;
  const [left, right] = [[...(a.tags?.values() ?? [])], [...(b.tags?.values() ?? [])]];
  for (const [at, value] of left.entries()) {
    const order = compareText(value, right[at] ?? "");
    if (order !== 0) return order;
  }
  return 0;
}

/**
 * Returns whether the value of an output column is the given aggregate over all rows of a series. This is so
 * when the aggregate is a column of the query and the query has no time buckets, so that each series has a
 * single row.
 */
export function isOutputOfAll(query: ResolvedQuery, expr: Expr): boolean {
  const text = textOf(expr);
  return query.interval === 0 && valueColumns(query).some((each) => each.fill === null && textOf(each.expr) === text);
}

/**
 * Returns a function that computes the sort key of a series: an aggregate over all rows of the series, or the newest
 * value of a column.
 */
function seriesReader(query: ResolvedQuery, expr: Expr, work: StepBudget): (series: OutputSeries) => DqlValue {
  if (expr.type === "call" && functionOf(expr.name)?.kind === "aggregate" && !isOutputOfAll(query, expr)) {
    const read = groupReader(expr, { column: columnsOf(query, work), work });
    return ({ rows }) => read(rows);
  }
  const { expr: rewritten, column } = resultExpression(query, expr, work);
  const read = scalarReader<RowOfSeries>(rewritten, { column });
  return (series) => {
    for (const row of series.output) {
      const value = read({ row, series });
      if (value !== null) return value;
    }
    return null;
  };
}
