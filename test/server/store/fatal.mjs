// A module that a test loads into a platform before all other modules (`--import`). It makes DuckDB fail with a
// fatal error when the file named by MILLRACE_FATAL appears. To cause the error, it uses an option that DuckDB
// has for its own tests, which aborts the checkpoint of a database file.

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
