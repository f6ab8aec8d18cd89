// The routes GET /v1/ping, GET /v1/ntp, GET /metrics, and POST /v1/sinker/reload.

import { availableParallelism } from "node:os";
import { formatDuration } from "../../config/go-duration.ts";
import { answer, answerContent, answerJson } from "../../http/answer.ts";
import { commit, version } from "../../http/version.ts";
import type { Gateway } from "../gateway.ts";
import type { Route } from "./route.ts";

/**
 * Returns the state of the sink rules (rules that route requests to targets): `on`, `off`, or `invalid: ` followed by
 * the mistake in the rules.
 */
function sinkerText({ state }: Gateway["sinker"]): string {
  return state.kind === "invalid" ? `invalid: ${state.reason}` : state.kind;
}

const ping: Route = {
  method: "GET",
  url: "/v1/ping",
  isOpen: true,
  handle: (gateway, { reply }) => {
    const uptime = formatDuration(process.hrtime.bigint() - gateway.startedAt);
    const { hostname: host, sinker } = gateway;
    return answerContent(reply, { version, uptime, host, commit, sinker: sinkerText(sinker) });
  },
};

const ntp: Route = {
  method: "GET",
  url: "/v1/ntp",
  isOpen: true,
  handle: (_gateway, { reply }) => answerJson(reply, { timestamp_sec: Math.floor(Date.now() / 1000) }),
};

const metricsRoute: Route = {
  method: "GET",
  url: "/metrics",
  isLocal: true,
  handle: async ({ metrics, forwarder, budget, startedAt }, { reply }) => {
    metrics.uptime.set(Number(process.hrtime.bigint() - startedAt) / 1e9);
    metrics.cores.set(availableParallelism());
    metrics.inflightBytes.set(budget.usedBytes);
    forwarder.measure();
    return answer(reply, "text/plain; version=0.0.4; charset=utf-8", await metrics.registry.metrics());
  },
};

const reload: Route = {
  method: "POST",
  url: "/v1/sinker/reload",
  isLocal: true,
  handle: async ({ sinker, tagging }, { reply }) => {
    sinker.reload();
    tagging?.reload();
    return await answerContent(reply, { sinker: sinkerText(sinker) });
  },
};

export const about: readonly Route[] = [ping, ntp, metricsRoute, reload];
