// Reads the clauses FILTER and LINK, which combine a query with another query
// (docs/reference/query.md#two-statements-in-one). Finds which columns of the query must be equal to which
// columns of the other query's answer.

import type { Expr, JoinClause, Query, Target } from "../syntax/ast.ts";
import { DqlError } from "../syntax/errors.ts";
import { reasonText } from "../syntax/reasons.ts";
import { nameOf } from "../syntax/text.ts";
import { hasAggregate } from "./arguments.ts";
import { functionOf } from "./functions.ts";

export interface JoinPair {
  /**
   * A column of the query that contains the FILTER or LINK clause. For LINK, it is a column of the answer, or of
   * the rows from which the answer is computed. For FILTER, it is an expression over a stored point.
   */
  readonly own: Expr;
  /**
   * Name of a column or tag in the answer of the other query (the query inside the FILTER or LINK clause). Its value
   * must equal the value of `own`.
   */
  readonly other: string;
}

const maxPairs = 8;

/**
 * Returns the pairs of columns that must all be equal; there is at least one pair. `select` is the list of
 * targets (output columns) of the query that has the FILTER or LINK clause. Throws DqlError for a clause without
 * valid pairs.
 */
export function pairsOf({ type, query, on }: JoinClause, select: Query["select"]): readonly JoinPair[] {
  const clause = type === "link" ? "LINK" : "FILTER";
  const pairs = on.conds.flatMap((each) => pairsIn(each, clause));
  if (pairs.length === 0 || pairs.length > maxPairs) throw notPairs(clause);
  for (const { other } of pairs)
    if (!mayHave(query, other)) throw new DqlError(reasonText("noJoinColumn", clause, other));
  return type === "link" ? pairs : pairs.map(({ own, other }) => ({ own: ofPoints(own, select), other }));
}

function notPairs(clause: string): DqlError {
  return new DqlError(reasonText("joinPairs", clause, maxPairs));
}

function pairsIn(expr: Expr, clause: string): JoinPair[] {
  if (expr.type === "paren") return pairsIn(expr.e, clause);
  if (expr.type === "bin" && expr.op === "and") return [...pairsIn(expr.l, clause), ...pairsIn(expr.r, clause)];
  if (expr.type !== "bin" || expr.op !== "=" || expr.l.type !== "col" || expr.r.type !== "col") throw notPairs(clause);
  return [{ own: expr.l, other: expr.r.name }];
}

/**
 * Returns whether the answer of the other query may have a column with the given name. When the other query asks
 * for all columns, their names are known only after it was answered, so any name is accepted.
 */
function mayHave({ select, tail }: Query, name: string): boolean {
  const isAll = select === null || select.length === 0 || select.some(({ expr }) => expr.type === "star");
  if (isAll || name === "time" || tail.some(({ type }) => type === "link")) return true;
  const by = tail.find((clause) => clause.type === "by")?.list ?? [];
  return [...select, ...by].some((target) => names(target).includes(name));
}

/**
 * Returns the names of the columns that a target (output expression) makes. Only distinct_by_collapse() makes
 * several.
 */
function names(target: Target): readonly string[] {
  const { expr } = target;
  if (expr.type !== "call" || expr.name !== "distinct_by_collapse") return [nameOf(target)];
  const more = expr.args.flatMap((arg) => (arg.type === "named" && arg.value.type === "list" ? arg.value.items : []));
  return [
    nameOf(target),
    ...more.flatMap((each) => (each.type === "col" ? [each.name] : each.type === "str" ? [each.value] : [])),
  ];
}

/**
 * Replaces an alias by the expression that it names. Throws DqlError when the expression is computed from groups of
 * rows, because FILTER is applied before rows are grouped.
 */
function ofPoints(own: Expr, select: Query["select"]): Expr {
  if (own.type !== "col") return own;
  const named = (select ?? []).find(({ alias }) => alias === own.name)?.expr;
  if (named === undefined) return own;
  const kind = named.type === "call" ? functionOf(named.name)?.kind : undefined;
  if (hasAggregate(named) || kind === "rows" || kind === "transform" || kind === "fill")
    throw new DqlError(reasonText("filterComputed", own.name));
  return named;
}
