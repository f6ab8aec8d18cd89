// Answers a query from rows in memory, exactly as docs/reference/query.md says. A database must give the same answers.

import type { Join, ResolvedQuery } from "../semantics/resolve.ts";
import { type StepBudget, unlimited } from "../semantics/step-budget.ts";
import { shapeOf } from "../semantics/targets.ts";
import type { Milliseconds } from "../semantics/time-range.ts";
import { distinctNames } from "../syntax/text.ts";
import { baseRows, columnsOf, type EvaluationScope } from "./base-rows.ts";
import { allColumns } from "./columns.ts";
import { filled } from "./fill.ts";
import { type Highlight, highlighter } from "./highlight.ts";
import type { JoinedRows } from "./join.ts";
import { having, orderedRows, orderedSeries } from "./order.ts";
import { isPaged, pageAfter, pageKey } from "./paging.ts";
import { type RowOfSeries, resultExpression } from "./result-scope.ts";
import type { Row } from "./row.ts";
import { scalarReader } from "./scalar.ts";
import { type OutputRow, type OutputSeries, seriesOf } from "./series.ts";
import type { DqlValue } from "./values/value.ts";

/** One series of an answer: rows with the same name and tags. */
export interface AnswerSeries {
  /** Name of the series: its measurement; null for categories other than metrics. */
  readonly name: string | null;
  readonly tags: ReadonlyMap<string, string> | null;
  /** Names of the columns of the series; `time` comes first. */
  readonly columns: readonly string[];
  /**
   * Rows of the series. A row has first the time in milliseconds since 1970 (or null), then the values of the other
   * columns.
   */
  readonly values: readonly (readonly DqlValue[])[];
  /** The highlighted matches of each row; set only when the request asks for them. */
  readonly highlights?: readonly (Highlight | null)[];
  /** Names of the columns that show tags of the points; set only when the request asks for them. */
  readonly tagColumns?: ReadonlySet<string>;
}

/** The answer to a query. */
export interface Answer {
  readonly series: readonly AnswerSeries[];
  /** Number of rows that the source, the range and the filter select; 0 for metrics. */
  readonly totalHits: number;
  /**
   * The paging key of the last row; the client sends it back to get the next page. Null when the query has no
   * pages.
   */
  readonly searchAfter: readonly unknown[] | null;
  /** Numbers of series and rows before a default limit cut some of them off; absent when nothing was cut off. */
  readonly cut?: Cut;
}

export interface Cut {
  /** Number of series before the default limit cut some off. */
  readonly series?: number;
  /** Number of rows, before the default limit cut some off, in the series with the most rows. */
  readonly rows?: number;
}

export function evaluate(query: ResolvedQuery, rows: Iterable<Row>, scope: EvaluationScope): Answer {
  const { work = unlimited } = scope;
  const base = baseRows(query, rows, scope);
  const series = seriesOf(query, pageAfter(query, base, work), work);
  return finished(query, series, query.namespace.category === "metric" ? 0 : base.length, scope);
}

/**
 * Makes the answer from the series of a query: applies fill(), LINK, HAVING, the sort orders and the limits to them.
 */
export function finished(
  query: ResolvedQuery,
  made: readonly OutputSeries[],
  totalHits: number,
  scope: EvaluationScope,
): Answer {
  const work = scope.work ?? unlimited;
  const complete = made.map((series) => ({ ...series, output: filled(query, series.output, work) }));
  const partner = query.link === null ? null : scope.joined(query.link);
  const all = partner === null ? complete : linked(query, query.link!, complete, partner, work);
  const kept = having(query, all, scope).filter(({ output }) => output.length > 0);
  const until = query.slimit === null ? undefined : query.soffset + query.slimit;
  const chosen = orderedSeries(query, kept, work).slice(query.soffset, until);
  // When the answer has pages, each page begins after the last row of the previous page. So OFFSET is ignored.
  const offset = isPaged(query) ? 0 : query.offset;
  const cut = chosen.map((series) => {
    work(series.output.length);
    const output = orderedRows(query, series, work).slice(offset, offset + query.limit);
    return { ...series, output };
  });
  const given = cut.filter(({ output }) => output.length > 0);
  const searchAfter = pageKey(query, given.at(-1)?.output.at(-1)?.rows[0]);
  const isRaw = shapeOf(query) === "raw";
  const highlight = isRaw && query.highlight ? highlighter(query, work) : null;
  const named = withColumns(query, given, work);
  const wide = partner === null ? named : named.map((each, at) => withLinked(each, given[at]!, partner));
  const series = wide.map((each, at): AnswerSeries => {
    const rows = given[at]!.output.map((row) => row.rows[0]!);
    return {
      ...each,
      ...(highlight === null ? {} : { highlights: rows.map(highlight) }),
      ...(isRaw && query.listTags ? { tagColumns: tagsAmong(each.columns, rows, work) } : {}),
    };
  });
  return { series, totalHits, searchAfter, cut: cutOf(query, kept.length, chosen) };
}

function cutOf(query: ResolvedQuery, found: number, chosen: readonly OutputSeries[]): Cut {
  const { slimit, soffset, limit, offset, isDefaultLimit, isDefaultSlimit } = query;
  const most = chosen.reduce((sum, { output }) => Math.max(sum, output.length), 0);
  return {
    ...(isDefaultSlimit && slimit !== null && found > soffset + slimit ? { series: found } : {}),
    // When the answer has pages, the client gets the rows that the default limit cut off with the next page, so no
    // warning is needed.
    ...(isDefaultLimit && !isPaged(query) && most > offset + limit ? { rows: most } : {}),
  };
}

/**
 * Applies LINK: keeps the rows that have a matching row in the answer of the linked query, and joins each row to the
 * newest row that matches it.
 */
function linked(
  query: ResolvedQuery,
  { pairs }: Join,
  series: readonly OutputSeries[],
  { find }: JoinedRows,
  work: StepBudget,
) {
  const reads = pairs.map(({ own }) => {
    const { expr, column } = resultExpression(query, own, work);
    return scalarReader<RowOfSeries>(expr, { column });
  });
  return series.map((each) => ({
    ...each,
    output: each.output.flatMap((row): OutputRow[] => {
      work(1);
      const found = find(reads.map((read) => read({ row, series: each })));
      return found === undefined ? [] : [{ ...row, linked: found }];
    }),
  }));
}

function withLinked(series: AnswerSeries, { output }: OutputSeries, { columns }: JoinedRows): AnswerSeries {
  return {
    ...series,
    columns: distinctNames([...series.columns, ...columns]),
    values: series.values.map((row, at) => [
      ...row,
      ...columns.map((name) => output[at]!.linked!.values.get(name) ?? null),
    ]),
  };
}

/** Returns the names of the columns that are a tag in at least one row and a field in no row. */
function tagsAmong(columns: readonly string[], rows: readonly Row[], work: StepBudget): ReadonlySet<string> {
  const isTag = (name: string) => {
    work(rows.length);
    return rows.some(({ tags }) => tags.has(name)) && !rows.some(({ fields }) => fields.has(name));
  };
  return new Set(columns.filter(isTag));
}

function withColumns(query: ResolvedQuery, series: readonly OutputSeries[], work: StepBudget): AnswerSeries[] {
  const column = columnsOf(query, work);
  // For metrics each measurement has its own list of columns; for other categories all rows have the same columns.
  const columns = new Map<string | null, readonly string[]>();
  return series.map(({ name, tags, columns: named, output }): AnswerSeries => {
    work(output.length);
    if (named !== null)
      return {
        name,
        tags,
        columns: ["time", ...named],
        values: output.map(({ time, values }) => [timeValue(time), ...values]),
      };
    let all = columns.get(name);
    if (all === undefined) {
      const shown = series.filter((each) => each.name === name);
      const hidden = new Set(shown.flatMap((each) => [...(each.tags?.keys() ?? [])]));
      for (const { expr } of query.by) if (expr.type === "col") hidden.add(expr.name);
      const rows = shown.flatMap((each) => each.output.flatMap((row) => row.rows));
      all = allColumns(query, rows, hidden, work);
      columns.set(name, all);
    }
    const reads = all.map(column);
    const values = output.map(({ time, rows: [row] }) => {
      work(1);
      return [timeValue(time), ...reads.map((read) => read(row!))];
    });
    return { name, tags, columns: ["time", ...all], values };
  });
}

function timeValue(time: number | null): DqlValue {
  return time === null ? null : Number.isInteger(time) ? BigInt(time) : time;
}

/**
 * Turns the rows of an answer into input rows of an outer query. Each input row has the name and tags of its
 * series, the columns of the answer, and the time of the row. `start` is the time of rows that have no time.
 */
export function rowsOfAnswer({ series }: Answer, start: Milliseconds, work: StepBudget): Row[] {
  return series.flatMap(({ name, tags, columns, values }, at) =>
    values.map((row, place): Row => {
      work(1);
      const [time] = row;
      const fields = columns.slice(1).map((column, of): [string, DqlValue] => [column, row[of + 1] ?? null]);
      return {
        time: (typeof time === "bigint" ? time : BigInt(start)) * 1_000_000n,
        name: name ?? "",
        docid: `${String(at).padStart(8, "0")}-${String(99_999_999 - place).padStart(8, "0")}`,
        index: "default",
        received: 0,
        tags: tags ?? new Map(),
        fields: new Map(fields.filter(([, value]) => value !== null)),
      };
    }),
  );
}
