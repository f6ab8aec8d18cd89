// Turns the rows that a database returns into series; each row is a group of points. Computes the strings of the
// BY keys, the times of the buckets, and the values of the targets (output columns).

import { compareInOrder } from "../evaluate/order.ts";
import { scalarReader } from "../evaluate/scalar.ts";
import type { OutputRow, OutputSeries } from "../evaluate/series.ts";
import { arithmetic, type DqlValue, textOfValue, whole } from "../evaluate/values/value.ts";
import { bucketAt } from "../semantics/buckets.ts";
import type { ResolvedQuery } from "../semantics/resolve.ts";
import { countSteps, type StepBudget } from "../semantics/step-budget.ts";
import { valueColumns } from "../semantics/targets.ts";
import type { Expr, Sort } from "../syntax/ast.ts";
import { textOf } from "../syntax/text.ts";
import type { ResultRow } from "./rows.ts";

/**
 * The groups that an answer shows: the first `count` groups in the order of an aggregate. Further groups are
 * shown, too, when their aggregate has the same value as that of the last of these groups.
 */
export interface FirstGroups {
  /** Index, in the list of aggregate calls, of the aggregate that orders the groups. */
  readonly call: number;
  readonly dir: Sort["dir"];
  readonly count: number;
}

/**
 * The layout of a row that the database returns for a group. A row has these values in this order: the
 * measurement (unless it is known), the keys of BY, the index of the time bucket (when there are buckets), the
 * aggregates, the time of a chosen point (when `hasTime`), and the number of points (when `hasCount`).
 */
export interface GroupShape {
  /**
   * The name of the measurement when the query names exactly one. Undefined means that every row contains the name of
   * its measurement. Null means that the query reads a category other than metrics.
   */
  readonly name: string | null | undefined;
  /** The calls of aggregate functions, written in DQL. A row has their values in this order. */
  readonly calls: readonly string[];
  /** Whether a row has, after its aggregates, the time of the point that first() or last() chose. */
  readonly hasTime: boolean;
  /** Whether the number of points in the group is the last value of the row. */
  readonly hasCount: boolean;
  /** The groups that the answer shows; null when it shows all. */
  readonly first: FirstGroups | null;
}

/**
 * Makes the series of the answer. Returns null when a BY key is missing in one of the groups and is the empty string in
 * another group, because such groups must be one group.
 */
export function seriesOfRows(
  query: ResolvedQuery,
  rows: readonly ResultRow[],
  { name, calls, hasTime, hasCount, first }: GroupShape,
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
  const needed = first === null ? rows : firstRows(rows, width + first.call, first, work);
  for (const row of countSteps(needed, work)) {
    const values = row.slice(width + (query.interval === 0 ? 0 : 1)).map(plain);
    // A query without BY returns one group even when no row is selected; this empty group is skipped.
    if (hasCount && values[values.length - 1] === 0n) continue;
    // A spread (maximum minus minimum) that exceeds 64 bits becomes a float.
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

/**
 * Largest number of first groups that are found in one pass over all groups. For a larger number, all groups are
 * kept.
 */
const mostFirst = 1000;

/**
 * Returns the first `count` rows when the rows are sorted by the value at index `at`. Also returns further rows
 * with the same value as the last of these rows. The returned rows keep the order that they have in `rows`.
 */
function firstRows(
  rows: readonly ResultRow[],
  at: number,
  { dir, count }: FirstGroups,
  work: StepBudget,
): readonly ResultRow[] {
  if (count < 1 || count > mostFirst || count >= rows.length) return rows;
  /** The first `count` values in the order of the aggregate, among the rows that were read so far. */
  const first: DqlValue[] = [];
  for (const row of countSteps(rows, work)) {
    const value = plain(row[at]);
    if (first.length === count && compareInOrder(value, first[count - 1]!, dir) >= 0) continue;
    const place = first.findIndex((each) => compareInOrder(value, each, dir) < 0);
    first.splice(place < 0 ? first.length : place, 0, value);
    first.length = Math.min(first.length, count);
  }
  return rows.filter((row) => compareInOrder(plain(row[at]), first[count - 1]!, dir) <= 0);
}

function isSplit(rows: readonly ResultRow[], at: number, work: StepBudget): boolean {
  let [isAbsent, isEmpty] = [false, false];
  for (const row of countSteps(rows, work)) {
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
 * Returns a function that computes a target (output column) from one row of the database's answer; the target's
 * aggregates are read from their columns in the row.
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
