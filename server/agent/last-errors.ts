// The last errors that clients and the agent itself reported, as /metrics shows them (docs/reference/metrics.md).

import type { Metrics } from "../telemetry/metrics.ts";

/** A reported error. Each member becomes a metric label, and is at most 1 KB long. */
export type ReportedError = Record<"input" | "source" | "category" | "error", string>;

export function reportError({ errors, lastErrors }: Metrics, reported: ReportedError): void {
  errors.inc({ source: reported.source, category: reported.category });
  lastErrors.set(reported, Date.now() / 1000);
}

/** Records, among the last errors, that a queue or an output file cannot be written. */
export function reportUnwritable(metrics: Metrics, source: "queue" | "output", category: string, error: Error): void {
  // Only the error code is reported. The message of the error may contain a file name, and each distinct text would
  // create a new label value in the metrics.
  const reason = (error as NodeJS.ErrnoException).code ?? error.name;
  reportError(metrics, { input: source, source, category, error: `cannot be written: ${reason}` });
}
