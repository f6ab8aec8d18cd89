// What a rollup makes of each timeline's points in a bucket before the targets are computed (docs/reference/query.md#time).

import { DqlError } from "../syntax/errors.ts";
import { reasonText } from "../syntax/reasons.ts";

export type Rollup =
  | { readonly kind: "avg" | "sum" | "min" | "max" | "count" | "first" | "last" | "stddev" }
  | { readonly kind: "percentile"; readonly percent: number }
  /** Of neighbouring points: counters that start again at 0 only grow. */
  | { readonly kind: "deriv" | "rate" | "irate" | "increase" };

const plain = new Set([
  "avg",
  "sum",
  "min",
  "max",
  "count",
  "first",
  "last",
  "stddev",
  "deriv",
  "rate",
  "irate",
  "increase",
]);

/** For completion and documentation; any `pNN`, also `p99.9`, is one. */
export const rollupNames: readonly string[] = [...plain, "median", "p50", "p75", "p90", "p95", "p99"];

export function rollupOf(name: string): Rollup {
  const lower = name.toLowerCase();
  if (plain.has(lower)) return { kind: lower as Exclude<Rollup["kind"], "percentile"> };
  const percent = lower === "median" ? 50 : Number(/^p([0-9]+(?:\.[0-9]+)?)$/.exec(lower)?.[1] ?? Number.NaN);
  if (!(percent <= 100)) throw new DqlError(reasonText("unknownRollup", name));
  return { kind: "percentile", percent };
}

/** Looks back over the start of a bucket for the point before it. */
export function needsPrevious({ kind }: Rollup): boolean {
  return kind === "rate" || kind === "irate" || kind === "increase";
}
