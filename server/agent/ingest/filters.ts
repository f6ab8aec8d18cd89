// Keeps the drop rules (filters) in force and the metrics about them (docs/reference/agent.md#filters). The worker
// threads apply the rules to points.

import { compileDropRules } from "../../../lib/filter/index.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { FilterCount } from "./write-job.ts";

/** Conditions of drop rules by category. A point that meets a condition is dropped. */
export type FilterSources = Readonly<Record<string, readonly string[]>>;

export interface Filters {
  readonly sources: FilterSources;
  /** Whether the rules in force come from the configuration (`local`) or from the gateway (`remote`). */
  readonly origin: "local" | "remote";
  count(counts: readonly FilterCount[]): void;
  /**
   * Replaces the drop rules in force by rules that the gateway sent. Skips, logs and counts rules that do not compile.
   */
  replace(sources: FilterSources): void;
}

export interface FiltersOptions {
  /**
   * The drop rules of the configuration. Rules that do not compile were already reported when the configuration was
   * read.
   */
  readonly local: FilterSources;
  readonly strictTypes: boolean;
  readonly onChange: (sources: FilterSources) => void;
  readonly log: Log;
  readonly metrics: Metrics;
}

export function createFilters({ local, strictTypes, onChange, log, metrics }: FiltersOptions): Filters {
  let sources = local;
  const origin = Object.values(local).some((rules) => rules.length > 0) ? "local" : "remote";

  const take = (next: FilterSources) => {
    sources = next;
    const { problems } = compileDropRules(next, { strictTypes });
    metrics.filterParseErrors.reset();
    for (const { category, index, message } of problems) {
      const filters = next[category]?.[index] ?? category;
      metrics.filterParseErrors.inc({ error: message, filters });
    }
    if (Object.keys(next).length > 0) {
      metrics.filterUpdates.inc();
      metrics.filterUpdated.set(Date.now() / 1000);
    }
    return problems;
  };
  take(local);

  return {
    get sources() {
      return sources;
    },
    origin,
    count: (counts) => {
      for (const { category, points, dropped, seconds } of counts) {
        const labels = { category, filters: String(sources[category]?.length ?? 0), source: origin };
        metrics.filterPoints.inc(labels, points);
        metrics.filterDropped.inc(labels, dropped);
        metrics.filterSeconds.observe(labels, seconds);
      }
    },
    replace: (next) => {
      for (const { category, index, message } of take(next)) {
        log.warn(`filters of the gateway: ${category}${index < 0 ? "" : `[${index}]`}: ${message}; skipped`);
      }
      onChange(next);
    },
  };
}
