// Computes functions over a series in the order of time: differences, derivatives, running sums and means
// (docs/reference/query.md#targets).

import { positiveInt } from "../semantics/arguments.ts";
import type { StepBudget } from "../semantics/step-budget.ts";
import type { Call } from "../syntax/ast.ts";
import { arithmetic, type DqlValue, isNumber } from "./values/value.ts";

export interface Sample {
  /** Time of the sample in nanoseconds since 1970. */
  readonly time: bigint;
  readonly value: DqlValue;
}

/**
 * Applies a function to the samples of a series, which must be sorted with the oldest first. Samples that are
 * not numbers are skipped. In the result, `at` is the index of the sample for which the value was computed.
 */
export function transformed(
  { name, args }: Call,
  samples: readonly Sample[],
  work: StepBudget,
): { readonly at: number; readonly value: DqlValue }[] {
  const numbers = samples.flatMap(({ time, value }, at) => (isNumber(value) ? [{ at, time, value }] : []));
  if (name === "cumulative_sum") {
    let total: DqlValue = 0n;
    return numbers.map(({ at, value }) => {
      total = arithmetic("+", total, value);
      return { at, value: total };
    });
  }
  if (name === "moving_average") {
    const size = positiveInt(args[1]!) ?? 1;
    return numbers.flatMap(({ at }, place) => {
      if (place + 1 < size) return [];
      work(size);
      const recent = numbers.slice(place + 1 - size, place + 1);
      return [{ at, value: recent.reduce((total, { value }) => total + Number(value), 0) / size }];
    });
  }
  const unit = args[1]?.type === "dur" ? Number(args[1].ns) : 1e9;
  const values = numbers.slice(1).flatMap(({ at, time, value }, place) => {
    const before = numbers[place]!;
    const change = arithmetic("-", value, before.value);
    if (name.endsWith("difference")) return [{ at, value: change }];
    const elapsed = Number(time - before.time);
    return elapsed === 0 ? [] : [{ at, value: (Number(change) / elapsed) * unit }];
  });
  return name.startsWith("non_negative_") ? values.filter(({ value }) => Number(value) >= 0) : values;
}
