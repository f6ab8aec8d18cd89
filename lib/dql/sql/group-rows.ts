// Groups as a database gives them, a row each, to series: texts of keys, moments of buckets, and what is computed from aggregates.

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

/** A row: the name unless it is known, the keys, where there are buckets how many lie before, the values, the count of points if any. */
export interface GroupShape {
  /** The measurement, where the question names one and no other; undefined: it stands in the rows. Null: not of metrics. */
  readonly name: string | null | undefined;
  /** Aggregates by their text, in the order of the values. */
  readonly calls: readonly string[];
  /** Behind the aggregates stands the moment of the point that was chosen. */
  readonly hasTime: boolean;
  /** Last stands how many points the group has. */
  readonly hasCount: boolean;
}

/** Null: a key is absent in one group and the empty text in another, which are one group. */
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
    // A group of no rows is that of a question without keys.
    if (hasCount && values[values.length - 1] === 0n) continue;
    // What exceeds 64 bits is a float.
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
