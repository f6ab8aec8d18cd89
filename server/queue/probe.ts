// A write that tells whether a folder can be written: as many bytes as were refused, synced where the queue syncs, and removed again.

import { randomBytes } from "node:crypto";
import path from "node:path";
import type { QueueOptions } from "./types.ts";

export const probeName = "probe";
/** Larger writes that were refused are tried with this many bytes. */
const mostProbed = 1 << 20;

/** Rejects while the folder cannot be written. */
export async function probeFolder(
  { files, folder, sync }: Pick<QueueOptions, "files" | "folder" | "sync">,
  bytes: number,
): Promise<void> {
  const name = path.join(folder, probeName);
  const file = await files.openOrMake(name);
  try {
    // A file system that compresses has room for any number of zeros.
    await file.write([randomBytes(Math.min(bytes, mostProbed))], 0);
    if (sync === "group") {
      await file.sync();
      await files.syncFolder(folder);
    }
  } finally {
    await file.close();
    await files.remove(name);
  }
}
