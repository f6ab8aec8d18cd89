// Turns groups, as a database returns them (one row each), into series: texts of keys, times of buckets, and values
// computed from aggregates.

import { scalarReader } from "../evaluate/scalar.ts";
import type { OutputRow, OutputSeries } from "../evaluate/series.ts";
import { arithmetic, type DqlValue, textOfValue, whole } from "../evaluate/values/value.ts";
import { bucketAt } from "../semantics/buckets.ts";
import type { ResolvedQuery } from "../semantics/resolve.ts";
import { type StepBudget, stepped } from "../semantics/step-budget.ts";
import { valueColumns } from "../semantics/targets.ts";
import type { Expr } from "../syntax/ast.ts";
import { textOf } from "../syntax/text.ts";
import type { ResultRow } from "./rows.ts";

/**
 * The layout of a row: the name (unless it is known), the keys, the number of buckets before (when there are buckets),
 * the values, and the number of points (if `hasCount`).
 */
export interface GroupShape {
  /**
   * The measurement when the query names exactly one; undefined when the rows have it; null for categories other than
   * metrics.
   */
  readonly name: string | null | undefined;
  /** Texts of the aggregates, in the order of the values. */
  readonly calls: readonly string[];
  /** Whether the time of the chosen point follows the aggregates. */
  readonly hasTime: boolean;
  /** Whether the number of points of the group comes last. */
  readonly hasCount: boolean;
}

/**
 * Makes the series. Returns null when a key is absent in one group and the empty text in another, because these are one
 * group.
 */
export function seriesOfRows(
  query: ResolvedQuery,
  rows: readonly ResultRow[],
  { name, calls, hasTime, hasCount }: GroupShape,
  work: StepBudget,
): OutputSeries[] | null {
  const isMetric = query.namespace.category === "metric";
  const columns = valueColumns(query);
  const places = new Map(calls.map((text, at): [string, number] => [text, at]));
  const reads = columns.map(({ expr }) => computedReader(expr, places));
  const spreads = calls.flatMap((text, at) => (text.startsWith("spread(") ? [at] : []));
  const groups = new Map<
    string,
    { readonly name: string | null; readonly tags: OutputSeries["tags"]; readonly output: OutputRow[] }
  >();
  const from = name === undefined ? 1 : 0;
  const width = from + query.by.length;
  if (query.by.some((_, at) => isSplit(rows, from + at, work))) return null;
  for (const row of stepped(rows, work)) {
    const values = row.slice(width + (query.interval === 0 ? 0 : 1)).map(plain);
    // A group of no rows occurs for a query without keys.
    if (hasCount && values[values.length - 1] === 0n) continue;
    // A result that exceeds 64 bits becomes a float.
    for (const at of spreads) values[at] = arithmetic("+", values[at]!, 0n);
    const texts = row.slice(from, width).map((value) => textOfValue(plain(value)));
    const key = JSON.stringify(name === undefined ? [row[0], ...texts] : texts);
    let group = groups.get(key);
    if (group === undefined) {
      const tags = query.by.map((by, at): [string, string] => [by.name, texts[at]!]);
      group = {
        name: name === undefined ? (row[0] as string) : name,
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
  const names = columns.map((column) => column.name);
  const newestFirst = (a: OutputRow, b: OutputRow) => {
    work(1);
    return (b.time ?? 0) - (a.time ?? 0);
  };
  return [...groups.values()].map(({ name, tags, output }) => {
    work(1);
    return { name, tags, columns: names, output: output.sort(newestFirst), rows: [] };
  });
}

function isSplit(rows: readonly ResultRow[], at: number, work: StepBudget): boolean {
  let [isAbsent, isEmpty] = [false, false];
  for (const row of stepped(rows, work)) {
    if (row[at] === null) isAbsent = true;
    else if (row[at] === "") isEmpty = true;
    if (isAbsent && isEmpty) return true;
  }
  return false;
}

function timeOf(
  { interval, buckets, namespace, range }: ResolvedQuery,
  row: ResultRow,
  width: number,
  chosen: DqlValue,
): number | null {
  if (interval > 0) return bucketAt(Number(row[width]), buckets);
  if (chosen !== null) return Number((chosen as bigint) / 1_000_000n);
  return namespace.category === "metric" ? range.start : null;
}

function plain(value: unknown): DqlValue {
  return typeof value === "bigint" ? whole(value) : ((value ?? null) as DqlValue);
}

/**
 * Returns a function that computes a target from one row of the database's answer; the aggregates in the target are
 * read from their columns in this row.
 */
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
