// Watches folders for changes, through events of the file system. When the system cannot watch a folder, its changes
// are noticed only at the next regular scan for files (tailer.ts).

import { type FSWatcher, watch } from "node:fs";
import path from "node:path";
import type { Log } from "../../../telemetry/log.ts";

export interface FolderWatch {
  /** Watches the given folders, and stops watching all others. Returns whether a folder was added. */
  setFolders(folders: Iterable<string>): boolean;
  /** Whether the system reports changes for every folder that was passed to the last call of `setFolders`. */
  readonly isComplete: boolean;
  close(): void;
}

export interface FolderWatchOptions {
  /** Called with the path of a file in a watched folder when the file was written, created, renamed or removed. */
  readonly onWritten: (file: string) => void;
  /** Called when a file in a watched folder was created, renamed or removed. */
  readonly onNames: () => void;
  readonly log: Pick<Log, "warn">;
}

export function createFolderWatch({ onWritten, onNames, log }: FolderWatchOptions): FolderWatch {
  const watchers = new Map<string, FSWatcher>();
  let wanted: ReadonlySet<string> = new Set();
  let hasWarned = false;
  const open = (folder: string) => {
    try {
      const watcher = watch(folder, { persistent: false }, (kind, name) => {
        if (name !== null) onWritten(path.join(folder, name));
        if (kind === "rename" || name === null) onNames();
        // The watched folder itself was removed or renamed. A new folder with this path is watched after the next scan
        // for files.
        if (kind === "rename" && name === path.basename(folder)) close(folder);
      });
      watcher.on("error", () => close(folder));
      watchers.set(folder, watcher);
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      // A folder that does not exist or cannot be read causes no warning, since this code tries to watch it again after
      // each scan for files.
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
      wanted = new Set(folders);
      for (const folder of watchers.keys()) if (!wanted.has(folder)) close(folder);
      const added = [...wanted].filter((folder) => !watchers.has(folder));
      for (const folder of added) open(folder);
      return added.some((folder) => watchers.has(folder));
    },
    get isComplete() {
      return watchers.size === wanted.size;
    },
    close: () => {
      for (const folder of [...watchers.keys()]) close(folder);
    },
  };
}
