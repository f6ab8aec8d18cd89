// Faulty engines that show whether the test queries can fail. Each engine deliberately ignores or alters one part of a
// query, such as a condition or a function.

import { type Engine, memoryEngine } from "../../../lib/dql/evaluate/engine.ts";
import { bucketsOf } from "../../../lib/dql/semantics/buckets.ts";
import type { Join, OutputColumn, ResolvedQuery } from "../../../lib/dql/semantics/resolve.ts";
import type { Expr } from "../../../lib/dql/syntax/ast.ts";
import { UTC } from "../../../lib/time/zone.ts";
import { labels, rows } from "./sample-data.ts";

/**
 * Leaves out or alters one part of a query, and returns the changed query. Returns null when the query does not have
 * this part.
 */
type Break = (query: ResolvedQuery) => ResolvedQuery | null;

const without = <Item>(list: readonly Item[], at: number): readonly Item[] => list.filter((_, place) => place !== at);

/**
 * The number of faulty engines for each kind of part that a query can have several times, such as conditions. The first
 * of these engines leaves out the first condition of each query, the second engine the second condition, and so on.
 */
const most = 6;
const eachOf = (name: string, make: (at: number) => Break): readonly (readonly [string, Break])[] =>
  Array.from({ length: most }, (_, at) => [`${name} ${at + 1}`, make(at)] as const);

/** For each aggregate function, the function that a faulty engine calls instead. */
const mistaken: Readonly<Record<string, string>> = {
  ...{ avg: "max", max: "min", min: "max", sum: "avg", count: "sum", count_distinct: "count", first: "last" },
  ...{ last: "first", last_row: "first", median: "max", stddev: "avg", spread: "max", mode: "max", top: "bottom" },
  ...{ bottom: "top", p50: "max", p75: "max", p90: "max", p95: "max", p99: "min" },
};

function withCalls(node: Expr): Expr {
  const visit = (each: unknown): unknown => {
    if (Array.isArray(each)) return each.map(visit);
    if (typeof each !== "object" || each === null) return each;
    const copy = Object.fromEntries(Object.entries(each).map(([key, value]) => [key, visit(value)]));
    if (copy.type === "call" && typeof copy.name === "string") copy.name = mistaken[copy.name] ?? copy.name;
    return copy;
  };
  return visit(node) as Expr;
}

const breaks: readonly (readonly [string, Break])[] = [
  ...eachOf(
    "without condition",
    (at) => (query) => (at < query.filter.length ? { ...query, filter: without(query.filter, at) } : null),
  ),
  ...eachOf("without key", (at) => (query) => (at < query.by.length ? { ...query, by: without(query.by, at) } : null)),
  [
    "without source",
    (query) =>
      "list" in query.source &&
      !query.source.list.some((each) => "all" in each || ("regex" in each && each.regex === ".*"))
        ? { ...query, source: { list: [{ all: true }] } }
        : null,
  ],
  ["without index", (query) => (query.index.length === 0 ? null : { ...query, index: [] })],
  ["without HAVING", (query) => (query.having === null ? null : { ...query, having: null })],
  ["without ORDER BY", (query) => (query.orderBy.length === 0 ? null : { ...query, orderBy: [] })],
  ["without SORDER BY", (query) => (query.sorderBy.length === 0 ? null : { ...query, sorderBy: [] })],
  [
    "without LIMIT",
    (query) => (query.limit === 1000 || !Number.isFinite(query.limit) ? null : { ...query, limit: 1000 }),
  ],
  ["without OFFSET", (query) => (query.offset === 0 ? null : { ...query, offset: 0 })],
  ["without SLIMIT", (query) => (query.slimit === 20 || query.slimit === null ? null : { ...query, slimit: 20 })],
  ["without SOFFSET", (query) => (query.soffset === 0 ? null : { ...query, soffset: 0 })],
  ["without buckets", (query) => (query.interval === 0 ? null : { ...query, interval: 0, rollup: null })],
  ["without rollup", (query) => (query.rollup === null ? null : { ...query, rollup: null })],
  ["without zone", ofUtc],
  ["without FILTER", (query) => (query.match === null ? null : { ...query, match: null })],
  ["without LINK", (query) => (query.link === null ? null : { ...query, link: null })],
  [
    "without fill",
    (query) =>
      broken(
        query,
        ({ fill }) => fill !== null,
        (column) => ({ ...column, fill: null }),
      ),
  ],
  [
    "another aggregate",
    (query) =>
      broken(
        query,
        ({ expr }) => JSON.stringify(withCalls(expr), digits) !== JSON.stringify(expr, digits),
        (column) => ({ ...column, expr: withCalls(column.expr) }),
      ),
  ],
];

function ofUtc(query: ResolvedQuery): ResolvedQuery | null {
  const { interval, range, buckets } = query;
  if (interval === 0) return null;
  const utc = bucketsOf({ ms: interval, months: 0 }, range, UTC);
  return JSON.stringify(utc) === JSON.stringify(buckets) ? null : { ...query, buckets: utc };
}

const digits = (_: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value);

function broken(
  query: ResolvedQuery,
  has: (column: OutputColumn) => boolean,
  change: (column: OutputColumn) => OutputColumn,
): ResolvedQuery | null {
  if (!query.columns.some(has)) return null;
  return { ...query, columns: query.columns.map((column) => (has(column) ? change(column) : column)) };
}

/**
 * Returns a function that applies the fault `change` to a query and to all queries inside this query. In the result of
 * this function, `did` is true when the fault has changed at least one of the queries.
 */
function everywhere(change: Break): (query: ResolvedQuery) => { readonly query: ResolvedQuery; readonly did: boolean } {
  const visit = (query: ResolvedQuery): { query: ResolvedQuery; did: boolean } => {
    const own = change(query);
    let did = own !== null;
    const inner = (of: ResolvedQuery): ResolvedQuery => {
      const made = visit(of);
      did ||= made.did;
      return made.query;
    };
    const joined = (join: Join | null): Join | null => (join === null ? null : { ...join, query: inner(join.query) });
    const made = own ?? query;
    const source = "sub" in made.source ? { sub: inner(made.source.sub) } : made.source;
    return { query: { ...made, source, match: joined(made.match), link: joined(made.link) }, did };
  };
  return visit;
}

export interface Audit {
  /** Name of the fault of the faulty engine, such as "without LIMIT". */
  readonly name: string;
  readonly engine: Engine;
  /**
   * Returns whether the query, or a query inside of it, has the part that the faulty engine ignores or alters. If not,
   * the engine answers the query correctly.
   */
  readonly breaks: (query: ResolvedQuery) => boolean;
}

export const sampleEngine: Engine = memoryEngine(
  (category) => rows[category] ?? [],
  (category) => (category === "object" ? labels : []),
);

/** Faulty engines over the sample data. Each of them has one fault. */
export const audits: readonly Audit[] = breaks.map(([name, change]) => {
  const visit = everywhere(change);
  const engine: Engine = {
    ...sampleEngine,
    answer: (query, scope) => sampleEngine.answer(visit(query).query, scope),
  };
  return { name, engine, breaks: (query) => visit(query).did };
});

/** An engine with two faults: it has no points, and it does not know the labels of the first object. */
export const withoutPoints: Engine = memoryEngine(
  () => [],
  (category) => (category === "object" ? labels.slice(1) : []),
);
