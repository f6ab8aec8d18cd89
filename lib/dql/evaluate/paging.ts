// Implements paging with `search_after` over raw rows of all categories except metrics
// (docs/reference/query.md#requests).

import type { ResolvedQuery } from "../semantics/resolve.ts";
import { type StepBudget, unlimited } from "../semantics/step-budget.ts";
import { shapeOf, valueColumns } from "../semantics/targets.ts";
import type { Expr } from "../syntax/ast.ts";
import { DqlError } from "../syntax/errors.ts";
import { reasonText } from "../syntax/reasons.ts";
import { textOf } from "../syntax/text.ts";
import { columnsOf } from "./base-rows.ts";
import type { Row } from "./row.ts";
import { scalarReader } from "./scalar.ts";
import { compareValues, type DqlValue, isNumber, numberIn, textOfValue } from "./values/value.ts";

interface Key {
  readonly read: (row: Row) => DqlValue;
  readonly dir: "asc" | "desc";
}

export function isPaged(query: ResolvedQuery): boolean {
  const { namespace, by, interval, searchAfter } = query;
  return (
    searchAfter !== null &&
    namespace.category !== "metric" &&
    by.length === 0 &&
    interval === 0 &&
    shapeOf(query) === "raw"
  );
}

/**
 * Returns the keys by which the rows of an answer are sorted: first the keys of ORDER BY, then time, nanoseconds and id
 * with the newest first.
 */
function keysOf(query: ResolvedQuery, work: StepBudget): Key[] {
  const column = columnsOf(query, work);
  const own = query.orderBy.map(
    ({ expr, dir }): Key => ({ read: scalarReader(ofColumns(query, expr), { column }), dir }),
  );
  const hasTime = query.orderBy.length > 0 && textOf(query.orderBy[0]!.expr) === "time";
  const rest = [...(hasTime ? [] : ["time"]), "date_ns", "__docid"];
  return [...own, ...rest.map((name): Key => ({ read: column(name), dir: "desc" }))];
}

/**
 * In ORDER BY, an expression may stand for an output column (by name, number or equal expression). Returns the
 * expression of this column, or the given expression unchanged when it does not stand for an output column.
 */
export function ofColumns(query: ResolvedQuery, expr: Expr): Expr {
  if (expr.type !== "col") return expr;
  const columns = valueColumns(query);
  const number = /^#([0-9]+)$/.exec(expr.name)?.[1];
  const named =
    columns.find(({ name }) => name === expr.name) ??
    columns.find((each) => textOf(each.expr) === expr.name) ??
    (number === undefined ? undefined : columns[Number(number) - 1]);
  return named?.expr ?? expr;
}

/**
 * Returns the rows that come after the last row of the previous page. The given rows and the returned rows are
 * sorted with the oldest first.
 */
export function pageAfter(query: ResolvedQuery, rows: readonly Row[], work: StepBudget): readonly Row[] {
  const { searchAfter } = query;
  if (!isPaged(query) || searchAfter === null || searchAfter.length === 0) return rows;
  const keys = keysOf(query, work);
  // Older clients send paging keys without nanoseconds. Such a key is compared with the rows' sort keys without
  // the nanoseconds.
  const compared = searchAfter.length === keys.length - 1 ? keys.filter((_, at) => at !== keys.length - 2) : keys;
  if (searchAfter.length !== compared.length) throw new DqlError(reasonText("searchAfter"));
  const after = searchAfter.map(dqlValue);
  return rows.filter((row) => {
    for (const [at, { read, dir }] of compared.entries()) {
      const [own, bound] = sameKind(present(read(row)), after[at]!);
      if (own === null || bound === null) {
        if (own !== bound) return own === null;
        continue;
      }
      const order = compareValues(own, bound);
      if (order !== 0) return dir === "asc" ? order > 0 : order < 0;
    }
    return false;
  });
}

/**
 * Returns null for NaN, because NaN is sorted like a missing value: both come last. Returns any other value unchanged.
 */
function present(value: DqlValue): DqlValue {
  return Number.isNaN(value) ? null : value;
}

/**
 * Converts a value of the paging key to the type of the row's value: a string becomes a number when the row has a
 * number.
 */
function sameKind(own: DqlValue, bound: DqlValue): readonly [DqlValue, DqlValue] {
  return isNumber(own) && typeof bound === "string" ? [own, numberOfKey(bound)] : [own, bound];
}

/**
 * Converts a string of a paging key that stands for a number, such as `12` or `-inf`, to this number. Returns
 * any other string unchanged.
 */
export function numberOfKey(text: string): DqlValue {
  if (text === "inf") return Number.POSITIVE_INFINITY;
  return text === "-inf" ? Number.NEGATIVE_INFINITY : (numberIn(text) ?? text);
}

/**
 * Returns a value as JSON that every client can send back unchanged. A whole number that does not fit a double
 * becomes a string. Lists and bytes also become strings, and are compared as these strings.
 */
function keyValue(value: DqlValue): DqlValue {
  if (typeof value === "bigint") return value === BigInt.asIntN(54, value) ? value : String(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : value > 0 ? "inf" : value < 0 ? "-inf" : null;
  return value === null || typeof value === "boolean" ? value : textOfValue(value);
}

function dqlValue(value: unknown): DqlValue {
  if (value === null || typeof value === "string" || typeof value === "boolean" || typeof value === "bigint")
    return value;
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  throw new DqlError(reasonText("searchAfter"));
}

/** Returns the paging key of the last row of a page; for an empty page, returns the paging key of the request. */
export function pageKey(query: ResolvedQuery, last: Row | undefined): readonly unknown[] | null {
  if (!isPaged(query)) return null;
  return last === undefined ? query.searchAfter : keysOf(query, unlimited).map(({ read }) => keyValue(read(last)));
}
