// Writes SQL that computes the groups and aggregates of a query. Returns null when the database would not give
// the same answer as a computation from rows; JavaScript then computes the answer from rows.

import { isOutputOfAll } from "../evaluate/order.ts";
import type { OutputSeries } from "../evaluate/series.ts";
import { hasAggregate, percentOfCall } from "../semantics/arguments.ts";
import type { BucketRun } from "../semantics/buckets.ts";
import { functionOf } from "../semantics/functions.ts";
import type { ResolvedQuery } from "../semantics/resolve.ts";
import { countSteps, type StepBudget } from "../semantics/step-budget.ts";
import { outerCalls, shapeOf, valueColumns } from "../semantics/targets.ts";
import type { Call, Expr, Sort } from "../syntax/ast.ts";
import { textOf } from "../syntax/text.ts";
import { type Catalog, fixed } from "./catalog.ts";
import { type Fragment, raw, sql } from "./fragment.ts";
import { type FirstGroups, seriesOfRows } from "./group-rows.ts";
import { type FirstOrLast, groupsSql } from "./group-statement.ts";
import { onlyName, type ResultRow } from "./rows.ts";
import { selectionOf } from "./source.ts";
import { isSystem, isWholeColumn, keySql, numberSql, plainColumn, storedKeySql } from "./value.ts";

export interface AggregatePlan {
  readonly statement: Fragment;
  /**
   * Makes series from the rows that the database returns. Returns null when a BY key is missing in one group and
   * is the empty string in another group. For a query these two values are equal, so the caller has to group
   * again, by strings.
   */
  readonly series: (rows: readonly ResultRow[], work: StepBudget) => OutputSeries[] | null;
  /** Returns the number of points in all groups together; 0 for metrics. */
  readonly total: (rows: readonly ResultRow[], work: StepBudget) => number;
}

/**
 * Whether the database groups by the stored values of keys, which is faster, or by the strings of these values. Only
 * strings put a missing key and the empty string into one group.
 */
export type GroupedBy = "values" | "texts";

export function aggregatePlan(query: ResolvedQuery, catalog: Catalog, by: GroupedBy = "values"): AggregatePlan | null {
  if (shapeOf(query) !== "aggregate" || query.rollup !== null) return null;
  const selection = selectionOf(query, catalog);
  if (!selection.exact || !readsOutputOnly(query)) return null;
  const keys = query.by.map(({ expr }) => (by === "values" ? storedKeySql : keySql)(expr, query, catalog));
  if (!keys.every((key) => key !== null)) return null;
  const columns = valueColumns(query);
  const calls = new Map<string, Fragment | FirstOrLast>();
  for (const { expr } of columns) {
    if (!isComputed(expr)) return null;
    for (const call of aggregateCalls(expr)) {
      const made = callSql(call, query, catalog);
      if (made === null) return null;
      calls.set(textOf(call), made);
    }
  }
  const isMetric = query.namespace.category === "metric";
  const single = singleChoice(columns);
  const time = single === null ? null : timeSql(single, query, catalog);
  if (single !== null && time === null) return null;
  const name = isMetric ? onlyName(query) : null;
  const groups = [
    ...(name === undefined ? [raw(fixed.name)] : []),
    ...keys,
    ...(query.interval === 0 ? [] : [bucketSql(query, catalog)]),
  ];
  // For all categories except metrics, the answer shows the number of points, so the database counts the points.
  // For metrics, the database counts them only when there is a single group, to find out whether this group is
  // empty.
  const hasCount = !isMetric || groups.length === 0;
  const shape = {
    ...{ name, calls: [...calls.keys()], hasTime: time !== null, hasCount },
    first: firstGroups(query, [...calls.keys()]),
  };
  const values = [...calls.values(), ...(time === null ? [] : [time]), ...(hasCount ? [raw("count(*)")] : [])];
  return {
    statement: groupsSql({ from: selection.from, groups, values }, catalog.dialect),
    series: (rows, work) => seriesOfRows(query, rows, shape, work),
    total: (rows, work) => (isMetric ? 0 : totalOf(rows, work)),
  };
}

/**
 * Some queries show only the first groups in the order of a single aggregate, such as a list of the largest
 * groups (SORDER BY with SLIMIT). For such a query, returns which groups the answer shows, and series are made
 * only of these groups. Returns null for a query that needs all groups.
 */
function firstGroups(query: ResolvedQuery, calls: readonly string[]): FirstGroups | null {
  const { by, having, link, interval, slimit, soffset, isDefaultSlimit, sorderBy } = query;
  const [sort] = sorderBy;
  if (sort === undefined || sorderBy.length > 1 || slimit === null || isDefaultSlimit) return null;
  if (having !== null || link !== null || interval !== 0) return null;
  const { expr, dir } = sort;
  const named = valueColumns(query).filter(
    (column) => textOf(column.expr) === textOf(expr) || (expr.type === "col" && column.name === expr.name),
  );
  const [column] = named;
  if (column === undefined || named.length > 1 || column.fill !== null) return null;
  if (by.some(({ name }) => expr.type === "col" && name === expr.name)) return null;
  const call = calls.indexOf(textOf(column.expr));
  // A spread (maximum minus minimum) cannot decide which groups are first. A spread that exceeds 64 bits is
  // converted to a float only later, when the series are made, and floats may sort differently.
  return call < 0 || /^spread\(/.test(calls[call]!) ? null : { call, dir, count: soffset + slimit };
}

function totalOf(rows: readonly ResultRow[], work: StepBudget): number {
  let total = 0;
  for (const row of countSteps(rows, work)) total += Number(row[row.length - 1]);
  return total;
}

/**
 * Returns whether HAVING, ORDER BY and SORDER BY read only output columns. If they read anything else, JavaScript
 * computes the query from rows.
 */
function readsOutputOnly(query: ResolvedQuery): boolean {
  const known = new Set(valueColumns(query).flatMap(({ name, expr }) => [name, textOf(expr)]));
  for (const { name } of query.by) known.add(name);
  const isKnown = (node: unknown): boolean => {
    if (typeof node !== "object" || node === null) return true;
    const expr = node as Expr;
    if (Array.isArray(node)) return node.every(isKnown);
    if (typeof expr.type === "string" && expr.type !== "str" && expr.type !== "num" && known.has(textOf(expr)))
      return true;
    if (expr.type === "col") return expr.name === "time" || /^#[0-9]+$/.test(expr.name);
    if (expr.type === "call" && functionOf(expr.name)?.kind === "aggregate") return false;
    // Only the left side of a comparison is checked here, because the right side is a literal, which reads no
    // column.
    if (
      expr.type === "in" ||
      (expr.type === "bin" && !"+-*/%^".includes(expr.op) && expr.op !== "and" && expr.op !== "or")
    )
      return isKnown(expr.l);
    return Object.values(node).every(isKnown);
  };
  // To order series by an aggregate, all rows of each series are needed. The database returns only one value for each
  // time bucket, so JavaScript computes such a query from rows.
  const isOfRows = ({ expr }: Sort) =>
    expr.type === "call" && functionOf(expr.name)?.kind === "aggregate" && !isOutputOfAll(query, expr);
  if (query.sorderBy.some(isOfRows)) return false;
  const linked = query.link?.pairs.map(({ own }) => own);
  return isKnown([query.having, linked, query.orderBy.map(({ expr }) => expr), query.sorderBy.map(({ expr }) => expr)]);
}

/**
 * Returns whether the database can compute the expression. The database can compute aggregates and literals, and use
 * them in arithmetic and in scalar functions. A plain column is left to JavaScript, because it means the value in the
 * newest row.
 */
function isComputed(expr: Expr): boolean {
  switch (expr.type) {
    case "num":
      return true;
    case "call":
      return functionOf(expr.name)?.kind === "aggregate" || (hasAggregate(expr) && expr.args.every(isComputed));
    case "bin":
      return isComputed(expr.l) && isComputed(expr.r);
    case "unary":
    case "paren":
      return isComputed(expr.e);
    default:
      return false;
  }
}

function aggregateCalls(expr: Expr): Call[] {
  return outerCalls(expr).flatMap((call) =>
    functionOf(call.name)?.kind === "aggregate" ? [call] : call.args.flatMap(aggregateCalls),
  );
}

/** Returns SQL that computes the index of the time bucket to which a row belongs. */
function bucketSql({ buckets }: ResolvedQuery, { dialect }: Catalog): Fragment {
  const of = ({ from, width, count, index }: BucketRun): Fragment => {
    if (count === 1) return raw(String(index));
    const place = dialect.quotient(raw(`(${fixed.time} - (${ns(from)}))`), ns(width));
    const all = index === 0 ? place : sql`(${place} + ${raw(String(index))})`;
    return Number.isFinite(count) ? sql`least(${all}, ${raw(String(index + count - 1))})` : all;
  };
  // The nested CASE expressions form a binary tree of the buckets' bounds, so that each row is compared with few
  // bounds.
  const among = (runs: readonly BucketRun[]): Fragment => {
    if (runs.length === 1) return of(runs[0]!);
    const half = runs.length >> 1;
    const bound = raw(`${fixed.time} < ${ns(runs[half]!.from)}`);
    return sql`CASE WHEN ${bound} THEN ${among(runs.slice(0, half))} ELSE ${among(runs.slice(half))} END`;
  };
  return among(buckets);
}

function ns(ms: number): bigint {
  return BigInt(ms) * 1_000_000n;
}

function callSql(call: Call, query: ResolvedQuery, catalog: Catalog): Fragment | FirstOrLast | null {
  const { name, args } = call;
  const { dialect } = catalog;
  const [first] = args as readonly [Expr];
  if (name === "count" && first.type === "star") return raw("count(*)");
  const isDistinct = name === "count" && first.type === "call" && first.name === "distinct";
  const counted = plainColumn(isDistinct ? first.args[0]! : first, query, catalog);
  if (name === "count_distinct" || isDistinct)
    return isSystem(isDistinct ? first.args[0]! : first) || counted === null ? null : dialect.countDistinct(counted);
  if (name === "count") return counted === null ? null : sql`count(${counted})`;
  if (name === "first" || name === "last" || name === "last_row") {
    if (counted === null || isSystem(first)) return null;
    return { choice: name === "first" ? "first" : "last", value: counted };
  }
  const number = numberSql(first, query, catalog);
  if (number === null) return null;
  const percent = percentOfCall(call);
  if (percent !== undefined) return dialect.percentile(number, percent / 100);
  const isWhole = isWholeColumn(first, query, catalog);
  switch (name) {
    case "sum":
      return dialect.sum(number, isWhole);
    case "avg":
      return dialect.average(number, isWhole);
    case "min":
    case "max":
      return sql`${raw(name)}(${number})`;
    case "spread":
      // The difference of two 64-bit integers may exceed 64 bits, so it is computed with 128 bits.
      return isWhole
        ? sql`${dialect.wide(sql`max(${number})`)} - ${dialect.wide(sql`min(${number})`)}`
        : sql`max(${number}) - min(${number})`;
    case "stddev":
      return dialect.deviation(number);
    default:
      return null;
  }
}

/**
 * Returns the call of first() or last() when this call is the only target (output column), else null. The output
 * row of such a query has the time of the point that the call chooses.
 */
function singleChoice(columns: ReturnType<typeof valueColumns>): Call | null {
  const [only] = columns;
  const call = columns.length === 1 && only!.expr.type === "call" ? only!.expr : null;
  return call !== null && /^(?:first|last|last_row)$/.test(call.name) ? call : null;
}

function timeSql({ name, args }: Call, query: ResolvedQuery, catalog: Catalog): Fragment | null {
  const column = plainColumn(args[0]!, query, catalog);
  if (column === null) return null;
  return catalog.dialect.chosenTime(name === "first" ? "first" : "last", column, raw(fixed.time));
}
