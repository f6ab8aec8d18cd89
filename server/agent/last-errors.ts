// The errors that were told last, by clients and by the agent itself, as /metrics shows them (docs/reference/metrics.md).

import type { Metrics } from "../telemetry/metrics.ts";

/** Each text is a label, and at most 1 KB long. */
export type ToldError = Record<"input" | "source" | "category" | "error", string>;

export function tellError({ errors, lastErrors }: Metrics, told: ToldError): void {
  errors.inc({ source: told.source, category: told.category });
  lastErrors.set(told, Date.now() / 1000);
}

/** Tells of a disk that takes nothing more, for the queue or the output file of a category. */
export function tellUnwritable(metrics: Metrics, source: "queue" | "output", category: string, error: Error): void {
  // The code alone: a message may name a file, and each text is a label of its own.
  const reason = (error as NodeJS.ErrnoException).code ?? error.name;
  tellError(metrics, { input: source, source, category, error: `cannot be written: ${reason}` });
}
