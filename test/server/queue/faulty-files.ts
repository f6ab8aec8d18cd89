// The file interface of the queue, with injected faults: an operation that the test chooses fails, a number of times or
// until the test calls `heal`.

import type { QueueFile, QueueFiles } from "../../../server/queue/log/files.ts";
import { realFiles } from "../../../server/queue/log/files.ts";

type Operation = "write" | "read" | "sync" | "truncate" | "open" | "syncFolder" | "remove";

export interface FaultyFiles extends QueueFiles {
  /** Makes an operation fail. `partly`: number of bytes that a failing write still writes to the file. */
  fail(
    operation: Operation,
    code: "ENOSPC" | "EIO",
    options?: { readonly times?: number; readonly partly?: number },
  ): void;
  heal(): void;
  readonly count: Readonly<Record<Operation, number>>;
}

export function faultyFiles(): FaultyFiles {
  const count: Record<Operation, number> = {
    ...{ write: 0, read: 0, sync: 0, truncate: 0, open: 0, syncFolder: 0, remove: 0 },
  };
  let fault: { operation: Operation; code: string; left: number; partly: number } | undefined;
  const canFail = (path: string) => path.endsWith(".seg") || path.endsWith("probe");

  const strikes = (operation: Operation): boolean => {
    count[operation]++;
    if (fault?.operation !== operation || fault.left === 0) return false;
    fault.left--;
    return true;
  };
  const error = () => Object.assign(new Error(`${fault!.code}: injected`), { code: fault!.code });

  const wrap = (file: QueueFile): QueueFile => ({
    write: async (parts, position) => {
      if (!strikes("write")) return await file.write(parts, position);
      const all = Buffer.concat(parts);
      if (fault!.partly > 0) await file.write([all.subarray(0, fault!.partly)], position);
      throw error();
    },
    read: async (into, position) => {
      if (strikes("read")) throw error();
      return await file.read(into, position);
    },
    sync: async () => {
      if (strikes("sync")) throw error();
      await file.sync();
    },
    truncate: async (size) => {
      if (strikes("truncate")) throw error();
      await file.truncate(size);
    },
    close: () => file.close(),
  });

  const opened = async (how: "open" | "openOrMake", path: string): Promise<QueueFile> => {
    if (!canFail(path)) return await realFiles[how](path);
    if (strikes("open")) throw error();
    return wrap(await realFiles[how](path));
  };

  return {
    ...realFiles,
    count,
    fail: (operation, code, { times = Number.POSITIVE_INFINITY, partly = 0 } = {}) => {
      fault = { operation, code, left: times, partly };
    },
    heal: () => {
      fault = undefined;
    },
    open: (path) => opened("open", path),
    openOrMake: (path) => opened("openOrMake", path),
    remove: async (path) => {
      if (path.endsWith("spare") && strikes("remove")) throw error();
      await realFiles.remove(path);
    },
    syncFolder: async (folder) => {
      if (strikes("syncFolder")) throw error();
      await realFiles.syncFolder(folder);
    },
  };
}
