// The drop rules in force, and what is counted of them (docs/reference/agent.md#filters). The workers apply them.

import { compileDropRules } from "../../../lib/filter/drop-rules.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { FilterCount } from "./write-job.ts";

/** Conditions of drop rules by category. */
export type FilterSources = Readonly<Record<string, readonly string[]>>;

export interface Filters {
  readonly sources: FilterSources;
  /** Where they come from. */
  readonly origin: "local" | "remote";
  count(counts: readonly FilterCount[]): void;
  /** Rules of the gateway; bad ones are skipped, logged and counted. */
  replace(sources: FilterSources): void;
}

export interface FiltersOptions {
  /** Those of the configuration; whoever read it has told what is wrong with them. */
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
