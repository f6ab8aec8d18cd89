// Watches folders for changes. Where the system cannot watch a folder, its files are still looked at now and then, as
// files in network folders are.

import { type FSWatcher, watch } from "node:fs";
import path from "node:path";
import type { Log } from "../../../telemetry/log.ts";

export interface FolderWatch {
  /** Watches these folders and no others. Returns whether one of them was not watched before. */
  setFolders(folders: Iterable<string>): boolean;
  close(): void;
}

export interface FolderWatchOptions {
  /** Called when a file of a folder was written. */
  readonly onWritten: (file: string) => void;
  /** Called when a file of some folder appeared, disappeared or was renamed. */
  readonly onNames: () => void;
  readonly log: Pick<Log, "warn">;
}

export function createFolderWatch({ onWritten, onNames, log }: FolderWatchOptions): FolderWatch {
  const watchers = new Map<string, FSWatcher>();
  let hasWarned = false;
  const open = (folder: string) => {
    try {
      const watcher = watch(folder, { persistent: false }, (kind, name) => {
        if (name !== null) onWritten(path.join(folder, name));
        if (kind === "rename" || name === null) onNames();
        // The folder itself was deleted or renamed. A folder that takes its place is watched from the next look on.
        if (kind === "rename" && name === path.basename(folder)) close(folder);
      });
      watcher.on("error", () => close(folder));
      watchers.set(folder, watcher);
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      // A folder that is missing is watched once it is there; it is looked for with the files.
      if (code === "ENOENT" || code === "EACCES" || hasWarned) return;
      hasWarned = true;
      log.warn(`tail: ${folder} cannot be watched (${code}); its files are looked at every few seconds`);
    }
  };
  const close = (folder: string) => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };
  return {
    setFolders: (folders) => {
      const wanted = new Set(folders);
      for (const folder of watchers.keys()) if (!wanted.has(folder)) close(folder);
      const added = [...wanted].filter((folder) => !watchers.has(folder));
      for (const folder of added) open(folder);
      return added.some((folder) => watchers.has(folder));
    },
    close: () => {
      for (const folder of [...watchers.keys()]) close(folder);
    },
  };
}
