// Fills time buckets that have no value, when a query has the function fill() (docs/reference/query.md#targets).

import { bucketAt, bucketCount } from "../semantics/buckets.ts";
import type { Fill, ResolvedQuery } from "../semantics/resolve.ts";
import type { StepBudget } from "../semantics/step-budget.ts";
import { valueColumns } from "../semantics/targets.ts";
import { DqlError } from "../syntax/errors.ts";
import { reasonText } from "../syntax/reasons.ts";
import type { OutputRow } from "./series.ts";
import { type DqlValue, isNumber } from "./values/value.ts";

/**
 * Returns the rows of `output` in which gaps have values, as the fill() calls of the query ask. `output` and the
 * result are sorted with the newest row first.
 */
export function filled(query: ResolvedQuery, output: readonly OutputRow[], work: StepBudget): readonly OutputRow[] {
  const fills = valueColumns(query).map(({ fill }) => fill);
  if (fills.every((fill) => fill === null)) return output;
  const rows = query.interval === 0 ? output : everyBucket(query, output, fills.length, work);
  const oldestFirst = [...rows].reverse();
  const columns = fills.map((fill, at) => {
    const values = oldestFirst.map(({ values }) => {
      work(1);
      return values[at]!;
    });
    return fill === null ? values : filledColumn(fill, values, work);
  });
  return oldestFirst.map((row, at) => ({ ...row, values: columns.map((values) => values[at]!) })).reverse();
}

/** Largest number of time buckets of one series. */
const maxBuckets = 100_000;

function everyBucket(query: ResolvedQuery, output: readonly OutputRow[], width: number, work: StepBudget): OutputRow[] {
  const { range, buckets } = query;
  const known = new Map(output.map((row) => [row.time, row]));
  const count = bucketCount(range, buckets);
  if (count > maxBuckets) throw new DqlError(reasonText("tooManyBuckets", count, maxBuckets));
  const nothing = new Array<DqlValue>(width).fill(null);
  return Array.from({ length: count }, (_, at) => {
    work(1);
    const time = bucketAt(at, buckets);
    return known.get(time) ?? { time, values: nothing, rows: [] };
  }).reverse();
}

function filledColumn(fill: Fill, values: readonly DqlValue[], work: StepBudget): DqlValue[] {
  if (fill.kind === "value") {
    return values.map((value) => {
      work(1);
      return value ?? fill.value;
    });
  }
  if (fill.kind === "previous") {
    let last: DqlValue = null;
    return values.map((value) => {
      work(1);
      last = value ?? last;
      return last;
    });
  }
  return linear(values, work);
}

/**
 * Fills each gap by linear interpolation between the values around it; gaps before the first value and after the last
 * value stay empty.
 */
function linear(values: readonly DqlValue[], work: StepBudget): DqlValue[] {
  let before = -1;
  const result = [...values];
  for (let at = 0; at < values.length; at++) {
    work(1);
    const value = values[at]!;
    if (!isNumber(value)) continue;
    if (before >= 0) {
      const from = Number(values[before]);
      const slope = (Number(value) - from) / (at - before);
      for (let between = before + 1; between < at; between++) result[between] = from + slope * (between - before);
    }
    before = at;
  }
  return result;
}
