// Resolves names in HAVING, ORDER BY and SORDER BY (docs/reference/query.md#groups-orders-pages). A name may
// refer to an output column (by name, expression or number such as `#1`), an aggregate that is not an output
// column, a tag, a column of the stored rows from which the answer is computed, or a column that LINK added.

import { functionOf } from "../semantics/functions.ts";
import type { ResolvedQuery } from "../semantics/resolve.ts";
import type { StepBudget } from "../semantics/step-budget.ts";
import { valueColumns } from "../semantics/targets.ts";
import type { Expr } from "../syntax/ast.ts";
import { textOf } from "../syntax/text.ts";
import { type GroupReader, groupReader } from "./aggregate.ts";
import { columnsOf } from "./base-rows.ts";
import type { OutputRow, OutputSeries } from "./series.ts";
import type { DqlValue } from "./values/value.ts";

export type ResultReader = (row: OutputRow, series: OutputSeries) => DqlValue;

/** A row of an answer, with the series that contains it. */
export interface RowOfSeries {
  readonly row: OutputRow;
  readonly series: OutputSeries;
}

/**
 * Prepares an expression of HAVING, ORDER BY or SORDER BY: replaces each aggregate by a column. Returns the new
 * expression and the functions that read its columns.
 */
export function resultExpression(
  query: ResolvedQuery,
  expr: Expr,
  work: StepBudget,
): { readonly expr: Expr; readonly column: (name: string) => (placed: RowOfSeries) => DqlValue } {
  const columns = valueColumns(query);
  const byText = new Map(columns.map((column, at): [string, number] => [textOf(column.expr), at]));
  const byName = new Map(columns.map(({ name }, at): [string, number] => [name, at]));
  const extra = new Map<string, GroupReader>();
  const column = columnsOf(query, work);
  return { expr: rewritten(expr), column: (name) => reader(name) };

  function rewritten(node: Expr): Expr {
    const text = textOf(node);
    if (node.type !== "col" && byText.has(text)) return { type: "col", name: `#${byText.get(text)! + 1}`, at: node.at };
    switch (node.type) {
      case "call":
        if (functionOf(node.name)?.kind === "aggregate") {
          extra.set(text, groupReader(node, { column, work }));
          return { type: "col", name: `=${text}`, at: node.at };
        }
        return { ...node, args: node.args.map(rewritten) };
      case "bin":
        return { ...node, l: rewritten(node.l), r: isCondition(node.op) ? node.r : rewritten(node.r) };
      case "in":
        return { ...node, l: rewritten(node.l) };
      case "not":
      case "unary":
      case "paren":
        return { ...node, e: rewritten(node.e) };
      default:
        return node;
    }
  }

  function isCondition(op: string): boolean {
    return !"+-*/%^".includes(op) && op !== "and" && op !== "or";
  }

  function reader(name: string): (placed: RowOfSeries) => DqlValue {
    const number = /^#([0-9]+)$/.exec(name)?.[1];
    const at = byName.get(name) ?? byText.get(name) ?? (number === undefined ? undefined : Number(number) - 1);
    if (at !== undefined) return ({ row }) => row.values[at] ?? null;
    const aggregate = name.startsWith("=") ? extra.get(name.slice(1)) : undefined;
    if (aggregate !== undefined) return ({ row }) => aggregate(row.rows);
    if (name === "time") return ({ row }) => (row.time === null ? null : BigInt(row.time));
    const read = column(name);
    return ({ row, series }) => {
      const newest = row.rows[row.rows.length - 1];
      const own = series.tags?.get(name) ?? (newest === undefined ? null : read(newest));
      return own ?? row.linked?.values.get(name) ?? null;
    };
  }
}
