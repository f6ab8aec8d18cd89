// Writes changed global tags back into the configuration file: a temporary file, then a rename. An agent that is configured
// by its environment alone, as in a container, keeps them until it ends.

import { readFileSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import { editTable, type TableChange } from "../../config/edit-table.ts";
import type { Log } from "../../telemetry/log.ts";

export function createTagPersistence(configFile: string | undefined, log: Log) {
  /** Returns why a change cannot be kept here; undefined when it was tried, and a failure is in the log. */
  return (table: string, change: TableChange): string | undefined => {
    if (configFile === undefined) {
      const reason = `[${table}] changed until the next start: there is no configuration file to keep it in`;
      log.info(reason);
      return reason;
    }
    try {
      // A link stays one.
      const file = realpathSync(configFile);
      const before = readFileSync(file, "utf8");
      // A tag of the older table that is removed would be back at the next start.
      const removed = { set: {}, remove: table === "global_host_tags" ? change.remove : [] };
      const text = editTable(
        removed.remove.length > 0 ? editTable(before, "global_tags", removed) : before,
        table,
        change,
      );
      const draft = `${file}.${process.pid}.tmp`;
      writeFileSync(draft, text, { mode: statSync(file).mode & 0o777 });
      renameSync(draft, file);
      return undefined;
    } catch (error) {
      log.error(`${configFile}: the change of [${table}] is not kept: ${(error as Error).message}`);
      return undefined;
    }
  };
}
