// Writes changed global tags back into the configuration file: a temporary file, then a rename. An agent that is configured
// by its environment alone, as in a container, keeps them until it ends.

import { readFileSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import { editTable, type TableChange } from "../config/edit-table.ts";
import type { Log } from "../http/log.ts";

export function createTagPersistence(configFile: string | undefined, log: Log) {
  return (table: string, change: TableChange): void => {
    if (configFile === undefined) {
      log.info(`[${table}] changed until the next start: there is no configuration file to keep it in`);
      return;
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
    } catch (error) {
      log.error(`${configFile}: the change of [${table}] is not kept: ${(error as Error).message}`);
    }
  };
}
