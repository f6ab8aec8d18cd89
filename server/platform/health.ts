// The routes for monitoring. GET /healthz answers as long as the process runs. GET /readyz answers with 200
// while the points store works, otherwise with 503 and the reason. GET /metrics returns metrics in the
// Prometheus text format, and only to local clients.

import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import type { FastifyInstance } from "fastify";
import { answer, answerJson, answerReady } from "../http/answer.ts";
import type { Access } from "../http/guards/access.ts";
import { version } from "../http/version.ts";
import type { Platform } from "./app.ts";

export function registerHealth(
  app: FastifyInstance,
  { store, budget, metrics, files }: Platform,
  access: Access,
): void {
  const startedAt = performance.now();
  app.get("/healthz", (_request, reply) => answerJson(reply, { status: "ok" }));
  app.get("/readyz", (_request, reply) => {
    const failure = store.failure();
    const problems = [
      ...(failure === undefined ? [] : [`the points store does not take points: ${failure}`]),
      ...(budget.usedBytes < budget.limit ? [] : ["too many bytes in flight"]),
    ];
    return answerReady(reply, problems);
  });
  app.get("/metrics", async (request, reply) => {
    access.check(request.raw, "/metrics");
    metrics.uptime.set({ version }, (performance.now() - startedAt) / 1000);
    metrics.inflightBytes.set(budget.usedBytes);
    for (const [file, folder] of Object.entries(files)) metrics.storeBytes.set({ file }, await bytesBelow(folder));
    return await answer(reply, "text/plain; version=0.0.4; charset=utf-8", await metrics.registry.metrics());
  });
}

/** Returns the total size in bytes of all files below a folder, or 0 when there is no such folder. */
async function bytesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  let bytes = 0;
  // A file may be removed after it was listed and before its size is read; it then counts as 0 bytes.
  for (const entry of entries)
    if (entry.isFile()) bytes += (await stat(path.join(entry.parentPath, entry.name)).catch(() => ({ size: 0 }))).size;
  return bytes;
}
