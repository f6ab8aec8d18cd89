// Asks the gateway for filters (drop rules) at intervals (docs/reference/agent.md#filters). Saves the last answer in a
// file, so that its filters apply after a start even when no gateway answers.

import { isRecord } from "../../http/body/json-body.ts";
import type { Log } from "../../telemetry/log.ts";
import { type Metrics, statusText } from "../../telemetry/metrics.ts";
import type { FilterSources, Filters } from "../ingest/filters.ts";
import { type Sharding, shardingHeaders } from "../ingest/sharding.ts";
import type { GatewayAnswer, Gateways } from "../outputs/gateways.ts";
import { keepAnswer, type PullLoop, restoreAnswer, startPullLoop, textOf } from "./pull-loop.ts";

export interface FilterPullOptions {
  readonly gateways: Gateways;
  readonly filters: Filters;
  readonly sharding: Sharding | undefined;
  /** File in which the gateway's last answer with filters is saved. */
  readonly file: string;
  readonly log: Log;
  readonly metrics: Metrics;
}

const subject = "filters of the gateway";
const firstIntervalMs = 30_000;
const shortestIntervalMs = 1_000;
const longestIntervalMs = 3_600_000;

interface Pulled {
  readonly filters: FilterSources;
  readonly intervalMs: number | undefined;
}

export function startFilterPull({ gateways, filters, sharding, file, log, metrics }: FilterPullOptions): PullLoop {
  let intervalMs = firstIntervalMs;
  /** Body of the gateway's answer that contains the filters in force. */
  let last = "";

  const use = (text: string): void => {
    const pulled = parsePulled(text);
    last = text;
    intervalMs = pulled.intervalMs ?? intervalMs;
    filters.replace(pulled.filters);
  };

  /** Asks one gateway after the other until one of them has filters. */
  const ask = async (): Promise<GatewayAnswer> => {
    const headers = shardingHeaders(sharding);
    let answer: GatewayAnswer | undefined;
    for (const gateway of gateways.all) {
      const began = performance.now();
      answer = await gateway.call({ method: "GET", path: "/v1/agent/pull", query: { filters: "true" }, headers });
      const status = typeof answer.status === "number" ? statusText(answer.status) : answer.status;
      metrics.filterPullSeconds.observe({ status }, (performance.now() - began) / 1000);
      if (answer.status === 200) break;
    }
    return answer!;
  };

  const take = (answer: GatewayAnswer): boolean => {
    const text = textOf(answer);
    if (text === undefined) log.debug(`${subject}: 404`);
    else if (text !== last) {
      use(text);
      keepAnswer(file, text);
    }
    return text !== undefined;
  };

  restoreAnswer(file, use, log);
  return startPullLoop({ subject, log, ask, take, intervalMs: () => intervalMs });
}

/** Parses the filters in an answer. Throws when the answer does not contain valid filters. */
function parsePulled(text: string): Pulled {
  const body: unknown = JSON.parse(text);
  if (!isRecord(body)) throw new Error("the answer is no object");
  const filters = body.filters ?? {};
  const isUsable =
    isRecord(filters) &&
    Object.values(filters).every((rules) => Array.isArray(rules) && rules.every((rule) => typeof rule === "string"));
  if (!isUsable) throw new Error("filters must be lists of texts by category");
  const interval = body.pull_interval;
  return {
    filters: filters as FilterSources,
    intervalMs:
      typeof interval === "number" && interval > 0
        ? Math.min(Math.max(interval / 1e6, shortestIntervalMs), longestIntervalMs)
        : undefined,
  };
}
