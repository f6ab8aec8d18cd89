// Saves changed global tags in the configuration file: writes a temporary file, which then replaces the configuration
// file. An agent without a configuration file, as in a container that is configured by its environment, loses the
// changes when it ends.

import { readFileSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import { editTable, type TableChange } from "../../config/edit-table.ts";
import type { Log } from "../../telemetry/log.ts";

export function createTagPersistence(configFile: string | undefined, log: Log) {
  /**
   * Saves a change. Returns undefined when the change is saved, and also when saving fails; such a failure is
   * logged. When there is no configuration file, returns the reason why the change cannot be saved.
   */
  return (table: string, change: TableChange): string | undefined => {
    if (configFile === undefined) {
      const reason = `[${table}] changed until the next start: there is no configuration file to keep it in`;
      log.info(reason);
      return reason;
    }
    try {
      // When the configuration file is a symbolic link, the file that the link names is replaced, not the link.
      const file = realpathSync(configFile);
      const before = readFileSync(file, "utf8");
      // The configuration file may contain host tags also in the table `global_tags`, an older name of the table
      // `global_host_tags`. A removed tag is removed from both tables; otherwise the tag would be back after the next
      // start.
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
