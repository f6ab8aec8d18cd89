// Runs a DQL query over the points that the worker holds. Returns the rows and the plan of the query, or the
// error of the query.

import {
  type AnswerSeries,
  type Catalog,
  DqlError,
  type DqlValue,
  dqlTextOf,
  duckdb,
  type Engine,
  entryJson,
  memoryEngine,
  namesTimeRange,
  type Outcome,
  paced,
  parseStatement,
  plainQuery,
  planLines,
  type QueryMember,
  type ResolvedQuery,
  recording,
  runQuery,
  type StoredColumn,
  sqlEngine,
  valueJson,
} from "../../../../lib/dql/index.ts";
import { t } from "../../text/translate.ts";
import type { Cell, CellSeries, QueryAnswer, QueryFault, QueryJob } from "./asking.ts";
import type { HeldPoints } from "./held-points.ts";

/** Largest number of rows that the worker sends to the page. */
export const mostRows = 5000;
/** Longer values are cut to this many characters before they are sent to the page. */
const mostText = 4000;
/** Longest time in milliseconds that a query may run. */
const mostMs = 10_000;
/** Longest time range that a query may have. It is 100 years, so that one query can read points of any age. */
export const mostDuration = "36500d";

class DeadlineError extends Error {}

type Ran = { readonly outcome: Outcome; readonly asked: readonly ResolvedQuery[]; readonly ms: number } | QueryFault;

/** Answers a query. A query that takes longer than `limitMs` milliseconds is stopped, and the answer is an error. */
export async function answer(held: HeldPoints, job: QueryJob, limitMs = mostMs): Promise<QueryAnswer> {
  const ran = await runHeld(held, job, limitMs);
  if ("kind" in ran) return ran;
  const { outcome, asked, ms } = ran;
  return {
    kind: "answered",
    series: shownSeries(outcome.series),
    rows: rowsOf(outcome.series),
    warning: [...new Set(outcome.warnings)].join("; "),
    keys: [...keysOf(outcome.query, outcome.series)],
    plan: asked.map((query) => planLines(query).join("\n")).join("\n\n"),
    sql: await sqlOf(held, asked),
    ms,
  };
}

/** Returns the whole answer as CSV. */
export async function answerCsv(held: HeldPoints, job: QueryJob): Promise<string | QueryFault> {
  const ran = await runHeld(held, job, mostMs);
  if ("kind" in ran) return ran;
  const options = {
    engine: "memory",
    cost: 0n,
    rawQuery: null,
    withQueryParse: false,
    describeColumns: false,
  } as const;
  const { csv } = JSON.parse(entryJson(ran.outcome, { ...options, outputFormat: "csv" })) as { readonly csv: string };
  return csv;
}

/**
 * Runs a query over the points in memory. A range such as [10m] ends at the newest point instead of now, because the
 * points may be old. A query without a time range reads all points.
 */
function runHeld(held: HeldPoints, job: QueryJob, limitMs: number): Promise<Ran> {
  const { from, to } = held.range;
  return run(held.engine, job, { now: to, defaultRangeMs: Math.max(1, to - from) }, limitMs);
}

/**
 * Checks a query without running it. Returns the error of the query, or the parsed and resolved query. Returns
 * null when the text is no query but a function call, such as `show_...()` or a function over other queries.
 */
export async function checkedQuery(job: QueryJob): Promise<QueryFault | { readonly query: ResolvedQuery | null }> {
  const ran = await run(
    memoryEngine(() => []),
    job,
    { now: Date.now() },
    mostMs,
  );
  return "kind" in ran ? ran : { query: ran.outcome.query };
}

async function run(
  over: Engine,
  job: QueryJob,
  times: { readonly now: number; readonly defaultRangeMs?: number },
  limitMs: number,
): Promise<Ran> {
  const { text, timeZone } = job;
  const { engine, asked } = recording(over);
  const began = performance.now();
  const work = paced(() => {
    if (performance.now() - began > limitMs) throw new DeadlineError();
  });
  try {
    const timeRange = timeRangeOf(job, times.now);
    const member: QueryMember = {
      ...plainQuery(text),
      ...{ tz: timeZone === "" ? null : timeZone, timeRange, maxDuration: mostDuration },
    };
    const outcome = await runQuery(member, engine, { ...times, work });
    return { outcome, asked, ms: performance.now() - began };
  } catch (error) {
    if (error instanceof DqlError) return faultOf(error, text);
    const isLate = error instanceof DeadlineError;
    const message = isLate
      ? t("The query took longer than {n} seconds. Ask for a shorter time range, or for fewer groups.", {
          n: limitMs / 1000,
        })
      : t("The query could not be answered: {message}", {
          message: error instanceof Error ? error.message : String(error),
        });
    return { kind: "fault", message, from: 0, to: text.length };
  }
}

/**
 * Returns the start and end of the job's time range in milliseconds since 1970. Returns null when the job has no
 * time range, or when the text of the query contains one. Throws DqlError when the query is not valid DQL.
 */
export function timeRangeOf({ text, range }: QueryJob, now: number): readonly number[] | null {
  if (range === null || namesTimeRange(parseStatement(text))) return null;
  return "lastMs" in range ? [now - range.lastMs, now] : [range.from, range.to];
}

const encoder = new TextEncoder();

/** Returns the error for the page: its message, and the range of the word in the query that caused the error. */
function faultOf({ reason, line, column }: DqlError, text: string): QueryFault {
  const message = reason.slice(0, 1000);
  if (line === null || column === null) return { kind: "fault", message, ...wordNamed(reason, text) };
  let from = 0;
  for (let number = 1; number < line; number++) from = text.indexOf("\n", from) + 1;
  // The column of an error counts bytes of UTF-8, but the editor needs UTF-16 units. This loop converts the
  // column.
  let bytes = column - 1;
  for (const character of text.slice(from)) {
    if (bytes <= 0) break;
    bytes -= encoder.encode(character).length;
    from += character.length;
  }
  const [word = ""] = /^(?:[\w.\u0080-\uffff]+|\S)?/.exec(text.slice(from))!;
  if (word !== "") return { kind: "fault", message, from, to: from + word.length };
  // An error at the end of the text has no word at its position, so the last character is marked.
  return { kind: "fault", message, from: Math.max(0, from - 1), to: Math.max(from, Math.min(1, text.length)) };
}

/**
 * Returns the range, in the query, of the word that an error message puts in quotes. Returns the range of the
 * whole query when the query contains no such word.
 */
export function wordNamed(reason: string, text: string): { readonly from: number; readonly to: number } {
  const [, word] = /"([^"]+)"/.exec(reason) ?? [];
  if (word !== undefined) {
    for (const { 0: found, index } of text.matchAll(/[\w.\u0080-\uffff]+/g))
      if (found.toLowerCase() === word.toLowerCase()) return { from: index, to: index + found.length };
  }
  return { from: 0, to: text.length };
}

export function rowsOf(series: readonly { readonly values: readonly unknown[] }[]): number {
  return series.reduce((sum, { values }) => sum + values.length, 0);
}

/** Returns the series for the page. Cuts long values, and leaves out the rows after the first `mostRows`. */
export function shownSeries(series: readonly AnswerSeries[]): CellSeries[] {
  let left = mostRows;
  const shown: CellSeries[] = [];
  for (const { name, tags, columns, values } of series) {
    if (left === 0) break;
    const rows = values.slice(0, left);
    left -= rows.length;
    const cells = rows.map((row) => row.map((value, at) => cellOf(value, columns[at] === "time")));
    shown.push({ name, tags: [...(tags ?? [])], columns, rows: cells });
  }
  return shown;
}

function cellOf(value: DqlValue, isTime: boolean): Cell {
  if (value === null) return { kind: "nil", text: "" };
  if (typeof value === "string") return cut("string", value);
  if (typeof value === "bigint") return { kind: isTime ? "time" : "int", text: String(value) };
  if (typeof value === "boolean") return { kind: "bool", text: String(value) };
  if (typeof value === "number") return { kind: isTime ? "time" : "float", text: String(value) };
  if (value instanceof Uint8Array) return cut("bytes", JSON.parse(valueJson(value)) as string);
  return cut("list", valueJson(value));
}

function cut(kind: Cell["kind"], text: string): Cell {
  return text.length <= mostText ? { kind, text } : { kind, text: text.slice(0, mostText), isCut: true };
}

/**
 * Returns a map from the name of a column or tag of an answer to the name of the key whose values this column or tag
 * shows unchanged. Computed columns and the column `time` are not in the map.
 */
export function keysOf(
  query: ResolvedQuery | null,
  series: readonly { readonly columns: readonly string[] }[],
): Map<string, string> {
  const keys = new Map<string, string>();
  if (query === null || "sub" in query.source) return keys;
  if (query.columns.length === 0) for (const { columns } of series) for (const name of columns) keys.set(name, name);
  for (const { name, expr } of [...query.columns, ...query.by])
    if (expr.type === "col") keys.set(name, dqlTextOf(expr));
  keys.delete("time");
  return keys;
}

/**
 * Returns the SQL statements that a platform would send to its database for a query. The database has one column
 * for each combination of a key and a type of values.
 */
async function sqlOf(held: HeldPoints, asked: readonly ResolvedQuery[]): Promise<string> {
  const columns = new Map<string, readonly StoredColumn[]>();
  for (const { namespace } of asked) {
    const { category } = namespace;
    const keys = new Map((await held.engine.keys(category)).map(({ key, kind }) => [`${key} ${kind}`, { key, kind }]));
    columns.set(
      category,
      [...keys.values()].map(({ key, kind }) => ({
        key,
        kind,
        column: kind === null ? `tag ${key}` : `${kind} ${key}`,
      })),
    );
  }
  const catalog: Catalog = {
    dialect: duckdb,
    table: (category) => category,
    owned: null,
    columns: (category) => columns.get(category) ?? [],
  };
  const none = async () => [];
  const engine = sqlEngine({
    ...{ name: "DuckDB", catalog, run: none, exceeded: () => false, has: () => true, keys: none, labels: none },
  });
  const statements: string[] = [];
  for (const query of asked) {
    if ("sub" in query.source) continue;
    statements.push((await engine.explain!(query)).statement);
  }
  return statements.join(";\n\n");
}
