// Keeps the reference tables of an agent (tables in which scripts look up values) up to date. Starts the worker thread
// that loads the tables, reports each load in log and metrics, and passes on each new set of tables as a whole.

import { Worker } from "node:worker_threads";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { FromLoader, LoaderSetup, TableReport } from "./protocol.ts";
import type { TablesInForce } from "./store.ts";

export interface TableLoader {
  close(): Promise<void>;
}

export interface TableLoaderOptions extends LoaderSetup {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly onTables: (tables: TablesInForce) => void;
}

const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
const shortestIntervalMs = 1000;

/**
 * Starts the loader. When the configured URL of the tables is empty or cannot be used, there are no reference tables.
 */
export function startTableLoader(options: TableLoaderOptions): TableLoader {
  const { url, log } = options;
  if (url === "" || !isUsable(url, log)) return { close: async () => {} };
  const intervalMs = Math.max(options.intervalMs, shortestIntervalMs);
  const { maxBytes, store, folder } = options;
  const workerData: LoaderSetup = { url, intervalMs, maxBytes, store, folder };
  let worker: Worker;
  let closed = false;
  const start = () => {
    worker = new Worker(new URL(`./worker.${extension}`, import.meta.url), { workerData });
    worker.unref();
    worker.on("message", (message: FromLoader) => handleMessage(message, options));
    worker.on("error", (error) => log.error(`reference tables: ${(error as Error).message}`));
    worker.on("exit", () => {
      if (!closed) setTimeout(start, intervalMs).unref();
    });
  };
  start();
  return {
    close: async () => {
      closed = true;
      await worker.terminate();
    },
  };
}

function isUsable(text: string, log: Log): boolean {
  try {
    const { protocol } = new URL(text);
    if (protocol === "http:" || protocol === "https:") return true;
    log.error(`reference tables: url: ${text}, unsupported scheme ${protocol.slice(0, -1)}`);
  } catch (error) {
    log.error(`reference tables: parse url: ${text}, error: ${(error as Error).message}`);
  }
  return false;
}

function handleMessage(message: FromLoader, options: TableLoaderOptions): void {
  const { log, metrics } = options;
  switch (message.kind) {
    case "progress":
      log.info(`reference tables: ${mebibytes(message.bytes)} read`);
      return;
    case "unchanged":
      metrics.referTablePulls.inc({ status: "unchanged" });
      log.debug("reference tables: unchanged");
      return;
    case "warning":
      log.warn(`reference tables: ${message.message}`);
      return;
    case "failed":
      metrics.referTablePulls.inc({ status: "failed" });
      for (const reason of message.reasons) log.error(`reference tables not replaced: ${reason}`);
      return;
    case "restored":
      log.info(`reference tables: ${counted(message)} of an earlier run, until they are loaded anew`);
      putInForce(message, options);
      return;
    case "loaded":
      for (const warning of message.warnings) log.warn(`reference tables: ${warning}`);
      log.info(`reference tables: ${counted(message)}, ${mebibytes(message.bytes)} in ${message.seconds.toFixed(1)} s`);
      metrics.referTablePulls.inc({ status: "loaded" });
      metrics.referTableUpdated.set(Date.now() / 1000);
      putInForce(message, options);
  }
}

function putInForce({ inForce, tables, storeBytes }: TableReport, { metrics, onTables }: TableLoaderOptions): void {
  metrics.referTableRows.reset();
  for (const { name, rowCount } of tables) metrics.referTableRows.set({ table: name }, rowCount);
  metrics.referTableBytes.set(storeBytes);
  onTables(inForce);
}

function counted({ tables }: TableReport): string {
  return `${tables.length} with ${tables.reduce((sum, { rowCount }) => sum + rowCount, 0)} rows`;
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
