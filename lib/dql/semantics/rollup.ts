// Declares rollup functions. They reduce the points of each timeline (set of tags) in a time bucket to one
// value, before the targets (output columns) are computed (docs/reference/query.md#time).

import { DqlError } from "../syntax/errors.ts";
import { reasonText } from "../syntax/reasons.ts";

export type Rollup =
  | { readonly kind: "avg" | "sum" | "min" | "max" | "count" | "first" | "last" | "stddev" }
  | { readonly kind: "percentile"; readonly percent: number }
  /**
   * Functions that compare each point with the previous one. For a counter, a lower value means that the counter was
   * restarted at 0.
   */
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

/**
 * Names of rollup functions, for completion and documentation. Every name `pNN`, such as `p99.9`, is a rollup function,
 * even when it is not in this list.
 */
export const rollupNames: readonly string[] = [...plain, "median", "p50", "p75", "p90", "p95", "p99"];

export function rollupOf(name: string): Rollup {
  const lower = name.toLowerCase();
  if (plain.has(lower)) return { kind: lower as Exclude<Rollup["kind"], "percentile"> };
  const percent = lower === "median" ? 50 : Number(/^p([0-9]+(?:\.[0-9]+)?)$/.exec(lower)?.[1] ?? Number.NaN);
  if (!(percent <= 100)) throw new DqlError(reasonText("unknownRollup", name));
  return { kind: "percentile", percent };
}

/**
 * Returns whether the rollup function needs, besides the points of a time bucket, the last point before the bucket's
 * start.
 */
export function needsPrevious({ kind }: Rollup): boolean {
  return kind === "rate" || kind === "irate" || kind === "increase";
}
