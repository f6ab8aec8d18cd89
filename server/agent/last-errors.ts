// The last errors that clients and the agent itself reported, as /metrics shows them (docs/reference/metrics.md).

import type { Metrics } from "../telemetry/metrics.ts";

/** A reported error. Each member becomes a metric label, and is at most 1 KB long. */
export type ToldError = Record<"input" | "source" | "category" | "error", string>;

export function tellError({ errors, lastErrors }: Metrics, told: ToldError): void {
  errors.inc({ source: told.source, category: told.category });
  lastErrors.set(told, Date.now() / 1000);
}

/** Reports as a last error that the queue or the output file of a category cannot be written. */
export function tellUnwritable(metrics: Metrics, source: "queue" | "output", category: string, error: Error): void {
  // Only the error code is reported, since a message may contain a file name, and each distinct string creates a new
  // label value.
  const reason = (error as NodeJS.ErrnoException).code ?? error.name;
  tellError(metrics, { input: source, source, category, error: `cannot be written: ${reason}` });
}
