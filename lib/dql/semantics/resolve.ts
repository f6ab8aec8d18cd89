// Turns a statement and the other members of its request into a resolved query, in which every default is filled in
// (docs/reference/query.md). The resolved query has all facts that an engine needs: the rows to read, the time range,
// the groups, the order, and the number of rows to return.

import type { Zone } from "../../time/zone.ts";
import type { Expr, JoinClause, Query, Sort, SourceName, Statement, Tail, TimeClause } from "../syntax/ast.ts";
import { readDurationText } from "../syntax/duration-text.ts";
import { DqlError } from "../syntax/errors.ts";
import type { DqlNamespace } from "../syntax/namespaces.ts";
import { parseConditions, parseExpression } from "../syntax/parse.ts";
import { reasonText } from "../syntax/reasons.ts";
import { distinctNames, nameOf } from "../syntax/text.ts";
import { type Unquoted, unquotedValues } from "../syntax/unquoted.ts";
import { hasAggregate, numberOf } from "./arguments.ts";
import { type Buckets, bucketsOf } from "./buckets.ts";
import { checkConditions, checkedNamespace, checkQuery } from "./check.ts";
import { type JoinPair, pairsOf } from "./join.ts";
import { plainQuery, type QueryMember } from "./request.ts";
import { type Rollup, rollupOf } from "./rollup.ts";
import type { StepBudget } from "./step-budget.ts";
import { isTime, shapeOf } from "./targets.ts";
import {
  bucketWidth,
  checkRange,
  defaultZone,
  type Milliseconds,
  momentOf,
  type TimeRange,
  zoneOf,
} from "./time-range.ts";

export type Fill =
  | { readonly kind: "value"; readonly value: number | bigint | string | null }
  | { readonly kind: "linear" }
  | { readonly kind: "previous" };

export interface OutputColumn {
  readonly name: string;
  readonly expr: Expr;
  readonly fill: Fill | null;
}

export type ResolvedSource = { readonly list: readonly SourceName[] } | { readonly sub: ResolvedQuery };

/**
 * Another query (the one after FILTER or LINK), and the pairs of columns that must have equal values in the two
 * queries.
 */
export interface Join {
  readonly pairs: readonly JoinPair[];
  readonly query: ResolvedQuery;
}

/** A resolved query: a query in which every default is filled in. */
export interface ResolvedQuery {
  /** The source text of the statement. */
  readonly statement: string;
  readonly namespace: DqlNamespace;
  readonly source: ResolvedSource;
  /** Names of the indexes (groups of stored points) from which the query reads; empty means all indexes. */
  readonly index: readonly string[];
  /** Conditions of the filter; a row must meet all of them. */
  readonly filter: readonly Expr[];
  /** Names without quotes, in the filter and in HAVING, that the query reads as strings. */
  readonly unquoted: readonly Unquoted[];
  /**
   * The query inside the clause FILTER: only points that are found in its answer are kept. Null when there is no
   * such clause.
   */
  readonly match: Join | null;
  readonly range: TimeRange;
  /** Longest time range that the query may have, in nanoseconds. */
  readonly maxDuration: bigint;
  /** Width of a time bucket in milliseconds (approximate for months and years); 0 means that there are no buckets. */
  readonly interval: Milliseconds;
  /** The time buckets that divide the query's time range; empty when the query has none. */
  readonly buckets: Buckets;
  readonly rollup: Rollup | null;
  /** Output columns of the query; empty means all columns. */
  readonly columns: readonly OutputColumn[];
  readonly by: readonly OutputColumn[];
  /**
   * The query inside the clause LINK: the rows are joined with the rows of its answer. Null when there is no such
   * clause.
   */
  readonly link: Join | null;
  readonly having: Expr | null;
  /** Order of the rows in the answer; empty means newest first. */
  readonly orderBy: readonly Sort[];
  /** Order of the series; empty means sorted by the values of their tags. */
  readonly sorderBy: readonly Sort[];
  readonly limit: number;
  /**
   * Whether LIMIT has its default value; `isDefaultSlimit` says the same about SLIMIT. When a default limit cuts
   * off rows or series, the answer has a warning.
   */
  readonly isDefaultLimit: boolean;
  readonly isDefaultSlimit: boolean;
  readonly offset: number;
  /** Largest number of series in the answer; null means no limit. */
  readonly slimit: number | null;
  readonly soffset: number;
  /**
   * True when a clause limits or orders series. Raw points of metrics are then split into one series for each set of
   * tags.
   */
  readonly splitSeries: boolean;
  /** Paging key of the last row of the previous page; null means no paging. */
  readonly searchAfter: readonly unknown[] | null;
  readonly highlight: boolean;
  /** Whether the answer must say which columns are tags. */
  readonly listTags: boolean;
}

/** Options of `resolveQuery`, which fills in the defaults of a query. */
export interface ResolveOptions {
  /** Current time in milliseconds since 1970, the same for all statements of a request. */
  readonly now: Milliseconds;
  /** Length in milliseconds of the time range when a query names no start. */
  readonly defaultRangeMs?: Milliseconds;
  readonly maxLimit?: number;
  readonly maxSlimit?: number;
  /** Whether the answer is only an intermediate result, so that default limits do not apply. */
  readonly isWhole?: boolean;
  /** Counts the steps of work, and throws at the deadline of the query. */
  readonly work?: StepBudget;
}

const defaultMaxDuration = "1y";
const defaultLimit = 1000;
const defaultSlimit = 20;
const maxLimit = 100_000;
const maxSlimit = 10_000;

/**
 * Checks a statement and fills in its defaults. Throws DqlError.
 *
 * @example
 * const source = "M::cpu [1h]";
 * const query = parseStatement(source);
 * if (query.type === "query") resolveQuery(query, source, plainQuery(source), { now: Date.now() }).limit; // 1000
 */
export function resolveQuery(
  query: Query,
  source: string,
  member: QueryMember,
  options: ResolveOptions,
): ResolvedQuery {
  checkQuery(query, source);
  const maxDuration = readDurationText(member.maxDuration ?? defaultMaxDuration);
  if (maxDuration === undefined)
    throw new DqlError(reasonText("invalidDuration", "max_duration", String(member.maxDuration)));
  return new Resolver(member, source, options, maxDuration).outer(query);
}

/**
 * Resolves the inner query of an IN condition. The inner query has the time range of `outer` unless it names its own,
 * and no default limit cuts off its rows.
 */
export function resolveInner(query: Query, outer: ResolvedQuery, options: ResolveOptions): ResolvedQuery {
  const { range, maxDuration, statement } = outer;
  const member: QueryMember = { ...plainQuery(""), timeRange: [range.start, range.end] };
  return new Resolver(member, statement, options, maxDuration).inner(query);
}

class Resolver {
  private readonly member: QueryMember;
  /** The source text of the statement. */
  private readonly statement: string;
  private readonly options: ResolveOptions;
  private readonly maxDuration: bigint;

  constructor(member: QueryMember, statement: string, options: ResolveOptions, maxDuration: bigint) {
    this.member = member;
    this.statement = statement;
    this.options = options;
    this.maxDuration = maxDuration;
  }

  outer(query: Query): ResolvedQuery {
    const { member } = this;
    const { isWhole = false } = this.options;
    const resolved = this.query(query, namedTime(query), false);
    const conditions = parseConditions(member.conditions);
    checkConditions(conditions, resolved.namespace);
    const columns = resolved.columns.filter(({ expr }) => !isTime(expr));
    if (member.disableMultipleField && columns.length !== 1) throw new DqlError(reasonText("manyFields"));
    const { limit, offset, slimit, soffset, orderBy, sorderBy } = member;
    const hasSeriesMember = slimit !== null || soffset !== null;
    const asked = this.capped({
      ...resolved,
      filter: [...resolved.filter, ...conditions],
      unquoted: [...resolved.unquoted, ...unquotedValues(conditions, member.conditions)],
      ...(limit === null ? {} : { limit, isDefaultLimit: false }),
      ...(offset === null ? {} : { offset }),
      ...(soffset === null ? {} : { soffset }),
      slimit: slimit ?? resolved.slimit ?? (member.disableSlimit || isWhole ? null : defaultSlimit),
      isDefaultSlimit: slimit === null && resolved.slimit === null,
      ...(orderBy === null ? {} : { orderBy: orderBy.map(sortOf) }),
      ...(sorderBy === null ? {} : { sorderBy: sorderBy.map(sortOf) }),
      splitSeries: resolved.splitSeries || hasSeriesMember,
      searchAfter: member.searchAfter,
      highlight: member.highlight,
      listTags: member.outputFormat === "lineprotocol",
    });
    return inGroupOrder(asked);
  }

  inner(query: Query): ResolvedQuery {
    return inGroupOrder(this.query(query, null, true));
  }

  private join(clause: JoinClause | undefined, { select }: Query, time: TimeClause | null): Join | null {
    return clause === undefined
      ? null
      : { pairs: pairsOf(clause, select), query: inGroupOrder(this.query(clause.query, time, true)) };
  }

  private capped(query: ResolvedQuery): ResolvedQuery {
    const limitCap = this.options.maxLimit ?? maxLimit;
    const slimitCap = this.options.maxSlimit ?? maxSlimit;
    if (!query.isDefaultLimit && query.limit > limitCap) throw new DqlError(reasonText("limitRange", limitCap));
    if (query.slimit !== null && query.slimit > slimitCap) throw new DqlError(reasonText("limitRange", slimitCap));
    return query;
  }

  /**
   * Resolves one query. `inherited` is the time clause of the outer query. It applies when no time range is named
   * by this query or by a query in its source.
   */
  private query(query: Query, inherited: TimeClause | null, isInner: boolean): ResolvedQuery {
    const time = namedTime(query) ?? inherited;
    const own = query.filterTime.find((clause) => clause.type === "time") ?? null;
    const tail = clauses(query.tail);
    const zone = zoneFor(tail.tz?.zone ?? (isInner ? null : this.member.tz));
    const range = this.range(time, zone, isInner && namedTime(query) !== null);
    const rollup = own?.rollup ? rollupOf(own.rollup) : null;
    const width = bucketWidth(
      {
        interval: own?.interval ?? null,
        seconds: isInner ? null : this.member.interval,
        maxPoints: isInner ? null : this.member.maxPoint,
        buckets: isInner || !isOverTime(query, own) ? null : this.member.bucketCount,
        align: !isInner && this.member.alignTime,
      },
      range,
    );
    const interval = width.ms;
    if (rollup !== null && interval === 0) throw new DqlError(reasonText("rollupInterval"));
    const written = query.select ?? [];
    const select = written.some(({ expr }) => expr.type === "star") ? [] : written;
    const names = distinctNames(select.map(nameOf));
    const by = tail.by?.list ?? [];
    const { limit, offset, slimit, soffset } = tail;
    const filter = query.filterTime.flatMap((clause) => (clause.type === "filter" ? clause.conds : []));
    const having = tail.having?.expr ?? null;
    return {
      statement: this.statement,
      namespace: checkedNamespace(query),
      source:
        "sub" in query.src ? { sub: inGroupOrder(this.query(query.src.sub, time, true)) } : { list: query.src.list },
      index: query.ns?.index ?? [],
      filter,
      unquoted: unquotedValues(having === null ? filter : [...filter, having], this.statement),
      match: this.join(tail.filterwith, query, time),
      range,
      maxDuration: this.maxDuration,
      interval,
      buckets: interval === 0 ? [] : bucketsOf(width, range, zone),
      rollup,
      // A target (output column) whose alias is a key of BY is left out, because its values are already among the tags
      // of the series.
      columns: select
        .map(({ expr }, at) => ({ name: names[at]!, ...withFill(expr) }))
        .filter((_, at) => !by.some(({ expr }) => expr.type === "col" && expr.name === select[at]!.alias)),
      by: by.map((target) => ({ name: nameOf(target), expr: byExpression(target.expr, select), fill: null })),
      link: this.join(tail.link, query, time),
      having,
      orderBy: tail.orderby?.list ?? [],
      sorderBy: tail.sorderby?.list ?? [],
      // The answer of an inner query is cut only by a limit that the statement writes, not by the default limit.
      limit: limit?.n ?? (isInner || this.options.isWhole === true ? Number.POSITIVE_INFINITY : defaultLimit),
      isDefaultLimit: limit === undefined,
      isDefaultSlimit: slimit === undefined,
      offset: offset?.n ?? 0,
      slimit: slimit?.n ?? null,
      soffset: soffset?.n ?? 0,
      splitSeries: slimit !== undefined || soffset !== undefined || tail.sorderby !== undefined,
      searchAfter: null,
      highlight: false,
      listTags: false,
    };
  }

  /**
   * Returns the time range. The range of the request applies to the outermost query, and to inner queries that do
   * not name a range.
   */
  private range(time: TimeClause | null, zone: Zone, isOwn: boolean): TimeRange {
    const { now, defaultRangeMs } = this.options;
    const [start, end] = (isOwn ? null : this.member.timeRange) ?? [];
    const written = {
      start: time?.start ? momentOf(time.start, now, zone) : undefined,
      end: time?.end ? momentOf(time.end, now, zone) : undefined,
    };
    const until = start === undefined ? (written.end ?? now) : (end ?? now);
    const width = defaultRangeMs ?? Number(this.maxDuration / 1_000_000n);
    const range = { start: start ?? written.start ?? until - width, end: until };
    checkRange(range, { ns: this.maxDuration });
    return range;
  }
}

/**
 * Turns ORDER BY, LIMIT and OFFSET into SORDER BY, SLIMIT and SOFFSET when a query has groups but no time buckets,
 * because each group then has a single row. A query that is ordered by time, or that has SORDER BY already, is left
 * unchanged.
 */
function inGroupOrder(query: ResolvedQuery): ResolvedQuery {
  const { by, interval, orderBy, sorderBy, limit, offset, slimit, soffset, isDefaultLimit, isDefaultSlimit } = query;
  const isOfGroups = by.length > 0 && interval === 0 && shapeOf(query) === "aggregate" && sorderBy.length === 0;
  if (!isOfGroups || orderBy.length === 0 || isTime(orderBy[0]!.expr)) return query;
  return {
    ...query,
    orderBy: [],
    sorderBy: orderBy,
    slimit: isDefaultLimit ? slimit : isDefaultSlimit || slimit === null ? limit : Math.min(limit, slimit),
    isDefaultSlimit: isDefaultSlimit && isDefaultLimit,
    offset: 0,
    soffset: soffset + offset,
  };
}

/**
 * Returns whether a statement names the start or the end of its time range.
 *
 * @example
 * namesTimeRange(parseStatement("M::cpu:(usage) [10m]")); // true
 */
export function namesTimeRange(statement: Statement): boolean {
  return statement.type === "query" && namedTime(statement) !== null;
}

/**
 * Returns the time clause of the query if it names a start or an end. Otherwise, if the source of the query is an inner
 * query, applies the same rule to the inner query. Returns null when no such clause is found.
 */
function namedTime(query: Query): TimeClause | null {
  const own = query.filterTime.find((clause) => clause.type === "time");
  if (own !== undefined && (own.start !== null || own.end !== null)) return own;
  return "sub" in query.src ? namedTime(query.src.sub) : null;
}

/** Returns whether the query has an aggregate function or an interval. */
function isOverTime({ select }: Query, time: TimeClause | null): boolean {
  return (time !== null && time.interval !== null) || (select ?? []).some(({ expr }) => hasAggregate(expr));
}

type Clauses = { readonly [Type in Tail["type"]]?: Extract<Tail, { readonly type: Type }> };

function clauses(tail: readonly Tail[]): Clauses {
  return Object.fromEntries(tail.map((clause) => [clause.type, clause])) as Clauses;
}

function zoneFor(text: string | null): Zone {
  return text === null ? defaultZone : zoneOf(text);
}

/**
 * Returns the expression for a BY key. When the key is the alias of a target (output column), this is the
 * expression of the target; otherwise it is the key itself.
 */
function byExpression(expr: Expr, select: Query["select"]): Expr {
  if (expr.type !== "col") return expr;
  const named = (select ?? []).find(({ alias }) => alias === expr.name);
  return named?.expr ?? expr;
}

function withFill(expr: Expr): { readonly expr: Expr; readonly fill: Fill | null } {
  if (expr.type !== "call" || expr.name !== "fill") return { expr, fill: null };
  const [inner, value] = expr.args as readonly [Expr, Expr];
  return { expr: inner.type === "aliased" ? inner.expr : inner, fill: fillOf(value) };
}

function fillOf(value: Expr): Fill {
  if (value.type === "fillmode") return { kind: value.value };
  if (value.type === "str") return { kind: "value", value: value.value };
  if (value.type === "num") return { kind: "value", value: value.value };
  return { kind: "value", value: numberOf(value) ?? null };
}

function sortOf([column, direction]: readonly [string, string]): Sort {
  const dir = direction.toLowerCase();
  if (dir !== "asc" && dir !== "desc") throw new DqlError(reasonText("invalidOrder", direction));
  return { expr: columnOf(column), dir };
}

/** Reads a column in the request member `orderby`: a DQL expression, or a column name without DQL's quotes. */
function columnOf(text: string): Expr {
  try {
    return parseExpression(text);
  } catch (error) {
    if (!(error instanceof DqlError)) throw error;
    return { type: "col", name: text, at: 0 };
  }
}
