// Loaded into a platform before anything else (`--import`). Makes DuckDB fail with a fatal error when the file named by
// MILLRACE_FATAL appears. DuckDB has an option for its own tests that aborts the checkpoint of a database file; this
// option causes the error.

import { existsSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";

const trigger = process.env.MILLRACE_FATAL;
const { create } = DuckDBInstance;
const { prepare, run } = DuckDBConnection.prototype;

DuckDBInstance.create = (_file, options) =>
  create.call(DuckDBInstance, path.join(mkdtempSync(`${trigger}-`), "points.db"), {
    ...options,
    debug_checkpoint_abort: "before_header",
  });

/**
 * If the file named by MILLRACE_FATAL exists, removes the file and runs a checkpoint, which makes DuckDB throw the
 * fatal error.
 */
async function endWhenTold(connection) {
  if (!existsSync(trigger)) return;
  rmSync(trigger);
  await run.call(connection, "CHECKPOINT");
}

DuckDBConnection.prototype.prepare = async function (sql) {
  await endWhenTold(this);
  return await prepare.call(this, sql);
};

DuckDBConnection.prototype.run = async function (sql, ...more) {
  if (sql.startsWith("BEGIN")) await endWhenTold(this);
  return await run.call(this, sql, ...more);
};
