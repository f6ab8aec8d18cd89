// Groups and their aggregates in SQL, where that answers the same as computing them from rows; else null.

import type { Call, Expr } from "../ast.ts";
import { percentOfCall } from "../check.ts";
import { hasAggregate } from "../evaluate/aggregate.ts";
import { scalarReader } from "../evaluate/scalar.ts";
import type { OutputRow, OutputSeries } from "../evaluate/series.ts";
import { shapeOf, valueColumns } from "../evaluate/targets.ts";
import { arithmetic, type DqlValue, textOfValue, whole } from "../evaluate/value.ts";
import { functionOf } from "../functions.ts";
import { outerCalls, type ResolvedQuery } from "../resolve.ts";
import { textOf } from "../text.ts";
import { type Catalog, fixed } from "./catalog.ts";
import { type Fragment, joined, raw, sql } from "./fragment.ts";
import type { ResultRow } from "./rows.ts";
import { selectionOf } from "./source.ts";
import { isSystem, isWholeColumn, keySql, numberSql, plainColumn } from "./value.ts";

export interface AggregatePlan {
  readonly statement: Fragment;
  /** What the rows of the statement's answer mean. */
  readonly series: (rows: readonly ResultRow[]) => OutputSeries[];
  /** Points that all groups together were made of. */
  readonly total: (rows: readonly ResultRow[]) => number;
}

export function aggregatePlan(query: ResolvedQuery, catalog: Catalog): AggregatePlan | null {
  if (shapeOf(query) !== "aggregate" || query.rollup !== null) return null;
  const selection = selectionOf(query, catalog);
  if (!selection.exact || !readsOutputOnly(query)) return null;
  const keys = query.by.map(({ expr }) => keySql(expr, query, catalog));
  if (!keys.every((key) => key !== null)) return null;
  const columns = valueColumns(query);
  const calls = new Map<string, Fragment>();
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
  const groups = [
    ...(isMetric ? [raw(fixed.name)] : []),
    ...keys,
    ...(query.interval === 0 ? [] : [bucketSql(query, catalog)]),
  ];
  const values = [...calls.values(), ...(time === null ? [] : [time]), raw("count(*)")];
  const group = groups.length === 0 ? raw("") : raw(` GROUP BY ${groups.map((_, at) => at + 1).join(", ")}`);
  const statement = sql`SELECT ${joined([...groups, ...values], ", ")} ${selection.from}${group}`;
  const names = [...calls.keys()];
  return {
    statement,
    series: (rows) => seriesOfRows(query, rows, names, time !== null),
    total: (rows) => rows.reduce((sum, row) => sum + Number(row[row.length - 1]), 0),
  };
}

/** HAVING and orders that ask for more than the output columns are computed from rows. */
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
    // The right side of a comparison is a literal.
    if (
      expr.type === "in" ||
      (expr.type === "bin" && !"+-*/%^".includes(expr.op) && expr.op !== "and" && expr.op !== "or")
    )
      return isKnown(expr.l);
    return Object.values(node).every(isKnown);
  };
  const linked = query.link?.pairs.map(({ own }) => own);
  return isKnown([query.having, linked, query.orderBy.map(({ expr }) => expr), query.sorderBy.map(({ expr }) => expr)]);
}

/** Aggregates, literals, arithmetic and scalar functions of them; a plain column is that of the newest row. */
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

/** Its start in ms. */
function bucketSql({ interval, shift }: ResolvedQuery, { dialect }: Catalog): Fragment {
  const [width, moved] = [BigInt(interval) * 1_000_000n, BigInt(shift) * 1_000_000n];
  return dialect.quotient(raw(`(${fixed.time} - ((${fixed.time} - (${moved})) % ${width}))`), 1_000_000n);
}

function callSql(call: Call, query: ResolvedQuery, catalog: Catalog): Fragment | null {
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
    // The later of two of the same time is the one that arrived later.
    return dialect.chosen(name === "first" ? "first" : "last", counted, [raw(fixed.time), raw(fixed.sequence)]);
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
      // The difference of two whole numbers may exceed 64 bits.
      return isWhole
        ? sql`${dialect.wide(sql`max(${number})`)} - ${dialect.wide(sql`min(${number})`)}`
        : sql`max(${number}) - min(${number})`;
    case "stddev":
      return dialect.deviation(number);
    default:
      return null;
  }
}

/** The call of a target list that is a single first() or last(): its time is that of the point. */
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

function seriesOfRows(
  query: ResolvedQuery,
  rows: readonly ResultRow[],
  calls: readonly string[],
  hasTime: boolean,
): OutputSeries[] {
  const isMetric = query.namespace.category === "metric";
  const columns = valueColumns(query);
  const places = new Map(calls.map((text, at): [string, number] => [text, at]));
  const reads = columns.map(({ expr }) => computedReader(expr, places));
  const spreads = calls.flatMap((text, at) => (text.startsWith("spread(") ? [at] : []));
  const groups = new Map<
    string,
    { readonly name: string | null; readonly tags: OutputSeries["tags"]; readonly output: OutputRow[] }
  >();
  const width = (isMetric ? 1 : 0) + query.by.length;
  for (const row of rows) {
    const values = row.slice(width + (query.interval === 0 ? 0 : 1)).map(plain);
    // A group of no rows is that of a question without keys.
    if (values[values.length - 1] === 0n) continue;
    // What exceeds 64 bits is a float.
    for (const at of spreads) values[at] = arithmetic("+", values[at]!, 0n);
    const key = JSON.stringify(row.slice(0, width));
    let group = groups.get(key);
    if (group === undefined) {
      const texts = row.slice(width - query.by.length, width).map((value) => textOfValue(plain(value)));
      const tags = query.by.map(({ name }, at): [string, string] => [name, texts[at]!]);
      group = {
        name: isMetric ? (row[0] as string) : null,
        tags: query.by.length === 0 ? null : new Map(tags),
        output: [],
      };
      groups.set(key, group);
    }
    const output = reads.map((read) => read(values));
    if (isMetric && output.every((value) => value === null)) continue;
    group.output.push({
      time: timeOf(query, row, width, hasTime ? values[calls.length]! : null),
      values: output,
      rows: [],
    });
  }
  return [...groups.values()].map(({ name, tags, output }) => ({
    name,
    tags,
    columns: columns.map((column) => column.name),
    output: output.sort((a, b) => (b.time ?? 0) - (a.time ?? 0)),
    rows: [],
  }));
}

function timeOf(query: ResolvedQuery, row: ResultRow, width: number, chosen: DqlValue): number | null {
  if (query.interval > 0) return Number(row[width]);
  if (chosen !== null) return Number((chosen as bigint) / 1_000_000n);
  return query.namespace.category === "metric" ? query.range.start : null;
}

function plain(value: unknown): DqlValue {
  return typeof value === "bigint" ? whole(value) : ((value ?? null) as DqlValue);
}

/** The target over one row of the answer, its aggregates read from their places. */
function computedReader(expr: Expr, places: ReadonlyMap<string, number>): (values: readonly DqlValue[]) => DqlValue {
  const rewritten = (node: Expr): Expr => {
    if (places.has(textOf(node))) return { type: "col", name: textOf(node), at: node.at };
    switch (node.type) {
      case "call":
        return { ...node, args: node.args.map(rewritten) };
      case "bin":
        return { ...node, l: rewritten(node.l), r: rewritten(node.r) };
      case "unary":
      case "paren":
        return { ...node, e: rewritten(node.e) };
      default:
        return node;
    }
  };
  return scalarReader<readonly DqlValue[]>(rewritten(expr), {
    column: (name) => (values) => values[places.get(name)!] ?? null,
  });
}
