// Writes the answer to one DQL query as a JSON object (docs/reference/query.md#answers). A query request is
// answered with a list of such objects. 64-bit integers keep all digits.

import { encodeBase64 } from "../../text/base64.ts";
import type { AnswerSeries } from "../evaluate/evaluate.ts";
import type { Highlight } from "../evaluate/highlight.ts";
import type { DqlValue } from "../evaluate/values/value.ts";
import { listJson, valueJson } from "../evaluate/values/value-json.ts";
import { bucketCount } from "../semantics/buckets.ts";
import { functionOf } from "../semantics/functions.ts";
import type { OutputFormat } from "../semantics/request.ts";
import type { ResolvedQuery } from "../semantics/resolve.ts";
import { type StepBudget, unlimited } from "../semantics/step-budget.ts";
import { columnsRead, outerCalls } from "../semantics/targets.ts";
import { goDuration } from "../syntax/duration-text.ts";
import { csvText } from "./csv-text.ts";
import { lineTexts } from "./line-text.ts";
import type { Outcome } from "./run.ts";
import { warningText } from "./warnings.ts";

/** Options of `entryJson`, which writes the answer to one query. */
export interface EntryOptions {
  readonly engine: string;
  /** Time that the query took, in nanoseconds. */
  readonly cost: bigint;
  /** The SQL statement as it was sent to the database; null when the client did not ask for it. */
  readonly rawQuery: string | null;
  readonly withQueryParse: boolean;
  /** Output format of the rows: a list of series, points in line protocol, or one CSV string. */
  readonly outputFormat: OutputFormat;
  /** Whether the answer has the member `column_names`, and each of its series the member `units`. */
  readonly describeColumns: boolean;
  readonly work?: StepBudget;
}

/**
 * Writes the answer to one query as a JSON object.
 *
 * @example
 * const outcome = await runQuery(plainQuery("M::cpu:(avg(usage)) [1h]"), memoryEngine(() => []), { now: Date.now() });
 * const options = { engine: "memory", cost: 0n, rawQuery: null, withQueryParse: false, describeColumns: false } as const;
 * entryJson(outcome, { ...options, outputFormat: "json" }); // {"series":[],"points":null,"cost":"0s",...}
 */
export function entryJson(outcome: Outcome, options: EntryOptions): string {
  const { engine, cost, rawQuery, withQueryParse, outputFormat, describeColumns, work = unlimited } = options;
  const { query, totalHits, searchAfter, filterCount } = outcome;
  const members: (readonly [string, string])[] = [
    [
      "series",
      outputFormat !== "json"
        ? "null"
        : `[${outcome.series.map((each) => seriesJson(each, describeColumns, work)).join(",")}]`,
    ],
    ["points", outputFormat === "lineprotocol" ? pointsJson(outcome, work) : "null"],
    ...(outputFormat === "csv" ? [["csv", JSON.stringify(csvText(outcome.series, work))] as const] : []),
    ["cost", JSON.stringify(goDuration(cost))],
  ];
  const add = (name: string, value: unknown) => members.push([name, JSON.stringify(value)]);
  if (describeColumns) add("column_names", columnNames(outcome));
  if (rawQuery !== null) add("raw_query", rawQuery);
  if (totalHits > 0) add("total_hits", totalHits);
  if (query !== null && query.by.length > 0)
    add(
      "group_by",
      query.by.map(({ name }) => name),
    );
  if (searchAfter !== null) members.push(["search_after", listJson(searchAfter as readonly DqlValue[])]);
  if (filterCount !== undefined) add("filter_count", filterCount);
  const warning = warningText(outcome.warnings);
  if (warning !== "") add("query_warning", warning);
  add("is_running", false);
  add("async_id", "");
  if (query !== null) {
    if (withQueryParse) add("query_parse", queryParse(query));
    add("index_name", query.namespace.category === "logging" ? (query.index[0] ?? "default") : "");
    add("index_store_type", "");
    add("query_type", engine);
    add("complete", false);
    add("index_names", query.index.join(","));
    add("scan_completed", false);
    add("scan_index", "");
    add("next_cursor_time", -1);
    add("sample", 1);
    add("interval", query.interval);
    add("window", query.interval);
    if (query.interval > 0) add("max_point", bucketCount(query.range, query.buckets));
  }
  return `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(",")}}`;
}

/**
 * Returns the JSON answer for a query that is still running; the client asks for the finished answer later with the
 * given id.
 *
 * @example
 * runningEntryJson("id-1", 1_000_000n); // '{"series":[],"points":null,"cost":"1ms","is_running":true,"async_id":"id-1"}'
 */
export function runningEntryJson(asyncId: string, cost: bigint): string {
  return JSON.stringify({ series: [], points: null, cost: goDuration(cost), is_running: true, async_id: asyncId });
}

function pointsJson({ series, query }: Outcome, work: StepBudget): string {
  const encoder = new TextEncoder();
  const texts = lineTexts(series, query, work).map((text) => {
    work(1);
    return encodeBase64(encoder.encode(text));
  });
  return JSON.stringify(texts);
}

/**
 * Returns the names of the columns of all series, without `time`. A name that occurs in several series is returned
 * once.
 */
function columnNames({ series }: Outcome): string[] {
  return [...new Set(series.flatMap(({ columns }) => columns.filter((name) => name !== "time")))];
}

function seriesJson(
  { name, tags, columns, values, highlights }: AnswerSeries,
  describeColumns: boolean,
  work: StepBudget,
): string {
  const names = highlights === undefined ? columns : [...columns, "highlight"];
  const rows = values.map((row, at) => {
    work(1);
    return highlights === undefined
      ? listJson(row)
      : `[${row.map(valueJson).join(",")},${highlightJson(highlights[at]!)}]`;
  });
  const members = [
    ...(name === null ? [] : [`"name":${JSON.stringify(name)}`]),
    ...(tags === null || tags.size === 0 ? [] : [`"tags":${objectJson(tags)}`]),
    `"columns":${JSON.stringify(names)}`,
    `"values":[${rows.join(",")}]`,
    // Databases do not store the units of fields, so each unit is null.
    ...(describeColumns ? [`"units":${JSON.stringify(names.map(() => null))}`] : []),
  ];
  return `{${members.join(",")}}`;
}

function highlightJson(highlight: Highlight | null): string {
  return highlight === null ? "null" : objectJson(highlight);
}

/**
 * Writes an object as JSON. The members are written one by one, because a JavaScript object would treat the key
 * `__proto__` specially.
 */
function objectJson(members: ReadonlyMap<string, string | readonly string[]>): string {
  return `{${[...members].map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(",")}}`;
}

interface QueryParse {
  readonly namespace: string;
  readonly sources: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
  readonly funcs: Readonly<Record<string, readonly string[]>>;
}

/**
 * Returns the member `query_parse` of the answer. For each computed column it names the function and the field from
 * which the column is computed. The maps `fields` and `funcs` are empty when all columns are plain fields.
 */
function queryParse({ namespace, source, columns }: ResolvedQuery): QueryParse {
  const sources = "list" in source ? source.list : [];
  const computed = columns.filter(({ expr }) => outerCalls(expr).length > 0);
  return {
    namespace: namespace.long,
    sources: Object.fromEntries(
      sources.map((each) =>
        "all" in each ? ["*", "all"] : "regex" in each ? [each.regex, "regex"] : [each.name, "exact"],
      ),
    ),
    fields: Object.fromEntries(computed.map((column) => [column.name, columnsRead([column])[0] ?? "*"])),
    funcs: Object.fromEntries(
      computed.map(({ name, expr }) => [
        name,
        outerCalls(expr).flatMap((call) => (functionOf(call.name) ? [call.name] : [])),
      ]),
    ),
  };
}
