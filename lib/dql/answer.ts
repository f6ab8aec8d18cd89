// The entry of a query in the answer of a request, as JSON text (query document, section 8): 64-bit integers are written out exactly.

import { encodeBase64 } from "../point/codec/base64.ts";
import { goDuration } from "./duration-text.ts";
import type { AnswerSeries } from "./evaluate/evaluate.ts";
import { columnsRead } from "./evaluate/targets.ts";
import { type DqlValue, isList } from "./evaluate/value.ts";
import { functionOf } from "./functions.ts";
import { outerCalls, type ResolvedQuery } from "./resolve.ts";
import type { Outcome } from "./run.ts";
import { bucketCount } from "./time-range.ts";

export interface EntryOptions {
  readonly engine: string;
  /** ns the query took. */
  readonly cost: bigint;
  /** As it was sent to the database; null: not asked for. */
  readonly rawQuery: string | null;
  readonly withQueryParse: boolean;
}

export function entryJson(outcome: Outcome, { engine, cost, rawQuery, withQueryParse }: EntryOptions): string {
  const { query, totalHits, searchAfter, filterCount } = outcome;
  const members: (readonly [string, string])[] = [
    ["series", `[${outcome.series.map(seriesJson).join(",")}]`],
    ["points", "null"],
    ["cost", JSON.stringify(goDuration(cost))],
  ];
  const add = (name: string, value: unknown) => members.push([name, JSON.stringify(value)]);
  if (rawQuery !== null) add("raw_query", rawQuery);
  if (totalHits > 0) add("total_hits", totalHits);
  if (query !== null && query.by.length > 0)
    add(
      "group_by",
      query.by.map(({ name }) => name),
    );
  if (searchAfter !== null) members.push(["search_after", listJson(searchAfter as readonly DqlValue[])]);
  if (filterCount !== undefined) add("filter_count", filterCount);
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
    if (query.interval > 0) add("max_point", bucketCount(query.range, query.interval, query.shift));
  }
  return `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(",")}}`;
}

function seriesJson({ name, tags, columns, values }: AnswerSeries): string {
  const members = [
    ...(name === null ? [] : [`"name":${JSON.stringify(name)}`]),
    ...(tags === null || tags.size === 0 ? [] : [`"tags":${tagsJson(tags)}`]),
    `"columns":${JSON.stringify(columns)}`,
    `"values":[${values.map(listJson).join(",")}]`,
  ];
  return `{${members.join(",")}}`;
}

/** Not an object first: `__proto__` is a tag like any other. */
function tagsJson(tags: ReadonlyMap<string, string>): string {
  return `{${[...tags].map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(",")}}`;
}

function listJson(values: readonly DqlValue[]): string {
  return `[${values.map(valueJson).join(",")}]`;
}

/** Integers exactly, floats in their shortest form, what JSON has no number for as null, bytes as base64. */
export function valueJson(value: DqlValue): string {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "null";
  if (value instanceof Uint8Array) return `"${encodeBase64(value)}"`;
  return isList(value) ? listJson(value) : JSON.stringify(value);
}

interface QueryParse {
  readonly namespace: string;
  readonly sources: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
  readonly funcs: Readonly<Record<string, readonly string[]>>;
}

/** What columns are made of; empty maps for plain columns. */
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
