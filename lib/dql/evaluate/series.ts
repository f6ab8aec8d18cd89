// Groups rows into series and computes their columns (docs/reference/query.md#time). Later steps apply HAVING, fill(),
// ORDER BY, SORDER BY and paging.

import { compareText } from "../../text/utf8.ts";
import { numberOf, positiveInt } from "../semantics/arguments.ts";
import { bucketOf } from "../semantics/buckets.ts";
import { functionOf } from "../semantics/functions.ts";
import type { ResolvedQuery } from "../semantics/resolve.ts";
import { countSteps, type StepBudget } from "../semantics/step-budget.ts";
import {
  collapseFields,
  columnsRead,
  outerCalls,
  type QueryShape,
  shapeOf,
  valueColumns,
} from "../semantics/targets.ts";
import type { Milliseconds } from "../semantics/time-range.ts";
import type { Call } from "../syntax/ast.ts";
import { firstOrLastRow, type GroupReader, groupReader } from "./aggregate.ts";
import { columnsOf } from "./base-rows.ts";
import { columnNames } from "./columns.ts";
import { grouped, sortedTags, timelineOf } from "./group.ts";
import type { OtherRow } from "./join.ts";
import { type RollupFrame, rolledUp } from "./rollup.ts";
import type { Reader, Row } from "./row.ts";
import { scalarReader } from "./scalar.ts";
import { transformed } from "./transform.ts";
import { compareValues, type DqlValue, isNumber, textOfValue } from "./values/value.ts";

export interface OutputRow {
  /** Time of the output row in milliseconds since 1970; null when the row has no time. */
  readonly time: Milliseconds | null;
  readonly values: readonly DqlValue[];
  /** The stored rows that the output row was computed from, oldest first. */
  readonly rows: readonly Row[];
  /** The row that LINK joined to this row, from the answer of the linked query. */
  readonly linked?: OtherRow;
}

export interface OutputSeries {
  /** Name of the series: its measurement; null for categories other than metrics. */
  readonly name: string | null;
  /** Values of the BY keys, or all tags when every set of tags is a series; null for a series without tags. */
  readonly tags: ReadonlyMap<string, string> | null;
  /** Names of the columns without `time`; null when the query asks for all columns, which depend on the rows. */
  readonly columns: readonly string[] | null;
  readonly output: readonly OutputRow[];
  readonly rows: readonly Row[];
}

/**
 * Makes the series of a query. `base` holds the stored rows that the query selects, sorted with the oldest row first.
 * When the query has a rate function, such as increase(), that needs rows from before the start of the range, `base`
 * must include these rows.
 */
export function seriesOf(query: ResolvedQuery, base: readonly Row[], work: StepBudget): OutputSeries[] {
  const shape = shapeOf(query);
  const rows = rolledUpRows(query, base, work);
  const isMetric = query.namespace.category === "metric";
  const keys = query.by.map(({ expr }) => scalarReader(expr, { column: columnsOf(query, work) }));
  const isSplit = isMetric && shape === "raw" && query.by.length === 0 && query.splitSeries;
  const groups = grouped(rows, (row) => {
    work(1);
    if (isSplit) return timelineOf(row);
    if (keys.length === 0) return isMetric ? row.name : "";
    // The key of a series is a string made from the values of its BY keys. Before each value it has the length of
    // the value, so that two different lists of values always have different keys.
    let key = isMetric ? `${row.name.length} ${row.name}` : "";
    for (const read of keys) {
      const text = textOfValue(read(row));
      key += `${text.length} ${text}`;
    }
    return key;
  });
  return [...groups.values()].map((group): OutputSeries => {
    work(group.length);
    const first = group[0]!;
    const byTags = query.by.map(({ name }, at): [string, string] => [name, textOfValue(keys[at]!(first))]);
    const tags = isSplit ? new Map(sortedTags(first)) : query.by.length > 0 ? new Map(byTags) : null;
    const output = outputRows(query, shape, bucketRows(query, shape, group, work), work);
    return { name: isMetric ? first.name : null, tags, columns: columnNames(query), output, rows: group };
  });
}

function rolledUpRows(query: ResolvedQuery, base: readonly Row[], work: StepBudget): readonly Row[] {
  const { interval, buckets, rollup, range } = query;
  if (interval === 0 || rollup === null) return base;
  const byTags = query.namespace.category === "metric";
  const frame: RollupFrame = {
    rollup,
    fields: bucketFields(query, base, work),
    interval,
    buckets,
    start: range.start,
    byTags,
  };
  return rolledUp(base, frame, work).sort((a, b) => {
    work(1);
    return a.time < b.time ? -1 : a.time > b.time ? 1 : 0;
  });
}

/**
 * Reduces the rows when the query asks for plain columns in time buckets: returns one row for each bucket, with
 * the last value of each column. For metrics, returns one row for each timeline (set of tags) and bucket. For
 * every other query, returns the rows unchanged.
 */
function bucketRows(query: ResolvedQuery, shape: QueryShape, rows: readonly Row[], work: StepBudget): readonly Row[] {
  if (query.interval === 0 || query.rollup !== null || shape !== "raw") return rows;
  const isMetric = query.namespace.category === "metric";
  const fields = bucketFields(query, rows, work);
  const cells = grouped(countSteps(rows, work), (row) => {
    const bucket = String(bucketOfRow(row, query));
    return isMetric ? `${bucket} ${timelineOf(row)}` : bucket;
  });
  return [...cells.values()].map((cell) => {
    const last = cell[cell.length - 1]!;
    const values = new Map<string, DqlValue>();
    for (const [name, read] of fields) {
      const row = cell.findLast((each) => read(each) !== null);
      // A value that is a tag of its row is not copied to the fields, because the new row gets the tags anyway.
      if (row !== undefined && (row.fields.has(name) || !row.tags.has(name))) values.set(name, read(row));
    }
    const time = BigInt(bucketOfRow(last, query)) * 1_000_000n;
    return { ...last, time, tags: isMetric ? last.tags : newestTags(cell, work), fields: values };
  });
}

function newestTags(rows: readonly Row[], work: StepBudget): ReadonlyMap<string, string> {
  const newest = new Map<string, string>();
  for (const { tags } of countSteps(rows, work)) for (const [key, value] of tags) newest.set(key, value);
  return newest;
}

/**
 * Returns the columns by name, each with a function that reads the column from a row. They are the columns that
 * the query names or, when the query names no columns, all fields of the rows.
 */
function bucketFields(query: ResolvedQuery, rows: readonly Row[], work: StepBudget): ReadonlyMap<string, Reader> {
  const column = columnsOf(query, work);
  const names = query.columns.length > 0 ? columnsRead(query.columns) : fieldNames(countSteps(rows, work));
  return new Map(names.map((name): [string, Reader] => [name, column(name)]));
}

function bucketOfRow({ time }: Row, { buckets }: ResolvedQuery): Milliseconds {
  return bucketOf(Number(time / 1_000_000n), buckets);
}

function fieldNames(rows: Iterable<Row>): string[] {
  const names = new Set<string>();
  for (const { fields } of rows) for (const name of fields.keys()) names.add(name);
  return [...names];
}

function outputRows(query: ResolvedQuery, shape: QueryShape, rows: readonly Row[], work: StepBudget): OutputRow[] {
  switch (shape) {
    case "raw":
      return rawRows(query, rows, work);
    case "aggregate":
      return aggregateRows(query, rows, work);
    case "transform":
      return transformRows(query, rows, work);
    case "rows":
      return chosenRows(query, rows, work);
  }
}

const timeOf = ({ time }: Row): Milliseconds => Number(time / 1_000_000n);

/**
 * Returns raw rows, newest first. For metrics, rows with the same time are sorted by their tags, and a row that has
 * none of the named columns is dropped.
 */
function rawRows(query: ResolvedQuery, rows: readonly Row[], work: StepBudget): OutputRow[] {
  const column = columnsOf(query, work);
  const isMetric = query.namespace.category === "metric";
  const reads = valueColumns(query).map(({ expr }) => scalarReader(expr, { column }));
  const dropsEmpty = isMetric && reads.length > 0;
  return rows
    .map((row): OutputRow => ({ time: timeOf(row), values: reads.map((read) => read(row)), rows: [row] }))
    .filter(({ values }) => !dropsEmpty || values.some((value) => value !== null))
    .reverse()
    .sort((a, b) => {
      work(1);
      return b.time! - a.time! || (isMetric ? byTags(a.rows[0]!, b.rows[0]!) : 0);
    });
}

/**
 * Compares two rows by their tags, which are sorted by key: compares the first key, then the first value, then the
 * second key, and so on.
 */
function byTags(a: Row, b: Row): number {
  const [left, right] = [sortedTags(a).flat(), sortedTags(b).flat()];
  for (const [at, text] of left.entries()) {
    const order = compareText(text, right[at] ?? "");
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function aggregateRows(query: ResolvedQuery, rows: readonly Row[], work: StepBudget): OutputRow[] {
  const column = columnsOf(query, work);
  const reads = valueColumns(query).map(({ expr }) => groupReader(expr, { column, work }));
  const isMetric = query.namespace.category === "metric";
  return cellsOf(query, rows, work)
    .map(({ time, cell }): OutputRow => ({ time, values: reads.map((read) => read(cell)), rows: cell }))
    .filter(({ values }) => !isMetric || values.some((value) => value !== null));
}

/**
 * Splits rows into groups; each group becomes one output row. Returns the groups with the times of their output rows,
 * newest first.
 */
function cellsOf(
  query: ResolvedQuery,
  rows: readonly Row[],
  work: StepBudget,
): { readonly time: Milliseconds | null; readonly cell: readonly Row[] }[] {
  if (query.interval === 0) return [{ time: timeOfAll(query, rows, work), cell: rows }];
  return [...grouped(countSteps(rows, work), (row) => String(bucketOfRow(row, query)))]
    .map(([bucket, cell]) => ({ time: Number(bucket), cell }))
    .sort((a, b) => {
      work(1);
      return b.time - a.time;
    });
}

/**
 * Returns the time of an output row when there are no time buckets. When the only column is a call of first() or
 * last(), this is the time of the point that the function chose. Otherwise it is the start of the range for
 * metrics, and null for other categories.
 */
function timeOfAll(query: ResolvedQuery, rows: readonly Row[], work: StepBudget): Milliseconds | null {
  const columns = valueColumns(query);
  const [only] = columns;
  if (columns.length === 1 && only!.expr.type === "call" && /^(?:first|last|last_row)$/.test(only!.expr.name)) {
    const read = scalarReader(only!.expr.args[0]!, { column: columnsOf(query, work) });
    const row = firstOrLastRow(only!.expr.name, rows, read);
    if (row !== undefined) return timeOf(row);
  }
  return query.namespace.category === "metric" ? query.range.start : null;
}

/**
 * Computes the output rows when a column is a function over a series in the order of time, such as derivative().
 * The function is applied to the values of the points or, when the query has time buckets, to one value for each
 * bucket.
 */
function transformRows(query: ResolvedQuery, rows: readonly Row[], work: StepBudget): OutputRow[] {
  const column = columnsOf(query, work);
  const columns = valueColumns(query);
  const cells =
    query.interval === 0
      ? rows.map((row) => ({ time: timeOf(row), cell: [row] }))
      : cellsOf(query, rows, work).reverse();
  const values = columns.map(({ expr }): (DqlValue | undefined)[] => {
    const call = expr.type === "call" && functionOf(expr.name)?.kind === "transform" ? expr : undefined;
    const read: GroupReader = groupReader(call === undefined ? expr : call.args[0]!, { column, work });
    const plain = cells.map(({ cell }) => read(cell));
    if (call === undefined) return plain;
    const found = new Array<DqlValue | undefined>(cells.length);
    const samples = cells.map(({ cell, time }, at) => ({
      time: query.interval === 0 ? cell[0]!.time : BigInt(time ?? 0) * 1_000_000n,
      value: plain[at]!,
    }));
    for (const { at, value } of transformed(call, samples, work)) found[at] = value;
    return found;
  });
  const isTransform = columns.map(({ expr }) => expr.type === "call" && functionOf(expr.name)?.kind === "transform");
  return cells
    .flatMap(({ time, cell }, at): OutputRow[] => {
      if (!values.some((column, of) => isTransform[of] && column[at] !== undefined)) return [];
      return [{ time, values: values.map((column) => column[at] ?? null), rows: cell }];
    })
    .reverse();
}

/** Computes the rows of the functions top, bottom, distinct, distinct_by_collapse and histogram. */
function chosenRows(query: ResolvedQuery, rows: readonly Row[], work: StepBudget): OutputRow[] {
  const column = columnsOf(query, work);
  const columns = valueColumns(query);
  const place = columns.findIndex(({ expr }) => outerCalls(expr).some(({ name }) => functionOf(name)?.kind === "rows"));
  const call = outerCalls(columns[place]!.expr)[0]!;
  const read = scalarReader(call.args[0]!, { column });
  const others = columns.map(({ expr }, at) => (at === place ? read : scalarReader(expr, { column })));
  switch (call.name) {
    case "top":
    case "bottom": {
      const sign = call.name === "top" ? -1 : 1;
      return rows
        .filter((row) => isNumber(read(row)))
        .sort((a, b) => sign * compareValues(read(a), read(b)) || Number(b.time - a.time))
        .slice(0, positiveInt(call.args[1]!) ?? 1)
        .map((row) => ({ time: timeOf(row), values: others.map((each) => each(row)), rows: [row] }));
    }
    case "histogram":
      return histogram(call, read, rows);
    default: {
      const cells = grouped(
        rows.filter((row) => read(row) !== null),
        (row) => `${typeof read(row)} ${textOfValue(read(row))}`,
      );
      const fields = collapseFields(call).map(column);
      return [...cells.values()]
        .map((cell) => cell[cell.length - 1]!)
        .sort((a, b) => compareValues(read(a), read(b)))
        .map((row) => ({
          time: null,
          values: [...others.map((each) => each(row)), ...fields.map((each) => each(row))],
          rows: [row],
        }));
    }
  }
}

/**
 * Returns one row for each interval of a histogram. Each row has the interval's lower bound instead of a time,
 * and the number of values in the interval.
 */
function histogram({ args }: Call, read: Reader, rows: readonly Row[]): OutputRow[] {
  const [start, end, step, least = 1] = args.slice(1).map((arg) => numberOf(arg)!) as [number, number, number, number?];
  const counts = new Map<number, Row[]>();
  for (const row of rows) {
    const value = read(row);
    if (!isNumber(value) || !(Number(value) >= start) || !(Number(value) < end)) continue;
    const bucket = start + Math.floor((Number(value) - start) / step) * step;
    const inside = counts.get(bucket);
    if (inside === undefined) counts.set(bucket, [row]);
    else inside.push(row);
  }
  return [...counts]
    .filter(([, inside]) => inside.length >= least)
    .sort(([a], [b]) => a - b)
    .map(([bucket, inside]) => ({ time: bucket, values: [BigInt(inside.length)], rows: inside }));
}
