// GET /healthz: the process answers. GET /readyz: the store takes and answers, else 503 and why. GET /metrics: what was done, in the
// Prometheus text form.

import { statSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import { answer, answerJson } from "../http/answer.ts";
import { version } from "../http/version.ts";
import type { Platform } from "./app.ts";

export function registerHealth(app: FastifyInstance, { store, budget, metrics, files }: Platform): void {
  const startedAt = performance.now();
  app.get("/healthz", (_request, reply) => answerJson(reply, { status: "ok" }));
  app.get("/readyz", (_request, reply) => {
    const failure = store.failure();
    const problems = [
      ...(failure === undefined ? [] : [`the points store has failed: ${failure}`]),
      ...(budget.usedBytes < budget.limit ? [] : ["too many bytes in flight"]),
    ];
    if (problems.length > 0) reply.code(503);
    return answerJson(reply, problems.length === 0 ? { status: "ready" } : { status: "not ready", problems });
  });
  app.get("/metrics", async (_request, reply) => {
    metrics.uptime.set({ version }, (performance.now() - startedAt) / 1000);
    metrics.inflightBytes.set(budget.usedBytes);
    for (const [file, path] of Object.entries(files)) metrics.storeBytes.set({ file }, sizeOf(path));
    return await answer(reply, "text/plain; version=0.0.4; charset=utf-8", await metrics.registry.metrics());
  });
}

/** 0 while there is no such file. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
