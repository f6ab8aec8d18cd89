// Loaded into a platform before anything else (`--import`): its database fails with a fatal error when the file named
// by MILLRACE_FATAL appears. DuckDB offers such an error for its own tests: a checkpoint of a database file that is
// aborted.

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

/** Rejects with the fatal error, once for each time that the file appears. */
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
