// Asks the gateway for the filters it wants applied (docs/reference/agent.md#filters). The last answer is
// kept in a file, so that the filters hold after a start without a gateway.

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { isRecord } from "../../http/body/json-body.ts";
import { answerText } from "../../outbound/retry-classification.ts";
import type { Log } from "../../telemetry/log.ts";
import { type Metrics, statusText } from "../../telemetry/metrics.ts";
import type { FilterSources, Filters } from "../ingest/filters.ts";
import { type Sharding, shardingHeaders } from "../ingest/sharding.ts";
import type { GatewayAnswer, Gateways } from "../outputs/gateways.ts";

export interface FilterPullOptions {
  readonly gateways: Gateways;
  readonly filters: Filters;
  readonly sharding: Sharding | undefined;
  /** Of the last answer. */
  readonly file: string;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface FilterPull {
  close(): void;
}

const firstIntervalMs = 30_000;
const shortestIntervalMs = 1_000;
const longestIntervalMs = 3_600_000;

interface Pulled {
  readonly filters: FilterSources;
  readonly intervalMs: number | undefined;
}

export function startFilterPull({ gateways, filters, sharding, file, log, metrics }: FilterPullOptions): FilterPull {
  let intervalMs = firstIntervalMs;
  /** The body in force. */
  let last = "";
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  let isFailing = false;

  const take = (text: string): void => {
    const pulled = parsePulled(text);
    last = text;
    intervalMs = pulled.intervalMs ?? intervalMs;
    filters.replace(pulled.filters);
  };

  const failed = (reason: string): void => {
    if (isFailing) log.debug(`filters of the gateway: ${reason}`);
    else log.warn(`filters of the gateway: ${reason}; those in force are kept`);
    isFailing = true;
  };

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

  const pull = async (): Promise<void> => {
    try {
      const { status, cause, bytes } = await ask();
      if (isClosed) return;
      const text = Buffer.from(bytes).toString();
      // A gateway without filters to give.
      if (status === 404) log.debug("filters of the gateway: 404");
      else if (status !== 200) failed(answerText({ status, cause }));
      else {
        if (text !== last) {
          take(text);
          keep(file, text);
        }
        isFailing = false;
      }
    } catch (error) {
      failed((error as Error).message);
    }
    if (isClosed) return;
    timer = setTimeout(pull, intervalMs);
    timer.unref();
  };

  try {
    take(readFileSync(file, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") log.warn(`${file}: ${(error as Error).message}`);
  }
  void pull();
  return {
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** Throws when the answer is not one of filters. */
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

function keep(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
