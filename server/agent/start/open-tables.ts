// Starts loading reference tables (tables in which scripts look up values) when the configuration names a source.

import path from "node:path";
import { durationMs } from "../../config/go-duration.ts";
import type { Config } from "../../config/schema.ts";
import { startTableLoader, type TableLoaderOptions } from "../../refer-table/loader.ts";
import type { TablesInForce } from "../../refer-table/store.ts";
import type { Base } from "./base.ts";

/**
 * Calls `onTables` with each newly loaded set of reference tables (tables in which scripts look up values). Returns a
 * function that returns the current set; null before the first set is loaded.
 */
export function openTables(base: Base, onTables: (tables: TablesInForce) => void): () => TablesInForce | null {
  const { config, dataDir, log, metrics, atClose } = base;
  let tables: TablesInForce | null = null;
  const loader = startTableLoader({
    url: config["pipeline.refer_table_url"],
    intervalMs: durationMs(config["pipeline.refer_table_pull_interval"], 300_000),
    maxBytes: config["pipeline.refer_table_max_bytes"],
    store: storeKind(config),
    folder: path.join(dataDir, "refer-tables"),
    log,
    metrics,
    onTables: (next) => {
      tables = next;
      onTables(next);
    },
  });
  atClose(() => loader.close());
  return () => tables;
}

function storeKind(config: Config): TableLoaderOptions["store"] {
  if (!config["pipeline.use_sqlite"]) return "memory";
  return config["pipeline.sqlite_mem_mode"] ? "sqlite-memory" : "sqlite-disk";
}
