// Selects the stored rows that a query reads, by namespace, source, index, time range and filter.

import { bucketOf } from "../semantics/buckets.ts";
import type { Join, ResolvedQuery } from "../semantics/resolve.ts";
import { countSteps, type StepBudget, unlimited } from "../semantics/step-budget.ts";
import type { Milliseconds } from "../semantics/time-range.ts";
import type { Expr } from "../syntax/ast.ts";
import { allOf, type ConditionScope } from "./condition.ts";
import { grouped } from "./group.ts";
import type { JoinedRows } from "./join.ts";
import { lookBackMs } from "./rollup.ts";
import { columnReader, type Reader, type Row, sourceReader } from "./row.ts";
import { scalarReader } from "./scalar.ts";
import { regexTest } from "./search/search.ts";
import type { DqlValue } from "./values/value.ts";

/** The results of other queries that a query needs for its evaluation. */
export interface EvaluationScope {
  /** Takes an inner query or a with_labels() call of the filter, and returns its values. */
  readonly values: (node: Expr) => readonly DqlValue[];
  /** Takes a FILTER or LINK clause, and returns the answer of the query in this clause. */
  readonly joined: (join: Join) => JoinedRows;
  readonly work?: StepBudget;
}

/**
 * Returns the selected rows, oldest first; rows with the same time stay in the order of their arrival. When the query
 * has a rate function, such as increase(), that needs rows from before the start of the range, the result includes
 * these rows.
 */
export function baseRows(query: ResolvedQuery, rows: Iterable<Row>, scope: EvaluationScope): Row[] {
  const { range, namespace } = query;
  const start = BigInt(firstMoment(query) - lookBackMs(query.rollup, query.interval)) * 1_000_000n;
  const end = BigInt(range.end) * 1_000_000n + 999_999n;
  const { work = unlimited } = scope;
  const inRange = [...countSteps(rows, work)].filter(({ time }) => time >= start && time <= end);
  inRange.sort(oldestFirst(work));
  const isOfSource = sourceTest(query);
  const ofSource = inRange.filter((row) => {
    work(1);
    return isOfSource(row);
  });
  const ofIndex = query.index.length === 0 ? ofSource : ofSource.filter(({ index }) => query.index.includes(index));
  const newest = namespace.rows === "all" ? ofIndex : newestOnly(query, ofIndex, work);
  const conditions: ConditionScope<Row> = { namespace, column: columnsOf(query, work), values: scope.values };
  const test = allOf(query.filter, conditions);
  const kept = newest.filter((row) => {
    work(1);
    return test(row);
  });
  return query.match === null ? kept : matched(query.match, kept, conditions, scope);
}

/**
 * Applies the clause FILTER, which contains another query and compares columns. Keeps a row when the answer of the
 * other query has a row with equal values in the compared columns.
 */
function matched(match: Join, rows: readonly Row[], conditions: ConditionScope<Row>, scope: EvaluationScope): Row[] {
  const { work = unlimited } = scope;
  const { find } = scope.joined(match);
  const reads = match.pairs.map(({ own }) => scalarReader(own, conditions));
  return rows.filter((row) => {
    work(1);
    return find(reads.map((read) => read(row))) !== undefined;
  });
}

/**
 * Returns the time from which on the query may select rows. Usually this is the start of the time range. When
 * the source is an inner query with time buckets, it may be earlier: the row of a bucket has the bucket's start
 * time, and the first bucket may begin before the range.
 */
function firstMoment({ source, range }: ResolvedQuery): Milliseconds {
  if (!("sub" in source)) return range.start;
  const { interval, buckets, range: inner } = source.sub;
  return interval > 0 && inner.start === range.start ? bucketOf(range.start, buckets) : range.start;
}

/**
 * Takes a query, and returns a function from column names to readers. A reader returns the value of its column in a
 * row. Each read counts as a step of the work budget, so that sorting, grouping and aggregating end at the deadline.
 */
export function columnsOf({ namespace }: ResolvedQuery, work: StepBudget): (name: string) => Reader {
  const readers = new Map<string, Reader>();
  return (name) => {
    let reader = readers.get(name);
    if (reader === undefined) {
      const read = columnReader(name, namespace);
      reader = (row) => {
        work(1);
        return read(row);
      };
      readers.set(name, reader);
    }
    return reader;
  };
}

function oldestFirst(work: StepBudget): (a: Row, b: Row) => number {
  return (a, b) => {
    work(1);
    if (a.time !== b.time) return a.time < b.time ? -1 : 1;
    return a.docid < b.docid ? -1 : a.docid > b.docid ? 1 : 0;
  };
}

function sourceTest({ source, namespace }: ResolvedQuery): (row: Row) => boolean {
  if ("sub" in source) return () => true;
  const read = sourceReader(namespace);
  const isWhole = namespace.category !== "metric";
  const tests = source.list.map((each): ((name: string) => boolean) => {
    if ("all" in each || ("regex" in each && each.regex === ".*")) return () => true;
    return "regex" in each ? regexTest(each.regex, isWhole) : (name) => name === each.name;
  });
  return (row) => {
    const name = read(row);
    return tests.some((test) => test(name));
  };
}

/**
 * Returns the newest state of each object. For events, returns the newest event of each monitored thing; leaves
 * out things whose newest event has the status `ok`.
 */
function newestOnly({ namespace }: ResolvedQuery, rows: readonly Row[], work: StepBudget): Row[] {
  const column = (name: string) => columnReader(name, namespace);
  const isEvent = namespace.rows === "unrecovered event";
  const [name, print, status] = [column("name"), column("df_monitor_checker_event_ref"), column("df_status")];
  const key = (row: Row) =>
    isEvent ? String(print(row) ?? row.docid) : JSON.stringify([row.name, String(name(row) ?? row.docid)]);
  const newest = [...grouped(countSteps(rows, work), key).values()].map((states) => states[states.length - 1]!);
  return (isEvent ? newest.filter((row) => (status(row) ?? column("status")(row)) !== "ok") : newest).sort(
    oldestFirst(work),
  );
}
