// Computes statistics over many values (docs/reference/query.md#targets). Each function takes the values that are not
// missing, oldest first. A function that reads the values more than once counts its steps in a StepBudget.

import { countSteps, type StepBudget } from "../semantics/step-budget.ts";
import { compareValues, type DqlValue, isNumber, whole } from "./values/value.ts";

export type Numbers = readonly (bigint | number)[];

/** Returns the sum of the values; it is exact when all values are whole numbers. */
export function sum(values: Numbers): DqlValue {
  if (values.length === 0) return null;
  if (values.every((value) => typeof value === "bigint"))
    return whole(values.reduce((total, value) => total + BigInt(value), 0n));
  return values.reduce<number>((total, value) => total + Number(value), 0);
}

export function mean(values: Numbers): DqlValue {
  const total = sum(values);
  return total === null ? null : Number(total) / values.length;
}

/** Returns the sample standard deviation of the values; null for fewer than two values. */
export function deviation(values: Numbers): DqlValue {
  if (values.length < 2) return null;
  const exact = Number(mean(values));
  const middle = Number.isFinite(exact) ? exact : runningMean(values);
  const squares = values.reduce<number>((total, value) => total + (Number(value) - middle) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1));
}

/** Returns the mean of the values without adding them all up, because their sum may be too large for a float. */
function runningMean(values: Numbers): number {
  return values.reduce<number>((middle, value, at) => middle + (Number(value) - middle) / (at + 1), 0);
}

/**
 * Returns a percentile. Percentile p of n sorted values is the value at rank p / 100 * (n - 1). When the rank is
 * not a whole number, the percentile is interpolated between the two values around it.
 */
export function percentile(values: Numbers, percent: number, work: StepBudget): DqlValue {
  if (values.length === 0) return null;
  const sorted = values.map(Number).sort((a, b) => {
    work(1);
    return a - b;
  });
  const rank = (percent / 100) * (sorted.length - 1);
  const below = sorted[Math.floor(rank)]!;
  const above = sorted[Math.ceil(rank)]!;
  return below + (above - below) * (rank - Math.floor(rank));
}

/**
 * Returns the minimum or maximum. Numbers are compared by size, and strings by their bytes. When a key has both
 * numbers and strings, only the numbers count.
 */
export function extreme(values: readonly DqlValue[], which: "min" | "max"): DqlValue {
  const numbers = values.filter(isNumber).filter((value) => !Number.isNaN(value));
  const compared = numbers.length > 0 ? numbers : values.filter((value) => typeof value === "string");
  const sign = which === "min" ? 1 : -1;
  return compared.reduce<DqlValue>(
    (best, value) => (best === null || sign * compareValues(value, best) < 0 ? value : best),
    null,
  );
}

/** Returns the most frequent value; when several values are equally frequent, the least of them. */
export function mode(values: readonly DqlValue[], work: StepBudget): DqlValue {
  const counts = new Map<string, { readonly value: DqlValue; count: number }>();
  for (const value of countSteps(values, work)) {
    const key = `${typeof value} ${value}`;
    const seen = counts.get(key);
    if (seen === undefined) counts.set(key, { value, count: 1 });
    else seen.count++;
  }
  let best: { readonly value: DqlValue; readonly count: number } | undefined;
  for (const each of countSteps(counts.values(), work)) {
    const order = best === undefined ? -1 : best.count - each.count || compareValues(each.value, best.value);
    if (order < 0) best = each;
  }
  return best?.value ?? null;
}

/** Returns the distinct values in ascending order. */
export function distinct(values: readonly DqlValue[], work: StepBudget): DqlValue[] {
  const seen = new Map<string, DqlValue>();
  for (const value of countSteps(values, work)) seen.set(`${typeof value} ${value}`, value);
  return [...seen.values()].sort((a, b) => {
    work(1);
    return compareValues(a, b);
  });
}
